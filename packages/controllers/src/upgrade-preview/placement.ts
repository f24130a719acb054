import { ConditionReason } from '@fairway/api/conditions';
import { poolZones } from '@fairway/api/domain/pool-zones';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { UpgradeFinding } from '@fairway/api/kinds/upgrade-plan-request';
import { ClusterSnapshot } from '@fairway/scheduling/cluster-snapshot';
import { removalSteps } from '@fairway/scheduling/node-removal';
import { isNodeReady } from '@fairway/tenancy/connection/node';
import { asNode } from '../autoscaling/cluster-view.ts';
import type { PoolTemplates } from '../autoscaling/pool-templates.ts';
import type { Yield } from './pace.ts';
import { isReplaced, type OutdatedMachine, type PoolUpdate } from './pool-updates.ts';
import type { TenantFacts } from './tenant-facts.ts';
import { truncateObjects } from './truncate-objects.ts';
import { nodeNameOf } from './workloads.ts';

export interface PlacementFacts extends Pick<TenantFacts, 'nodes' | 'context'> {
  readonly pods: Iterable<TenantFacts['pods'][number]>;
  /** How to create a node of a pool; unknown if missing. */
  readonly templates: PoolTemplates;
}

/**
 * Pods that a scheduler could not place while nodes are unavailable. The first node is updated alone, then as many at a
 * time as the pool permits; each batch includes its surge nodes. Returning nodes are equivalent to the previous ones,
 * so each round starts with the current cluster.
 */
export async function placementFindings(
  renewals: readonly PoolUpdate[],
  { nodes, pods, context, templates }: PlacementFacts,
  pause: Yield,
): Promise<UpgradeFinding[]> {
  const staying = nodes.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const snapshot = ClusterSnapshot.of(
    staying.map((node) => asNode(node, !isNodeReady(node))),
    [...pods].map(({ pod }) => pod),
    context,
  );
  const findings: UpgradeFinding[] = [];
  for (const renewal of renewals) {
    const { name, pool } = renewal;
    const stuck = new Map<string, string>();
    for (const batch of batchesOf(renewal)) {
      await pause();
      const found = await stuckPods(snapshot, batch, { renewal, templates, pause });
      for (const [pod, message] of found) stuck.set(pod, message);
    }
    if (stuck.size > 0) findings.push(findingOf(name, stuck));
    if (createsNodesFirst(renewal) && !templates.has(pool)) findings.push(unknownTemplate(name));
  }
  return findings;
}

function findingOf(pool: string, stuckPods: ReadonlyMap<string, string>): UpgradeFinding {
  const message = `pool ${pool}: these pods fit on no other node while their node is being updated, and stay pending until it is back or until there is room`;
  const objects = truncateObjects([...stuckPods].map(([pod, why]) => `${pod}: ${why}`));
  return { type: ConditionReason.PodsUnschedulable, effect: 'Loses', pool, message, ...objects };
}

function unknownTemplate(pool: string): UpgradeFinding {
  const message = `pool ${pool}: the capacity of its new nodes is not known, because the cloud does not report its flavor; pods were placed without them`;
  return { type: ConditionReason.FlavorNotFound, effect: 'Unknown', pool, message };
}

function createsNodesFirst({ limits, extra }: PoolUpdate): boolean {
  return extra > 0 && limits.maxSurge > 0;
}

function batchesOf({ outdated, width }: PoolUpdate): readonly (readonly OutdatedMachine[])[] {
  const batches: (readonly OutdatedMachine[])[] = outdated.length === 0 ? [] : [outdated.slice(0, 1)];
  for (let start = 1; start < outdated.length; start += width) batches.push(outdated.slice(start, start + width));
  return batches;
}

interface PlacementTrial {
  readonly renewal: PoolUpdate;
  readonly templates: PoolTemplates;
  readonly pause: Yield;
}

async function stuckPods(
  snapshot: ClusterSnapshot,
  batch: readonly OutdatedMachine[],
  { renewal: { pool, strategy, limits }, templates, pause }: PlacementTrial,
): Promise<ReadonlyMap<string, string>> {
  const newNode = templates.get(pool);
  let current = snapshot.fork();
  const replaced = batch.filter(({ machine, cause: need }) => isReplaced(machine, need, strategy));
  for (const [index, { machine }] of replaced.slice(0, limits.maxSurge).entries()) {
    if (newNode === undefined) break;
    const { node, pods } = newNode(newNodeName(pool, index, current), zoneOf(pool, machine.spec.zone));
    current.addNode(node, pods);
  }
  const leaving = new Set(batch.map(({ machine }) => nodeNameOf(machine)));
  const stuck = new Map<string, string>();
  for (const nodeName of leaving) {
    if (current.node(nodeName) === undefined) continue;
    const steps = removalSteps(current, nodeName, {
      isDestination: ({ node }) => !leaving.has(node.metadata.name ?? ''),
    });
    let step = steps.next();
    for (; !step.done; step = steps.next()) await pause();
    const removal = step.value;
    current = removal.after;
    for (const { pod, message } of removal.unplaceablePods) {
      stuck.set(`${pod.metadata.namespace}/${pod.metadata.name}`, message);
    }
  }
  return stuck;
}

/** A node added by the tenant may have any name. */
function newNodeName({ metadata }: NodePool, index: number, snapshot: ClusterSnapshot): string {
  let name = `${metadata.name}-new-${index}`;
  while (snapshot.node(name) !== undefined) name += '-';
  return name;
}

/** A new machine replaces the old one, unless the pool no longer exists. */
function zoneOf(pool: NodePool, zone: string | undefined): string | undefined {
  const zones = poolZones(pool);
  return zones.length === 0 || (zone !== undefined && zones.includes(zone)) ? zone : zones[0];
}
