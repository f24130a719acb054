import { ConditionReason } from '@fairway/api/conditions';
import { type EffectiveQuota, type QuotaShare, quotaShares, type VcpuLookup } from '@fairway/api/domain/project-quota';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { poolKeyOf } from '@fairway/tenancy/cache-indexes';
import { isMachineOf } from './machine-owner.ts';

/** The message for a limited pool. */
export interface PoolLimit {
  readonly reason: ConditionReason;
  readonly message: string;
  readonly advice: string;
  /** Names the pools that request too many. */
  readonly who: string;
}

/** The usage that counts against a project's quota. */
export interface ProjectShareFacts {
  readonly quota: EffectiveQuota;
  /** All pools in the namespace. */
  readonly pools: readonly NodePool[];
  /** All machines in the namespace. */
  readonly machines: readonly Machine[];
  readonly vcpusOf: VcpuLookup;
}

/** The pool's share of nodes, and how many more the namespace may have. */
export interface ProjectShare extends PoolLimit {
  readonly nodes: number;
  readonly room: number;
}

/** Undefined if the project's quota does not limit nodes. Pure. */
export function projectShare(pool: NodePool, facts: ProjectShareFacts): ProjectShare | undefined {
  const { quota, pools, machines, vcpusOf } = facts;
  const staying = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const byKey = new Map(pools.map((each) => [keyOf(each), each]));
  const coresOf = (machine: Machine) => {
    const owner = byKey.get(poolKeyOf(machine));
    return owner === undefined ? 0 : (vcpusOf(owner) ?? 0);
  };
  const otherCores = staying.filter((machine) => !isMachineOf(pool, machine)).map(coresOf);
  const [narrowest] = quotaShares(pool, { quota, pools, othersCores: otherCores, vcpusOf }).toSorted(
    (a, b) => a.nodes - b.nodes,
  );
  if (narrowest === undefined) return undefined;
  return {
    ...quotaLimit(narrowest),
    nodes: narrowest.nodes,
    room: roomOf(pool, quota, staying.map(coresOf), vcpusOf),
  };
}

/** How many more machines the quota permits, including nodes that exist only while others are updated. */
function roomOf(
  pool: NodePool,
  { nodes, cores }: EffectiveQuota,
  machineCores: readonly number[],
  vcpusOf: VcpuLookup,
): number {
  const nodeRoom = nodes === undefined ? Number.POSITIVE_INFINITY : nodes.limit - machineCores.length;
  const vcpus = vcpusOf(pool);
  if (cores === undefined || !vcpus) return nodeRoom;
  const left = cores.limit - machineCores.reduce((sum, each) => sum + each, 0);
  return Math.min(nodeRoom, Math.floor(left / vcpus));
}

function quotaLimit({ message }: QuotaShare): PoolLimit {
  return {
    reason: ConditionReason.ProjectQuotaExceeded,
    message,
    advice: 'ask the operator for a larger quota',
    who: 'the pools of the namespace',
  };
}
