import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Nodes } from '@fairway/kube/kinds/resources';

const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

/** A Ready node as its kubelet registers it where a cloud provider is to initialize it. */
export async function makeNodeByHand(client: KubeClient, name: string): Promise<void> {
  const nodes = client.resource(Nodes);
  await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints: [UNINITIALIZED] } });
  // Whether the server of one that is not Ready exists is asked every 5 s.
  const value = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
  await nodes.patch(name, { type: 'strategic', value }, { subresource: 'status' });
}
