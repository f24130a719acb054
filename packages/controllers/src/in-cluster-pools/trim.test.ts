import type { InClusterNodePool } from '@fairway/api/kinds/in-cluster-node-pool';
import { expect, it } from 'vitest';
import { mergeBaseOf } from './merge-base.ts';
import { innerStatus } from './status.ts';
import { trimPool } from './trim.ts';

const FACTS = { outer: undefined, outcome: undefined, shown: undefined, nowMs: 0 };

it.each<{ reason: string; status: unknown }>([
  { reason: 'conditions that are not a list', status: { conditions: 'x' } },
  { reason: 'a null condition', status: { conditions: [null] } },
  { reason: 'a null mark', status: { shown: null } },
  { reason: 'a list in place of the status', status: [1, 2] },
  { reason: 'another type of each field', status: { shown: { a: 1 }, phase: 3, conditions: [{ type: 4 }] } },
])('a status from an earlier definition with $reason does no harm', ({ status }) => {
  const pool = trimPool({ metadata: { name: 'general', uid: 'u' }, spec: {}, status } as unknown as InClusterNodePool);

  expect(mergeBaseOf(pool)).toBeUndefined();
  expect(innerStatus({ inner: pool, ...FACTS }).conditions?.map(({ type }) => type)).toEqual(['Accepted', 'Ready']);
});
