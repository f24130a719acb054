import type { CatalogueFlavor } from '@fairway/api/admission/cloud-catalogue';
import { findByIdOrName } from '@fairway/api/admission/references';
import { maxPodsOf } from '@fairway/api/domain/kubelet-settings';
import { poolZones } from '@fairway/api/domain/pool-zones';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { labelValue } from '@fairway/kube/object/label-value';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isNodeReady, type TenantNode } from '@fairway/tenancy/connection/node';
import type { ControllerDependencies } from '../dependencies.ts';
import { nodeTemplate } from './node-template.ts';
import type { NewNode } from './scale-up.ts';

/** How to create a node of each pool; pools with an unknown flavor are omitted. */
export type PoolTemplates = ReadonlyMap<NodePool, (name: string, zone: string | undefined) => NewNode>;

interface TemplateSources {
  readonly cluster: Cluster;
  readonly pools: readonly NodePool[];
  readonly plan: Plan | undefined;
  readonly nodes: readonly TenantNode[];
  readonly daemonSets: readonly DaemonSet[];
  readonly signal: AbortSignal;
}

/** Flavors do not change, but new ones are added. */
const FLAVORS_MAX_AGE_MS = 600_000;
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const INSTANCE_TYPE_LABEL = 'node.kubernetes.io/instance-type';

export async function newNodesOf(
  { clouds, clock }: Pick<ControllerDependencies, 'clouds' | 'clock'>,
  { cluster, pools, plan, nodes, daemonSets, signal }: TemplateSources,
): Promise<PoolTemplates> {
  const [first] = pools;
  const cloud = first && clouds.of(clusterKeyOf(first), cluster.spec.credentialName);
  if (cloud === undefined || plan === undefined) return new Map();
  // While the cloud is unreachable, its last response is used.
  const listed = cloud.cache.flavors
    .refreshAfter(clock.now() - FLAVORS_MAX_AGE_MS, signal)
    .catch(() => cloud.cache.flavors.snapshot());
  const flavors = [...(await listed).items.values()];
  return templatesFrom(
    flavors.map(({ id, name, vcpus, ram, disk }) => ({ id, name, vcpus, memoryMiB: ram, diskGiB: disk })),
    { region: cloud.region, plan, pools, nodes, daemonSets },
  );
}

/** Like `newNodesOf`, but from known flavors. Pure. */
export function templatesFrom(
  flavors: readonly CatalogueFlavor[],
  {
    region,
    plan,
    pools,
    nodes,
    daemonSets,
  }: Pick<TemplateSources, 'pools' | 'nodes' | 'daemonSets'> & { readonly region: string; readonly plan: Plan },
): PoolTemplates {
  const zones = new Set(nodes.map(({ metadata }) => metadata.labels?.[ZONE_LABEL]));
  const [defaultZone] = zones.size === 1 ? zones : [];
  const templates = new Map<NodePool, (name: string, zone: string | undefined) => NewNode>();
  for (const pool of pools) {
    const flavor = findByIdOrName(flavors, pool.spec.flavor);
    if (flavor === undefined) continue;
    const { name, vcpus, memoryMiB, diskGiB } = flavor;
    const facts = {
      pool,
      flavor: { name, vcpus, memoryMiB, diskGiB: pool.spec.rootVolume?.sizeGiB ?? diskGiB },
      maxPods: maxPodsOf(pool.spec.kubelet, plan),
      region,
      defaultZone: poolZones(pool).length === 0 ? defaultZone : undefined,
      sampleNode: nodes.find((node) => hasPoolLabels(pool, flavor, node)),
      daemonSets,
    };
    templates.set(pool, nodeTemplate(facts));
  }
  return templates;
}

/** Whether a node represents the pool; nodes with the pool's previous flavor do not. */
function hasPoolLabels(
  { metadata }: NodePool,
  flavor: { readonly id: string; readonly name: string },
  node: TenantNode,
): boolean {
  const instanceType = node.metadata.labels?.[INSTANCE_TYPE_LABEL];
  return (
    (instanceType === undefined || instanceType === labelValue(flavor.name) || instanceType === flavor.id) &&
    node.metadata.labels?.[NODE_POOL_LABEL] === metadata.name &&
    node.status?.allocatable !== undefined &&
    isNodeReady(node)
  );
}
