import { describe, expect, it } from 'vitest';
import { ListText } from './list-text.ts';

describe('ListText', () => {
  it.each([
    { items: [], text: '{"items":[]}' },
    { items: ['{"a":1}'], text: '{"items":[{"a":1}]}' },
    { items: ['"é"', '"日本"', '"🚢"', '"\\ud83d"'], text: '{"items":["é","日本","🚢","\\ud83d"]}' },
  ])('yields the same content as text and as bytes: $text', ({ items, text }) => {
    const list = new ListText('{"items":[', items, ']}');

    expect([list.text(), list.length]).toEqual([text, text.length]);
    expect(Buffer.from(list.bytes()).toString()).toBe(text);
    expect(list.bytes().length).toBe(Buffer.byteLength(text));
    expect(list.byteLength).toBe(Buffer.byteLength(text));
  });

  it.each([4, 5, 7, 64])('yields the same content in parts of at most %d bytes', (size) => {
    const items = ['"é"', '"日本"', '', '"🚢🚢"', '"abcdefghijklmnop"'];
    const reader = new ListText('{"items":[', items, ']}').reader();

    const parts: Buffer[] = [];
    const bytes = new Uint8Array(size);
    for (let length = reader.read(bytes); length > 0; length = reader.read(bytes)) {
      parts.push(Buffer.from(bytes.subarray(0, length)));
    }

    expect(Buffer.concat(parts).toString()).toBe(`{"items":[${items.join(',')}]}`);
    expect(parts.slice(0, -1).every(({ length }) => length > size - 4)).toBe(true);
  });
});
