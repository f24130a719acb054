import { describe, expect, it } from 'vitest';
import { ListText } from './list-text.ts';

describe('ListText', () => {
  it.each([
    { items: [], text: '{"items":[]}' },
    { items: ['{"a":1}'], text: '{"items":[{"a":1}]}' },
    { items: ['"é"', '"日本"', '"🚢"', '"\\ud83d"'], text: '{"items":["é","日本","🚢","\\ud83d"]}' },
  ])('is the same as text and as bytes: $text', ({ items, text }) => {
    const list = new ListText('{"items":[', items, ']}');

    expect([list.text(), list.length]).toEqual([text, text.length]);
    expect(Buffer.from(list.bytes()).toString()).toBe(text);
    expect(list.bytes().length).toBe(Buffer.byteLength(text));
  });
});
