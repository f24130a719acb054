import { describe, expect, test } from 'vitest';
import { type BothSides, type ClusterSideView, decide, type ManagementView } from './decision.ts';

const A: ManagementView = { identity: 'pool', generation: 1, hash: 'a', isDeleting: false };
const B: ManagementView = { ...A, generation: 2, hash: 'b' };
/** An object that shows `A`. */
const asA: ClusterSideView = { hash: 'a', shown: A, isDeleting: false };
const changed: ClusterSideView = { ...asA, hash: 'c' };
const unread: ClusterSideView = { ...asA, hash: undefined };
const made: ClusterSideView = { hash: 'c', shown: undefined, isDeleting: false };

interface Row {
  readonly reason: string;
  readonly outer?: ManagementView;
  readonly inner?: ClusterSideView;
  readonly isDefinitionEnding?: boolean;
  readonly leads: string;
}

const ROWS: readonly Row[] = [
  { reason: 'nothing is anywhere', leads: 'none' },
  { reason: 'the cluster has not seen the pool', outer: A, leads: 'show' },
  { reason: 'an object that is missing deletes no pool', outer: B, leads: 'show' },
  { reason: 'the pool goes anyway', outer: { ...A, isDeleting: true }, leads: 'none' },
  { reason: 'there is no definition to make it of', outer: A, isDefinitionEnding: true, leads: 'none' },

  { reason: 'both are the same', outer: A, inner: asA, leads: 'settle' },
  { reason: 'only the pool has changed', outer: B, inner: asA, leads: 'show' },
  { reason: 'only the object has changed', outer: A, inner: changed, leads: 'change' },
  { reason: 'what cannot be read is a change, to be refused', outer: A, inner: unread, leads: 'change' },
  { reason: 'both have changed', outer: B, inner: changed, leads: 'refuse changed' },
  { reason: 'both have changed to the same', outer: B, inner: { ...asA, hash: 'b' }, leads: 'settle' },
  {
    reason: 'the pool has changed and was changed back',
    outer: { ...A, generation: 3 },
    inner: changed,
    leads: 'change',
  },
  {
    reason: 'another pool has its name by now, and nobody has asked for anything',
    outer: { ...B, identity: 'other' },
    inner: asA,
    leads: 'show',
  },
  {
    reason: 'what was asked for was about another pool',
    outer: { ...A, identity: 'other', hash: 'b' },
    inner: changed,
    leads: 'refuse changed',
  },
  { reason: 'a database that was set back shows what the pool was', outer: B, inner: asA, leads: 'show' },

  { reason: 'somebody makes a pool in the cluster', inner: made, leads: 'create' },
  { reason: 'he makes one that is there', outer: A, inner: made, leads: 'refuse exists' },
  { reason: 'he makes it just as it is', outer: A, inner: { ...made, hash: 'a' }, leads: 'settle' },
  {
    reason: 'he makes one whose name is not free yet',
    outer: { ...A, isDeleting: true },
    inner: made,
    leads: 'none',
  },
  { reason: 'the pool has gone', inner: asA, leads: 'withdraw' },
  { reason: 'the pool has gone, whatever was asked of it', inner: changed, leads: 'withdraw' },
  { reason: 'the pool is going', outer: { ...A, isDeleting: true }, inner: asA, leads: 'withdraw' },

  {
    reason: 'somebody deletes the pool in the cluster',
    outer: A,
    inner: { ...asA, isDeleting: true },
    leads: 'delete',
  },
  {
    reason: 'he changed it before, which no longer matters',
    outer: A,
    inner: { ...changed, isDeleting: true },
    leads: 'delete',
  },
  {
    reason: 'the pool has changed since he saw it',
    outer: B,
    inner: { ...asA, isDeleting: true },
    leads: 'refuse changed',
  },
  {
    reason: 'the pool goes already',
    outer: { ...A, isDeleting: true },
    inner: { ...asA, isDeleting: true },
    leads: 'none',
  },
  { reason: 'the pool has gone', inner: { ...asA, isDeleting: true }, leads: 'release' },
  {
    reason: 'another pool has its name by now',
    outer: { ...A, identity: 'other' },
    inner: { ...asA, isDeleting: true },
    leads: 'release',
  },
  {
    reason: 'it never stood for a pool',
    outer: A,
    inner: { ...made, isDeleting: true },
    leads: 'release',
  },
  {
    reason: 'the definition takes it along, which nobody has asked for',
    outer: A,
    inner: { ...asA, isDeleting: true },
    isDefinitionEnding: true,
    leads: 'release',
  },
  {
    reason: 'nobody asks for anything of a definition that goes',
    outer: A,
    inner: changed,
    isDefinitionEnding: true,
    leads: 'none',
  },
];

describe('of the two sides of a pool', () => {
  test.each(ROWS)('$reason: $leads', ({ outer, inner, isDefinitionEnding = false, leads }) => {
    const decision = decide({ outer, inner, isDefinitionEnding } satisfies BothSides);

    expect([decision.kind, ...('because' in decision ? [decision.because] : [])].join(' ')).toBe(leads);
  });
});
