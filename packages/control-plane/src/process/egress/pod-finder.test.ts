import type { Pod } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { podLocationOf } from './pod-finder.ts';

function pod(name: string, { hostNetwork = false, ready = true, hostIP = '10.1.0.5' } = {}): Pod {
  return {
    metadata: { namespace: 'shop', name, uid: `uid-of-${name}` },
    spec: { hostNetwork, containers: [] },
    status: { hostIP, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

test.each<{ pods: readonly Pod[]; found: string | undefined; reason: string }>([
  { pods: [], found: undefined, reason: 'no pod has the address' },
  { pods: [pod('a')], found: 'a', reason: 'the pod has the address itself' },
  { pods: [pod('a', { ready: false })], found: 'a', reason: 'a pod that is not Ready is still found' },
  { pods: [pod('a', { ready: false }), pod('b')], found: 'b', reason: 'a Ready pod takes precedence' },
  { pods: [pod('a', { hostNetwork: true })], found: undefined, reason: 'the pod shares the address of its node' },
  { pods: [pod('a', { hostIP: '' })], found: undefined, reason: 'the pod has no kubelet' },
])('finds $found for the address: $reason', ({ pods, found }) => {
  expect(podLocationOf(pods)?.name).toBe(found);
});
