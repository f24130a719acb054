import { durationMs } from '@fairway/api/domain/duration';
import { pluralize } from '@fairway/api/domain/pluralize';
import type { Machine } from '@fairway/api/kinds/machine';
import type { UnneededMark } from '@fairway/api/kinds/machine-marks';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { AutoscalingStatus } from '@fairway/api/kinds/pool-autoscaling';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import type { PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import type { Problem } from '@fairway/tenancy/problem';
import { type ClusterFacts, type PoolFacts, viewCluster } from './cluster-view.ts';
import { DisruptionBudgets } from './drainable.ts';
import { earliestFutureTime } from './earliest-future-time.ts';
import { PoolDraft } from './pool-draft.ts';
import { type Candidate, chooseRemovals, findUnneeded, removableAtMs, type UnneededNode } from './scale-down.ts';
import { decideScaleUp, type NodeAllowance, type ScaleUp } from './scale-up.ts';

/** cluster-autoscaler's --scale-down-delay-after-add. */
export const DELAY_AFTER_ADD_MS = 10 * 60_000;
/**
 * cluster-autoscaler's --max-total-unready-percentage and --ok-total-unready-count: above both, nothing is scaled down.
 */
const MAX_UNREADY_SHARE = 0.45;
const MAX_UNREADY_NODES = 3;

/** The maximum length of a message in the status schema. */
const MAX_MESSAGE_LENGTH = 1024;

export interface DecisionFacts extends ClusterFacts {
  readonly budgets: readonly PodDisruptionBudget[];
  /** The maximum number of nodes that the cluster and its plan allow, with a message that explains the limit. */
  readonly limit: NodeAllowance;
  readonly nowMs: number;
}

/** The decision for one autoscaled pool. */
export interface PoolDecision {
  readonly pool: NodePool;
  readonly status: AutoscalingStatus;
}

/** The new mark of a machine; `undefined` removes the mark. */
export interface MarkDecision {
  readonly machine: Machine;
  readonly mark: UnneededMark | undefined;
}

export interface Decision extends ScaleUp {
  readonly pools: readonly PoolDecision[];
  readonly marks: readonly MarkDecision[];
  /** Nodes to delete now, with the reason. */
  readonly removals: readonly UnneededNode[];
  /** Machines that cannot be created and that the decision gives up on, with their pool's name. */
  readonly abandonedMachines: readonly { readonly machine: Machine; readonly problem: Problem }[];
  /** When to decide again without an event; undefined if never. */
  readonly dueMs: number | undefined;
}

/**
 * The scaling decision for a cluster: how many nodes each pool should have, and which are unneeded. Pure: the same
 * facts always produce the same decision. Its only memory is the pools' status and the machines' marks.
 */
export function decide(input: DecisionFacts): Decision {
  const facts = { ...input, pools: input.pools.map(withSelectedAsLeaving) };
  const { nowMs } = facts;
  const autoscaled = facts.pools.filter(({ pool }) => pool.spec.autoscaling.enabled);
  const drafts = new Map(autoscaled.map((each) => [each.name, new PoolDraft(each, nowMs)]));
  const view = viewCluster({
    ...facts,
    pools: facts.pools.map((each) => withoutAbandoned(each, drafts.get(each.name))),
  });
  const desiredNodes = facts.pools.reduce((sum, each) => sum + (drafts.get(each.name)?.replicas ?? each.replicas), 0);
  const scaleUp = decideScaleUp({
    snapshot: view.snapshot,
    groups: view.unschedulable,
    pools: [...drafts.values()].map((draft) => draft.growablePool()),
    room: { ...facts.limit, nodes: Math.max(0, facts.limit.nodes - desiredNodes) },
  });
  for (const growth of scaleUp.poolScaleUps) {
    drafts
      .get(growth.pool)
      ?.grow(growth.to, `for ${pluralize(growth.pods.length, 'pod')}, such as ${podName(growth.pods[0])}`);
  }
  reportHindrances(scaleUp, drafts);
  const scaleDown = decideScaleDown(facts, view, [...drafts.values()]);
  for (const draft of drafts.values()) draft.shrink(scaleDown.removals);
  const abandonedMachines = [...drafts.values()].flatMap((draft) => draft.abandonedMachines);
  return {
    ...scaleUp,
    pools: [...drafts.values()].map((draft) => ({ pool: draft.facts.pool, status: draft.status() })),
    marks: marksOf(autoscaled, scaleDown, abandonedMachines, nowMs),
    removals: scaleDown.removals,
    abandonedMachines,
    dueMs: earliestFutureTime([scaleDown.dueMs, ...[...drafts.values()].map((draft) => draft.dueMs())], nowMs),
  };
}

/**
 * A machine that was selected for deletion but not deleted yet counts as being deleted: it must not be selected twice.
 */
function withSelectedAsLeaving(facts: PoolFacts): PoolFacts {
  const staying = facts.machines.filter(({ state }) => state.kind !== 'leaving');
  let surplus = staying.length - facts.replicas;
  if (surplus <= 0) return facts;
  const machines = facts.machines.map((each) => {
    const isChosen = each.state.kind !== 'leaving' && each.machine.status?.marks?.unneeded?.due === true;
    return isChosen && surplus-- > 0 ? { ...each, state: { kind: 'leaving' as const } } : each;
  });
  return { ...facts, machines };
}

/** The pool without the machines that were given up on. */
function withoutAbandoned(facts: PoolFacts, draft: PoolDraft | undefined): PoolFacts {
  return draft ? { ...facts, replicas: draft.replicas + draft.abandonedMachines.length } : facts;
}

/** Makes each pool report why it did not help, with the same pod as the example for as long as that pod is pending. */
function reportHindrances({ unschedulable }: ScaleUp, drafts: ReadonlyMap<string, PoolDraft>): void {
  for (const [name, draft] of drafts) {
    const known = draft.facts.pool.status?.autoscaling?.hindrance?.message;
    const waiting = unschedulable.flatMap(({ pods, reasons }) => {
      const problem = reasons.find(({ pool }) => pool === name)?.problem;
      return problem
        ? pods.map((pod) => ({ problem, message: `pods are pending, such as ${podName(pod)}: ${problem.message}` }))
        : [];
    });
    const selected = waiting.find(({ message }) => message.slice(0, MAX_MESSAGE_LENGTH) === known) ?? waiting[0];
    if (selected) draft.hindrance = { reason: selected.problem.reason, message: selected.message };
  }
}

function podName(
  pod: { readonly metadata: { readonly name?: string; readonly namespace?: string } } | undefined,
): string {
  return `${pod?.metadata.namespace}/${pod?.metadata.name}`;
}

interface ScaleDown {
  readonly unneeded: readonly UnneededNode[];
  readonly removals: readonly UnneededNode[];
  readonly dueMs: number | undefined;
}

function decideScaleDown(
  facts: DecisionFacts,
  view: ReturnType<typeof viewCluster>,
  drafts: readonly PoolDraft[],
): ScaleDown {
  const none = { unneeded: [], removals: [], dueMs: undefined };
  const { nowMs } = facts;
  if (isMostlyBroken(facts)) return none;
  const candidates = drafts
    .filter(({ facts: { pool } }) => !isPaused(pool))
    .flatMap((draft) => candidatesOf(draft.facts));
  const { unneeded } = findUnneeded(view, candidates, new DisruptionBudgets(facts.budgets));
  const lastScaleUpMs = Math.max(
    ...drafts.map((draft) => Date.parse(draft.status().lastScaleUpTime ?? '')).filter(Number.isFinite),
  );
  const scaleDownAllowedMs = lastScaleUpMs + DELAY_AFTER_ADD_MS;
  const spare = new Map(drafts.map((draft) => [draft.facts.name, draft.spare()]));
  const leaving = facts.pools.reduce(
    (sum, each) => sum + each.machines.filter(({ state }) => state.kind === 'leaving').length,
    0,
  );
  const removals = nowMs < scaleDownAllowedMs ? [] : chooseRemovals(unneeded, { nowMs, spare, leaving });
  const removable = unneeded.filter(({ candidate }) => (spare.get(candidate.pool) ?? 0) > 0);
  const dueMs = earliestFutureTime(
    removable.map((each) => Math.max(removableAtMs(each, nowMs), scaleDownAllowedMs)),
    nowMs,
  );
  return { unneeded, removals, dueMs };
}

/** Whether so many nodes are unhealthy that the cause must be elsewhere, such as the network or the control plane. */
function isMostlyBroken({ pools }: DecisionFacts): boolean {
  const nodes = pools.flatMap(({ machines }) => machines.filter(({ state }) => state.kind === 'node'));
  const broken = nodes.filter(({ state }) => state.kind === 'node' && !state.isReady).length;
  return broken > MAX_UNREADY_NODES && broken > nodes.length * MAX_UNREADY_SHARE;
}

function candidatesOf({ pool, name, machines }: PoolFacts): Candidate[] {
  const { scaleDownUtilizationThreshold, scaleDownUnneededTime, scaleDownUnreadyTime } = pool.spec.autoscaling;
  const settings = {
    utilizationThreshold: Number(scaleDownUtilizationThreshold),
    unneededMs: durationMs(scaleDownUnneededTime),
    unreadyMs: durationMs(scaleDownUnreadyTime),
  };
  return machines.flatMap(({ machine, node, state }) => {
    if (state.kind !== 'node' || node === undefined) return [];
    const mark = machine.status?.marks?.unneeded;
    return [
      {
        machine,
        nodeName: node.metadata.name ?? '',
        pool: name,
        annotations: node.metadata.annotations ?? {},
        isReady: state.isReady,
        sinceMs: mark && Date.parse(mark.time),
        settings,
      },
    ];
  });
}

/** The marks of all machines of autoscaled pools; an unchanged mark keeps its timestamp. */
function marksOf(
  pools: readonly PoolFacts[],
  { unneeded, removals }: ScaleDown,
  abandonedMachines: Decision['abandonedMachines'],
  nowMs: number,
): MarkDecision[] {
  const unneededByMachine = new Map(unneeded.map((each) => [each.candidate.machine, each]));
  const problems = new Map(abandonedMachines.map(({ machine, problem }) => [machine, problem]));
  const selected = new Set(removals);
  const known = (machine: Machine) => machine.status?.marks?.unneeded;
  return pools.flatMap(({ machines }) =>
    machines.flatMap(({ machine, state }): MarkDecision[] => {
      if (state.kind === 'leaving') return [];
      const time = known(machine)?.time ?? formatTime(nowMs);
      const problem = problems.get(machine);
      if (problem) {
        return [
          { machine, mark: { due: true, reason: problem.reason, message: problem.message.slice(0, 1024), time } },
        ];
      }
      const each = unneededByMachine.get(machine);
      if (each === undefined) return [{ machine, mark: undefined }];
      // Utilization changes with each pod, so the mark keeps its first message.
      const message = known(machine)?.reason === each.reason ? known(machine)?.message : undefined;
      return [
        { machine, mark: { due: selected.has(each), reason: each.reason, message: message ?? each.message, time } },
      ];
    }),
  );
}
