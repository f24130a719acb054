import { expect, test } from 'vitest';
import { countProblem, DEFAULT_NAMESPACE_LIMITS, sizeProblem } from './namespace-limits.ts';

const LIMITS = { ...DEFAULT_NAMESPACE_LIMITS, maxSecretsPerNamespace: 3, maxOtherObjectsPerNamespace: 2 };

test.each([
  ['secrets', 2, undefined],
  ['secrets', 3, 'limits.maxSecretsPerNamespace'],
  ['clusters.fairway.dev', 3, undefined],
  ['clusters.fairway.dev', 100, 'limits.maxClustersPerNamespace'],
  ['leases.coordination.k8s.io', 1, undefined],
  ['leases.coordination.k8s.io', 2, 'limits.maxOtherObjectsPerNamespace'],
  // Only Fairway creates these.
  ['machines.fairway.dev', 100_000, undefined],
])('checks the limit for %s with %i objects', (resource, count, limit) => {
  const problem = countProblem(LIMITS, { namespace: 'team', resource, count });

  const words = limit === undefined ? [] : [`has ${count} ${resource}`, limit];
  expect(problem === undefined).toBe(limit === undefined);
  for (const word of words) expect(problem).toContain(word);
});

test.each([
  { used: 90, added: 10, isRefused: false, reason: 'exactly full' },
  { used: 90, added: 11, isRefused: true, reason: 'one byte too many' },
  { used: 200, added: 0, isRefused: false, reason: 'a lowered limit does not affect existing objects' },
  { used: 200, added: -5, isRefused: false, reason: 'the object shrinks' },
])('validates a write of $added bytes after $used: $reason', ({ used, added, isRefused }) => {
  const problem = sizeProblem({ ...LIMITS, maxObjectBytesPerNamespace: 100 }, { namespace: 'team', used, added });

  expect(problem !== undefined).toBe(isRefused);
});
