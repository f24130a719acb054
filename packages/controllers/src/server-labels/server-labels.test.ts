import { describe, expect, test } from 'vitest';
import { labelChanges } from './server-labels.ts';

const NO_LABELS = { tags: [], metadata: {} };
const EMPTY_TEMPLATE = { tags: [], metadata: [] };

describe('the label changes of a server', () => {
  test.each([
    {
      reason: 'no labels are desired',
      server: { tags: ['theirs'], metadata: { theirs: '1' } },
      applied: EMPTY_TEMPLATE,
      wanted: NO_LABELS,
      changes: undefined,
    },
    {
      reason: 'it lacks some',
      server: { tags: ['a'], metadata: { k: 'old' } },
      applied: EMPTY_TEMPLATE,
      wanted: { tags: ['a', 'b'], metadata: { k: 'new' } },
      changes: { addTags: ['b'], removeTags: [], setMetadata: { k: 'new' }, removeMetadata: [] },
    },
    {
      reason: 'some were applied and are no longer desired',
      server: { tags: ['a', 'theirs'], metadata: { k: '1', theirs: '1' } },
      applied: { tags: ['a', 'gone'], metadata: ['k', 'gone'] },
      wanted: NO_LABELS,
      changes: { addTags: [], removeTags: ['a'], setMetadata: {}, removeMetadata: ['k'] },
    },
    {
      reason: 'keys that every object inherits are treated like any other',
      server: { tags: [], metadata: {} },
      applied: { tags: [], metadata: ['constructor'] },
      wanted: NO_LABELS,
      changes: undefined,
    },
  ])('$reason', ({ server, applied, wanted, changes }) => {
    expect(labelChanges(server, applied, wanted)).toEqual(changes);
  });
});
