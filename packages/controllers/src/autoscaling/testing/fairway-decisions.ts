import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import {
  DaemonSets,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
} from '@fairway/kube/kinds/resources';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { AutoscalingScenario } from '../../testing/autoscaling-scenario.ts';
import { TEAM } from '../../testing/test-fairway.ts';
import { nodeTemplate } from '../node-template.ts';
import type { Outcome, Situation } from './situation.ts';
import {
  budgetsOf,
  daemonSetsOf,
  namesOfNodes,
  outcomeOf,
  podsOf,
  poolsOf,
  type SituationPod,
  volumesOf,
} from './situation-objects.ts';

const MINUTE_MS = 60_000;
/** The flavors of the simulated cloud. */
const FLAVORS: Readonly<Record<string, { readonly vcpus: number; readonly memoryMiB: number }>> = {
  'b3-8': { vcpus: 2, memoryMiB: 8 * 1024 },
  'b3-16': { vcpus: 4, memoryMiB: 16 * 1024 },
  'c3-4': { vcpus: 2, memoryMiB: 4 * 1024 },
  'c3-32': { vcpus: 16, memoryMiB: 32 * 1024 },
};

const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true };

/**
 * The decisions of Fairway's autoscaling controller half an hour later, with all scenarios in one cluster on a
 * simulated cloud.
 */
export async function decideWithFairway(situations: readonly Situation[]): Promise<ReadonlyMap<string, Outcome>> {
  await using scenario = await AutoscalingScenario.begin();
  const { clock, fairway, tenant } = scenario;
  fairway.joinsNodes = false;
  const joins: Promise<void>[] = [];
  fairway.cloud.onServerActive(({ name, tags }) => {
    const owner = serverOwner({ tags });
    if (owner) joins.push(join(scenario, owner.clusterUid, name));
  });
  await tenant
    .resource(Namespaces)
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' }, spec: {} });
  for (const situation of situations) {
    const { outOfStock } = situation;
    if (outOfStock) fairway.cloud.faults.add({ times: null, action: { kind: 'outOfStock', flavor: outOfStock } });
    for (const { name, spec } of poolsOf(situation)) await fairway.createPool(spec, name);
  }
  await clock.pass(2 * MINUTE_MS);
  const nodes = namesOfNodes(await fairway.machines());
  for (const situation of situations) {
    for (const placed of podsOf(situation, nodes)) await createPod(tenant, placed, isBarePod(situation, placed));
    await createOtherObjects(tenant, situation);
  }
  await clock.pass(MINUTE_MS);
  const { items } = await fairway.client.resource(nodePools).list({ namespace: TEAM });
  for (const { metadata } of items) {
    await fairway.patch(nodePools, metadata.name ?? '', { spec: { autoscaling: { enabled: true } } });
  }
  await clock.pass(30 * MINUTE_MS);
  await Promise.all(joins);
  const after = {
    pools: (await fairway.client.resource(nodePools).list({ namespace: TEAM })).items,
    machines: (await fairway.client.resource(machines).list({ namespace: TEAM })).items,
    nodes,
  };
  return new Map(situations.map((situation) => [situation.key, outcomeOf(situation, after)]));
}

/** Creates the node the way kubelet and the cloud provider would. */
async function join({ fairway, tenant }: AutoscalingScenario, clusterUid: string, name: string): Promise<void> {
  await fairway.runtime.join(clusterUid, name);
  const machine = (await fairway.machines()).find(({ metadata }) => metadata.name === name);
  const pool = await fairway.client.resource(nodePools).get(machine?.spec.nodePoolName ?? '', { namespace: TEAM });
  const flavor = { name: pool.spec.flavor, diskGiB: 50, ...(FLAVORS[pool.spec.flavor] ?? { vcpus: 0, memoryMiB: 0 }) };
  const facts = {
    pool,
    flavor,
    maxPods: 110,
    region: 'RegionOne',
    defaultZone: 'nova-a',
    sampleNode: undefined,
    daemonSets: [],
  };
  const { node } = nodeTemplate(facts)(name, machine?.spec.zone);
  const client = tenant.resource(tenantNodes);
  const { labels } = node.metadata;
  await client.patch(name, { type: 'merge', value: { metadata: { labels }, spec: { taints: node.spec?.taints } } });
  await client.patch(name, { type: 'merge', value: { status: node.status } }, { subresource: 'status' });
}

function isBarePod({ key, workloads }: Situation, { pod }: SituationPod): boolean {
  const app = pod.metadata.labels?.['app'] ?? '';
  return workloads[app.slice(key.length + 1)]?.isBare ?? false;
}

/** Creates the pod with the status that its controller, the scheduler and kubelet would report. */
async function createPod(tenant: KubeClient, placed: SituationPod, isBare: boolean): Promise<void> {
  const { pod, isWaiting, isBeingDeleted } = placed;
  const pods = tenant.resource(Pods);
  const { name = '', namespace = '' } = pod.metadata;
  // No kubelet terminates evicted pods here.
  const spec = { ...pod.spec, terminationGracePeriodSeconds: 0 };
  await pods.create({ ...pod, metadata: { ...pod.metadata, ...(!isBare && { ownerReferences: [OWNER] }) }, spec });
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  const status = isWaiting ? { phase: 'Pending', conditions: [unschedulable] } : { phase: 'Running' };
  await pods.patch(name, { type: 'merge', value: { status } }, { namespace, subresource: 'status' });
  if (isBeingDeleted) await pods.delete(name, { namespace });
}

async function createOtherObjects(tenant: KubeClient, situation: Situation): Promise<void> {
  for (const daemonSet of daemonSetsOf(situation)) await tenant.resource(DaemonSets).create(daemonSet);
  for (const { volume, claim } of volumesOf(situation)) {
    await tenant.resource(PersistentVolumes).create(volume);
    await tenant.resource(PersistentVolumeClaims).create(claim);
    const { name = '', namespace = '' } = claim.metadata;
    const value = { status: { phase: 'Bound' } };
    await tenant
      .resource(PersistentVolumeClaims)
      .patch(name, { type: 'merge', value }, { namespace, subresource: 'status' });
  }
  for (const budget of budgetsOf(situation)) {
    const { name = '', namespace = '' } = budget.metadata;
    await tenant.resource(PodDisruptionBudgets).create(budget);
    const running = situation.workloads[name.slice(situation.key.length + 1)]?.on?.length ?? 0;
    const disruptionsAllowed = Math.max(0, running - Number(budget.spec?.minAvailable));
    const status = { disruptionsAllowed, currentHealthy: running, desiredHealthy: running, expectedPods: running };
    await tenant
      .resource(PodDisruptionBudgets)
      .patch(name, { type: 'merge', value: { status } }, { namespace, subresource: 'status' });
  }
}
