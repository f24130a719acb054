import { expect, test } from 'vitest';
import { lacksOnlyNetwork } from './waiting-node.ts';

const CONTAINERD_MESSAGE =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

test.each([
  { ready: { status: 'False', message: CONTAINERD_MESSAGE }, is: true },
  { ready: { status: 'False', message: `[${CONTAINERD_MESSAGE}, CSINode is not yet initialized]` }, is: true },
  { ready: { status: 'True', message: CONTAINERD_MESSAGE }, is: false },
  { ready: { status: 'Unknown', message: 'Kubelet stopped posting node status.' }, is: false },
  { ready: { status: 'False', message: 'container runtime is down' }, is: false },
  { ready: { status: 'False' }, is: false },
  { ready: undefined, is: false },
])('condition $ready.status $ready.message means that only the network is missing: $is', ({ ready, is }) => {
  expect(lacksOnlyNetwork(ready)).toBe(is);
});
