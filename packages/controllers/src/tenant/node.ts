import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** What Fairway keeps of a tenant's Node. */
export interface TenantNode extends KubeObject {
  spec?: {
    providerID?: string;
    unschedulable?: boolean;
    taints?: readonly NodeTaint[];
  };
  status?: {
    conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
    addresses?: readonly { type: string; address: string }[];
    nodeInfo?: { kubeletVersion: string };
  };
}

export interface NodeTaint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

export const tenantNodes: ResourceType<TenantNode> = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
};

/** Drops what nobody here reads: images, volumes, capacity and heartbeats make up most of a Node. */
export function trimNode(node: TenantNode): TenantNode {
  const { name, uid, labels, annotations, resourceVersion, creationTimestamp, deletionTimestamp } = node.metadata;
  const ready = nodeReadyCondition(node);
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    ...(node.spec && { spec: node.spec }),
    status: {
      ...(node.status?.nodeInfo && { nodeInfo: { kubeletVersion: node.status.nodeInfo.kubeletVersion } }),
      ...(node.status?.addresses && { addresses: node.status.addresses }),
      conditions: ready
        ? [{ type: ready.type, status: ready.status, ...(ready.message !== undefined && { message: ready.message }) }]
        : [],
    },
  };
}

export function nodeReadyCondition(node: TenantNode) {
  return node.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Set by the kubelet until a cloud provider has given the node its address, zone and providerID. */
export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Ready as the kubelet says, and known to the cloud provider: pods can run. */
export function isNodeReady(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True' && !isUninitialized(node);
}

export function isUninitialized(node: TenantNode): boolean {
  return node.spec?.taints?.some(({ key }) => key === UNINITIALIZED_TAINT) ?? false;
}
