import { describe, expect, test } from 'vitest';
import { labelChanges } from './server-labels.ts';

const NONE = { tags: [], metadata: {} };
const NOTHING_APPLIED = { tags: [], metadata: [] };

describe('what is changed of a server', () => {
  test.each([
    {
      reason: 'nothing is wanted',
      server: { tags: ['theirs'], metadata: { theirs: '1' } },
      applied: NOTHING_APPLIED,
      wanted: NONE,
      changes: undefined,
    },
    {
      reason: 'it lacks some',
      server: { tags: ['a'], metadata: { k: 'old' } },
      applied: NOTHING_APPLIED,
      wanted: { tags: ['a', 'b'], metadata: { k: 'new' } },
      changes: { addTags: ['b'], removeTags: [], setMetadata: { k: 'new' }, removeMetadata: [] },
    },
    {
      reason: 'some were applied and are no longer wanted',
      server: { tags: ['a', 'theirs'], metadata: { k: '1', theirs: '1' } },
      applied: { tags: ['a', 'gone'], metadata: ['k', 'gone'] },
      wanted: NONE,
      changes: { addTags: [], removeTags: ['a'], setMetadata: {}, removeMetadata: ['k'] },
    },
    {
      reason: 'keys of every object are keys like others',
      server: { tags: [], metadata: {} },
      applied: { tags: [], metadata: ['constructor'] },
      wanted: NONE,
      changes: undefined,
    },
  ])('where $reason', ({ server, applied, wanted, changes }) => {
    expect(labelChanges(server, applied, wanted)).toEqual(changes);
  });
});
