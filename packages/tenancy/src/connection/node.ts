import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';

/** The fields of a tenant's Node that Fairway caches. */
export interface TenantNode extends KubeObject {
  spec?: {
    providerID?: string;
    podCIDR?: string;
    unschedulable?: boolean;
    taints?: readonly NodeTaint[];
  };
  status?: {
    conditions?: readonly NodeCondition[];
    addresses?: readonly { type: string; address: string }[];
    nodeInfo?: { kubeletVersion: string; bootID?: string };
    allocatable?: Record<string, string>;
  };
}

interface NodeCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
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

/**
 * Maximum length of messages from a kubelet: they are copied into conditions, and anyone with the kubelet's certificate
 * can write anything there.
 */
const MAX_MESSAGE_LENGTH = 1024;
const MAX_REASON_LENGTH = 64;
const MAX_TIME_LENGTH = 64;
const MAX_VERSION_LENGTH = 64;
const MAX_BOOT_ID_LENGTH = 64;
/** The maximum number of cached addresses of a Node; Fairway assigns no more. */
export const MAX_NODE_ADDRESSES = 32;
const MAX_RESOURCES = 32;
const MAX_RESOURCE_LENGTH = 320;

/** Drops unused fields: images, volumes, capacity and heartbeats make up most of a Node. */
export function trimNode(node: TenantNode): TenantNode {
  const { name, uid, labels, annotations, resourceVersion, creationTimestamp, deletionTimestamp } = node.metadata;
  const requiredConditions = [nodeReadyCondition(node), networkUnavailable(node)].filter(
    (condition) => condition !== undefined,
  );
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
      ...(node.status?.nodeInfo && {
        nodeInfo: {
          kubeletVersion: node.status.nodeInfo.kubeletVersion.slice(0, MAX_VERSION_LENGTH),
          ...(node.status.nodeInfo.bootID && { bootID: node.status.nodeInfo.bootID.slice(0, MAX_BOOT_ID_LENGTH) }),
        },
      }),
      ...(node.status?.addresses && { addresses: node.status.addresses.slice(0, MAX_NODE_ADDRESSES) }),
      conditions: requiredConditions.map(trimCondition),
      ...(node.status?.allocatable && { allocatable: trimResources(node.status.allocatable) }),
    },
  };
}

function trimResources(resources: Readonly<Record<string, string>>): Record<string, string> {
  const short = ([name, amount]: [string, string]) =>
    name.length <= MAX_RESOURCE_LENGTH && amount.length <= MAX_RESOURCE_LENGTH;
  return Object.fromEntries(Object.entries(resources).filter(short).slice(0, MAX_RESOURCES));
}

function trimCondition({ type, status, reason, message, lastTransitionTime }: NodeCondition): NodeCondition {
  return {
    type,
    status,
    ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON_LENGTH) }),
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_LENGTH) }),
    ...(lastTransitionTime && { lastTransitionTime: lastTransitionTime.slice(0, MAX_TIME_LENGTH) }),
  };
}

export function nodeReadyCondition(node: TenantNode) {
  return node.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** The cloud provider's condition about a node's routes; absent if the cloud provider creates no routes. */
export function networkUnavailable(node: TenantNode): NodeCondition | undefined {
  return node.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
}

/** Set by the kubelet until a cloud provider has set the node's address, zone and providerID. */
export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';

/** Ready and initialized by the cloud provider: pods can run. */
export function isNodeReady(node: TenantNode): boolean {
  return nodeReadyCondition(node)?.status === 'True' && !isUninitialized(node);
}

export function isUninitialized(node: TenantNode): boolean {
  return node.spec?.taints?.some(({ key }) => key === UNINITIALIZED_TAINT) ?? false;
}

/**
 * Whether the node's spec.providerID names a server other than its machine's. The kubelet sets it at registration and
 * it is immutable, so it must not be trusted.
 */
export function claimsOtherServer(node: TenantNode, serverID: string): boolean {
  const claimedServerID = node.spec?.providerID;
  return Boolean(claimedServerID) && claimedServerID?.slice(claimedServerID.lastIndexOf('/') + 1) !== serverID;
}
