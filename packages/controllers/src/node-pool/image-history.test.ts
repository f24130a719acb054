import { describe, expect, test } from 'vitest';
import { imageHistory } from './image-history.ts';

describe('the images that the name of a pool stood for', () => {
  test.each([
    {
      reason: 'a new pool has none',
      previous: undefined,
      resolved: { asked: 'ubuntu', id: 'new' },
      expected: { asked: 'ubuntu', earlierIDs: [] },
    },
    {
      reason: 'a newer image of the same name follows the one before',
      previous: { imageID: 'old', image: { asked: 'ubuntu', earlierIDs: ['oldest'] } },
      resolved: { asked: 'ubuntu', id: 'new' },
      expected: { asked: 'ubuntu', earlierIDs: ['old', 'oldest'] },
    },
    {
      reason: 'a newer default is none that anybody asked for',
      previous: { imageID: 'old', image: { earlierIDs: [] } },
      resolved: { asked: undefined, id: 'new' },
      expected: { earlierIDs: ['old'] },
    },
    {
      reason: 'the same image stays',
      previous: { imageID: 'new', image: { asked: 'ubuntu', earlierIDs: ['old'] } },
      resolved: { asked: 'ubuntu', id: 'new' },
      expected: { asked: 'ubuntu', earlierIDs: ['old'] },
    },
    {
      reason: 'an image that comes back is no earlier one',
      previous: { imageID: 'new', image: { asked: 'ubuntu', earlierIDs: ['old'] } },
      resolved: { asked: 'ubuntu', id: 'old' },
      expected: { asked: 'ubuntu', earlierIDs: ['new'] },
    },
    {
      reason: 'another name is a new request: existing nodes have the previous image',
      previous: { imageID: 'old', image: { asked: 'ubuntu', earlierIDs: ['oldest'] } },
      resolved: { asked: 'debian', id: 'new' },
      expected: { asked: 'debian', earlierIDs: [] },
    },
    {
      reason: 'what a pool of an earlier release has counts as of the same name: an upgrade of Fairway renews no nodes',
      previous: { imageID: 'old' },
      resolved: { asked: undefined, id: 'new' },
      used: ['older', 'old', 'new'],
      expected: { earlierIDs: ['old', 'older'] },
    },
  ])('$reason', ({ previous, resolved, used = [], expected }) => {
    expect(imageHistory(previous, resolved, used)).toEqual(expected);
  });

  test('are the last twenty', () => {
    const earlierIDs = Array.from({ length: 20 }, (_, index) => `image-${index}`);

    const { earlierIDs: kept } = imageHistory(
      { imageID: 'last', image: { earlierIDs } },
      { asked: undefined, id: 'new' },
      [],
    );

    expect(kept).toHaveLength(20);
    expect(kept[0]).toBe('last');
  });
});
