import { describe, expect, test } from 'vitest';
import { metadataFilter } from './metadata-filter.ts';

describe('a filter by metadata', () => {
  test.each([
    { metadata: {}, filter: '{}' },
    { metadata: { 'fairway.dev/cluster': 'uid' }, filter: "{'fairway.dev/cluster': 'uid'}" },
    { metadata: { a: '1', b: '2' }, filter: "{'a': '1', 'b': '2'}" },
  ])('is formatted as $filter', ({ metadata, filter }) => {
    expect(metadataFilter(metadata as Record<string, string>)).toBe(filter);
  });

  test.each(["it's", '"', '\\', '\n'])('rejects %j', (text) => {
    expect(() => metadataFilter({ key: text })).toThrow(/cannot filter/);
    expect(() => metadataFilter({ [text]: 'value' })).toThrow(/cannot filter/);
  });
});
