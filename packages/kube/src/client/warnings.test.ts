import { describe, expect, test } from 'vitest';
import { parseWarnings } from './warnings.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('the Warning header', () => {
  test.each([
    { header: undefined, texts: [] },
    { header: '', texts: [] },
    { header: '299 - "be careful"', texts: ['be careful'] },
    { header: '299 - "one", 299 - "two, and more"', texts: ['one', 'two, and more'] },
    { header: String.raw`299 - "spec: \"x\\y\""`, texts: [String.raw`spec: "x\y"`] },
    { header: '299 proxy:80 "old" "Sun, 22 Nov 2026 20:00:00 GMT", 299 - "new"', texts: ['old', 'new'] },
    { header: utf8('299 - "no cluster 日本"'), texts: ['no cluster 日本'] },
    { header: 'nonsense', texts: [] },
  ])('parses $header as $texts', ({ header, texts }) => {
    expect(parseWarnings(header)).toEqual(texts);
  });
});
