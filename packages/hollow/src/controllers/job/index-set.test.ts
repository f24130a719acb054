import { excessiveItemGrowth } from '@fairway/base/testing/growth';
import { describe, expect, it } from 'vitest';
import { formatIndexes, parseIndexes } from './index-set.ts';

describe('completion indexes', () => {
  it.each([
    { text: '', indexes: [] },
    { text: '3', indexes: [3] },
    { text: '0-2,4', indexes: [0, 1, 2, 4] },
    { text: '0,1,3,4', indexes: [4, 0, 3, 1] },
    { text: '0-2,5-7', indexes: [7, 0, 6, 1, 2, 5] },
  ])('parses $text', ({ text, indexes }) => {
    expect(formatIndexes(indexes)).toBe(text);
    expect(parseIndexes(text)).toEqual(new Set(indexes));
  });

  it('counts an index once, however often a client wrote it into a status', async () => {
    const repeated = (count: number) => parseIndexes('0-99999,'.repeat(count)).size;
    expect(repeated(2000)).toBe(100_000);
    expect(await excessiveItemGrowth(repeated)).toBeUndefined();
  });
});
