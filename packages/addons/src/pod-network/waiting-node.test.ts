import { expect, test } from 'vitest';
import { waitsForNetwork } from './waiting-node.ts';

const CONTAINERD =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

test.each([
  { ready: { status: 'False', message: CONTAINERD }, is: true },
  { ready: { status: 'False', message: `[${CONTAINERD}, CSINode is not yet initialized]` }, is: true },
  { ready: { status: 'True', message: CONTAINERD }, is: false },
  { ready: { status: 'Unknown', message: 'Kubelet stopped posting node status.' }, is: false },
  { ready: { status: 'False', message: 'container runtime is down' }, is: false },
  { ready: { status: 'False' }, is: false },
  { ready: undefined, is: false },
])('$ready.status $ready.message: $is', ({ ready, is }) => {
  expect(waitsForNetwork(ready)).toBe(is);
});
