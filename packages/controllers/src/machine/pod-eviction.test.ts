import { expect, test } from 'vitest';
import { type DrainedPod, podsToEvict } from './pod-eviction.ts';

const STARTED = '2026-01-01T00:10:00Z';
const BEFORE = '2026-01-01T00:00:00Z';
const SINCE = '2026-01-01T00:10:02Z';
const ALL_TAINTS = { operator: 'Exists' };

function aPod(creationTimestamp: string, spec: DrainedPod['spec'] = {}): DrainedPod {
  return { metadata: { name: 'web', namespace: 'default', creationTimestamp }, spec };
}

test.each([
  { pod: aPod(BEFORE), is: true, reason: 'it was there' },
  { pod: aPod(SINCE), is: true, reason: 'it has come before its node was cordoned' },
  { pod: aPod(BEFORE, { tolerations: [ALL_TAINTS] }), is: true, reason: 'it may run elsewhere, too' },
  { pod: aPod(SINCE, { tolerations: [ALL_TAINTS] }), is: false, reason: 'it would come back again' },
  {
    pod: aPod(SINCE, { tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }),
    is: false,
    reason: 'it tolerates this one',
  },
  {
    pod: aPod(SINCE, { tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] }),
    is: true,
    reason: 'it tolerates others',
  },
  {
    pod: aPod(SINCE, {
      tolerations: [ALL_TAINTS],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    }),
    is: true,
    reason: 'a volume goes before its node',
  },
])('$pod.metadata.creationTimestamp with $pod.spec.tolerations is evicted: $is: $reason', ({ pod, is }) => {
  expect(podsToEvict([pod], STARTED)).toEqual(is ? [pod] : []);
});
