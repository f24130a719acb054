import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import type { APIService, DaemonSet, Deployment } from '@fairway/kube/kinds/generated/types';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Addon } from './addon.ts';

/**
 * The health of an add-on's workload:
 * - `unseen`: the cluster's own controllers have not seen it yet;
 * - `waiting`: the cluster has no nodes for it;
 * - `offline`: no node is usable, because none has a pod network yet;
 * - `updating`: it runs, but partly at the previous version;
 * - `failing`: it runs at the current version, but does not work;
 * - `unserved`: it runs, but the API that it serves is not available;
 * - `working`.
 */
export type Health = 'unseen' | 'waiting' | 'offline' | 'updating' | 'failing' | 'unserved' | 'working';

/** The nodes of a cluster. */
export interface NodeCounts {
  readonly total: number;
  readonly ready: number;
  /** Nodes that are not Ready only because they have no pod network. */
  readonly withoutNetwork: number;
}

/**
 * The health of a workload. Nodes that are not Ready do not affect it, except that nodes without a pod network count
 * against the add-on that provides the network.
 */
export function healthOf(
  { workload: { type }, isNetwork = false }: Pick<Addon, 'workload' | 'isNetwork'>,
  workload: KubeObject,
  nodes: NodeCounts,
): Health {
  const counts = isNetwork
    ? { total: nodes.total, ready: nodes.ready + nodes.withoutNetwork, withoutNetwork: 0 }
    : nodes;
  if (type.kind === 'CustomResourceDefinition') return definitionHealth(workload as CustomResourceDefinition);
  if (type.kind === 'ValidatingAdmissionPolicy') return 'working';
  if (type.kind === 'DaemonSet') return daemonSetHealth(workload as DaemonSet, counts);
  return deploymentHealth(workload as Deployment, counts);
}

/**
 * The health of an add-on that also serves an API: `health` is its workload's health, and `registration` is its
 * APIService.
 */
export function servingHealth(health: Health, registration: KubeObject | undefined): Health {
  const conditions = (registration as APIService | undefined)?.status?.conditions;
  const isAvailable = conditions?.some(({ type, status }) => type === 'Available' && status === 'True') === true;
  return health === 'working' && !isAvailable ? 'unserved' : health;
}

function daemonSetHealth({ metadata, status }: DaemonSet, nodes: NodeCounts): Health {
  if (!isObserved(metadata, status)) return 'unseen';
  if (nodes.ready === 0) return healthWithoutNodes(nodes);
  const unavailableNodes = Math.max(nodes.total - nodes.ready, 0);
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberReady = 0 } = status ?? {};
  if (updatedNumberScheduled + unavailableNodes < desiredNumberScheduled) return 'updating';
  return numberReady + unavailableNodes < desiredNumberScheduled ? 'failing' : 'working';
}

function deploymentHealth({ metadata, spec, status }: Deployment, nodes: NodeCounts): Health {
  if (!isObserved(metadata, status)) return 'unseen';
  if (nodes.ready === 0) return healthWithoutNodes(nodes);
  const isAvailable = status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True');
  if (!isAvailable) return 'failing';
  return (status?.updatedReplicas ?? 0) < (spec.replicas ?? 1) ? 'updating' : 'working';
}

function definitionHealth({ status }: CustomResourceDefinition): Health {
  const isServed = status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
  return isServed ? 'working' : 'unseen';
}

function healthWithoutNodes({ withoutNetwork }: NodeCounts): Health {
  return withoutNetwork > 0 ? 'offline' : 'waiting';
}

function isObserved(
  { generation = 0 }: KubeObject['metadata'],
  status: { readonly observedGeneration?: number } | undefined,
): boolean {
  return status?.observedGeneration !== undefined && status.observedGeneration >= generation;
}
