import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Nodes } from '@fairway/kube/kinds/resources';

const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

/** Creates a Ready node as its kubelet registers it for initialization by a cloud provider. */
export async function createManualNode(client: KubeClient, name: string): Promise<void> {
  const nodes = client.resource(Nodes);
  await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints: [UNINITIALIZED] } });
  // The server of a node that is not Ready is looked up every 5 s.
  const value = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
  await nodes.patch(name, { type: 'strategic', value }, { subresource: 'status' });
}
