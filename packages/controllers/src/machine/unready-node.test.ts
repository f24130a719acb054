import { expect, test } from 'vitest';
import { describeUnready } from './unready-node.ts';

const NO_NETWORK = 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady';
const uninitialized = { taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }] };

test.each([
  { ready: { status: 'False', message: NO_NETWORK }, expectedMessage: /^the node is waiting for the pod network: / },
  { ready: { status: 'False', message: 'disk is full' }, expectedMessage: /^the node is not ready: disk is full$/ },
  { ready: { status: 'Unknown', message: NO_NETWORK }, expectedMessage: /^the node is not ready: container runtime/ },
  {
    ready: { status: 'True', message: '' },
    spec: uninitialized,
    expectedMessage: /cloud provider has not initialised it yet$/,
  },
  { ready: { status: 'False' }, spec: uninitialized, expectedMessage: /^the node is not ready yet$/ },
])('nodeReady $ready.status "$ready.message" is reported as $expectedMessage', ({ ready, spec, expectedMessage }) => {
  const conditions = [{ type: 'Ready', ...ready }];
  expect(describeUnready({ metadata: {}, ...(spec && { spec }), status: { conditions } })).toMatch(expectedMessage);
});
