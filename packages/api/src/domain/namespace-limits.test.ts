import { expect, test } from 'vitest';
import { bytesProblem, DEFAULT_NAMESPACE_LIMITS, numberProblem } from './namespace-limits.ts';

const LIMITS = { ...DEFAULT_NAMESPACE_LIMITS, maxSecretsPerNamespace: 3, maxOtherObjectsPerNamespace: 2 };

test.each([
  ['secrets', 2, undefined],
  ['secrets', 3, 'limits.maxSecretsPerNamespace'],
  ['clusters.fairway.dev', 3, undefined],
  ['clusters.fairway.dev', 100, 'limits.maxClustersPerNamespace'],
  ['leases.coordination.k8s.io', 1, undefined],
  ['leases.coordination.k8s.io', 2, 'limits.maxOtherObjectsPerNamespace'],
  // Only Fairway makes them.
  ['machines.fairway.dev', 100_000, undefined],
])('%s, of which there are %i', (resource, count, limit) => {
  const problem = numberProblem(LIMITS, { namespace: 'team', resource, count });

  const words = limit === undefined ? [] : [`has ${count} ${resource}`, limit];
  expect(problem === undefined).toBe(limit === undefined);
  for (const word of words) expect(problem).toContain(word);
});

test.each([
  { used: 90, added: 10, isRefused: false, reason: 'exactly full' },
  { used: 90, added: 11, isRefused: true, reason: 'one byte too many' },
  { used: 200, added: 0, isRefused: false, reason: 'a lowered limit leaves what exists' },
  { used: 200, added: -5, isRefused: false, reason: 'it shrinks' },
])('$used bytes and $added more: $reason', ({ used, added, isRefused }) => {
  const problem = bytesProblem({ ...LIMITS, maxObjectBytesPerNamespace: 100 }, { namespace: 'team', used, added });

  expect(problem !== undefined).toBe(isRefused);
});
