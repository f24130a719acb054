import { boundedPages } from '@fairway/kube/client/bounded-pages';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { DaemonSet, Pod, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import {
  CSINodes,
  DaemonSets,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
  StorageClasses,
} from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { SnapshotContext } from '@fairway/scheduling/cluster-snapshot';
import { type TenantNode, tenantNodes, trimNode } from '@fairway/tenancy/connection/node';
import {
  trimBudget,
  trimClaim,
  trimCsiNode,
  trimDaemonSet,
  trimNamespace,
  trimPod,
  trimStorageClass,
  trimVolumeObject,
} from '../autoscaling/trim.ts';

/** The part of a pod that matters to an upgrade. */
export interface PodFacts {
  readonly pod: Pod;
  readonly isReady: boolean;
  /** Whether it has data on its node's disk. */
  readonly hasLocalData: boolean;
}

/** The observed contents of a tenant's cluster. */
export interface TenantFacts {
  readonly nodes: readonly TenantNode[];
  readonly pods: readonly PodFacts[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly daemonSets: readonly DaemonSet[];
  /** Namespaces, claims, volumes, storage classes and nodes' volume limits, for placement. */
  readonly context: SnapshotContext;
}

/** Thrown for a cluster with more objects of a kind than Fairway reads. */
export class TooManyObjectsError extends Error {
  override readonly name = 'TooManyObjectsError';
}

/** Five thousand nodes have at most 150,000 pods; clusters here have 500 nodes. */
const MAX_OBJECTS = 30_000;
const MAX_BUDGETS = 2_000;

/**
 * Lists the relevant objects, page by page, and keeps a tenth of their data. Rejects with the tenant
 * API's error, with the signal's reason, or a TooManyObjectsError.
 */
export async function readTenant(client: KubeClient, signal: AbortSignal): Promise<TenantFacts> {
  const all = <T extends KubeObject, R>(type: ResourceType<T>, keep: (object: T) => R, max = MAX_OBJECTS) =>
    listAll(client, type, { keep, max, signal });
  const [nodes, pods, budgets, daemonSets, namespaces, claims, volumes, classes, csiNodes] = await Promise.all([
    all(tenantNodes, trimNode),
    all(Pods, factsOf),
    all(PodDisruptionBudgets, keepBudget, MAX_BUDGETS),
    all(DaemonSets, trimDaemonSet),
    all(Namespaces, trimNamespace),
    all(PersistentVolumeClaims, trimClaim),
    all(PersistentVolumes, trimVolumeObject),
    all(StorageClasses, trimStorageClass),
    all(CSINodes, trimCsiNode),
  ]);
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const reader = readerOf([
    [PersistentVolumeClaims, claims],
    [PersistentVolumes, volumes],
    [StorageClasses, classes],
    [CSINodes, csiNodes],
  ]);
  return {
    nodes,
    pods,
    budgets,
    daemonSets,
    context: { labelsOf: (namespace) => labels.get(namespace) ?? {}, reader },
  };
}

interface ListingOptions<T, R> {
  readonly keep: (object: T) => R;
  readonly max: number;
  readonly signal: AbortSignal;
}

async function listAll<T extends KubeObject, R>(
  client: KubeClient,
  type: ResourceType<T>,
  { keep, max, signal }: ListingOptions<T, R>,
): Promise<R[]> {
  const kept: R[] = [];
  for await (const page of boundedPages(client.resource(type), { signal })) {
    for (const item of page) kept.push(keep(item));
    if (kept.length > max) throw new TooManyObjectsError(`there are more than ${max} ${type.plural}`);
  }
  return kept;
}

function factsOf(pod: Pod): PodFacts {
  const { spec, status } = pod;
  return {
    pod: trimPod(pod),
    isReady:
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false,
    hasLocalData: spec.volumes?.some((volume) => volume.emptyDir ?? volume.hostPath) ?? false,
  };
}

/** The part of a budget that matters to an upgrade, including the reason why it allows no eviction. */
function keepBudget(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { unhealthyPodEvictionPolicy: policy } = budget.spec ?? {};
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = budget.status ?? {};
  const trimmed = trimBudget(budget);
  return {
    ...trimmed,
    spec: { ...trimmed.spec, ...(policy !== undefined && { unhealthyPodEvictionPolicy: policy }) },
    ...(budget.status && {
      status: {
        ...(disruptionsAllowed !== undefined && { disruptionsAllowed }),
        ...(currentHealthy !== undefined && { currentHealthy }),
        ...(desiredHealthy !== undefined && { desiredHealthy }),
        ...(expectedPods !== undefined && { expectedPods }),
      },
    }),
  };
}

function readerOf(
  kinds: readonly (readonly [ResourceType, readonly KubeObject[]])[],
): Pick<ObjectReader, 'get' | 'list'> {
  const keyOf = (namespace: string | undefined, name: string | undefined) => `${namespace ?? ''}/${name}`;
  const byPlural = new Map(
    kinds.map(([{ plural }, objects]) => [
      plural,
      new Map(objects.map((object) => [keyOf(object.metadata.namespace, object.metadata.name), object])),
    ]),
  );
  return {
    // The kind determines the type of the object.
    get: ({ plural }, namespace, name) => byPlural.get(plural)?.get(keyOf(namespace, name)) as never,
    list: ({ plural }, namespace) =>
      [...(byPlural.get(plural)?.values() ?? [])].filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      ) as never,
  };
}
