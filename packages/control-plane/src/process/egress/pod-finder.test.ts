import type { Pod } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { placeOf } from './pod-finder.ts';

function pod(name: string, { hostNetwork = false, ready = true, hostIP = '10.1.0.5' } = {}): Pod {
  return {
    metadata: { namespace: 'shop', name, uid: `uid-of-${name}` },
    spec: { hostNetwork, containers: [] },
    status: { hostIP, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

test.each<{ pods: readonly Pod[]; found: string | undefined; reason: string }>([
  { pods: [], found: undefined, reason: 'nobody has the address' },
  { pods: [pod('a')], found: 'a', reason: 'it is its own' },
  { pods: [pod('a', { ready: false })], found: 'a', reason: 'one that is not Ready may be asked all the same' },
  { pods: [pod('a', { ready: false }), pod('b')], found: 'b', reason: 'of several, the one that serves' },
  { pods: [pod('a', { hostNetwork: true })], found: undefined, reason: "it is its node's" },
  { pods: [pod('a', { hostIP: '' })], found: undefined, reason: 'no kubelet has it' },
])('$reason: $found', ({ pods, found }) => {
  expect(placeOf(pods)?.name).toBe(found);
});
