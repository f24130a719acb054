import { describe, expect, test } from 'vitest';
import { imageHistory } from './image-history.ts';

describe('imageHistory', () => {
  test.each([
    {
      reason: 'a new pool has no earlier images',
      previous: undefined,
      resolved: { asked: 'ubuntu', id: 'new' },
      expected: { asked: 'ubuntu', earlierIDs: [] },
    },
    {
      reason: 'a newer image of the same name is added',
      previous: { imageID: 'old', image: { asked: 'ubuntu', earlierIDs: ['oldest'] } },
      resolved: { asked: 'ubuntu', id: 'new' },
      expected: { asked: 'ubuntu', earlierIDs: ['old', 'oldest'] },
    },
    {
      reason: 'a newer default counts as the same request',
      previous: { imageID: 'old', image: { earlierIDs: [] } },
      resolved: { asked: undefined, id: 'new' },
      expected: { earlierIDs: ['old'] },
    },
    {
      reason: 'an unchanged image is kept',
      previous: { imageID: 'new', image: { asked: 'ubuntu', earlierIDs: ['old'] } },
      resolved: { asked: 'ubuntu', id: 'new' },
      expected: { asked: 'ubuntu', earlierIDs: ['old'] },
    },
    {
      reason: 'an image that becomes current again is removed',
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
      reason:
        'images of a pool from an earlier release count as the same name, so an upgrade of Fairway does not update nodes',
      previous: { imageID: 'old' },
      resolved: { asked: undefined, id: 'new' },
      used: ['older', 'old', 'new'],
      expected: { earlierIDs: ['old', 'older'] },
    },
  ])('$reason', ({ previous, resolved, used = [], expected }) => {
    expect(imageHistory(previous, resolved, used)).toEqual(expected);
  });

  test('contains the last twenty images', () => {
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
