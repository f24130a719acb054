import { expect, test } from 'vitest';
import { describeUnready } from './unready-node.ts';

const NO_NETWORK = 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady';
const uninitialized = { taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }] };

test.each([
  { ready: { status: 'False', message: NO_NETWORK }, says: /^the node is waiting for the pod network: / },
  { ready: { status: 'False', message: 'disk is full' }, says: /^the node is not ready: disk is full$/ },
  { ready: { status: 'Unknown', message: NO_NETWORK }, says: /^the node is not ready: container runtime/ },
  { ready: { status: 'True', message: '' }, spec: uninitialized, says: /cloud provider has not initialised it yet$/ },
  { ready: { status: 'False' }, spec: uninitialized, says: /^the node is not ready yet$/ },
])('nodeReady $ready.status "$ready.message" is reported as $says', ({ ready, spec, says }) => {
  const conditions = [{ type: 'Ready', ...ready }];
  expect(describeUnready({ metadata: {}, ...(spec && { spec }), status: { conditions } })).toMatch(says);
});
