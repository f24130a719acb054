import { ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { poolZones } from '@fairway/api/domain/pool-zones';
import { poolBounds } from '@fairway/api/domain/target-replicas';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { AutoscalingStatus } from '@fairway/api/kinds/pool-autoscaling';
import { isPaused } from '@fairway/api/pause';
import { formatTime } from '@fairway/base/clock';
import type { Problem } from '@fairway/tenancy/problem';
import { isBackingOff, nextBackoff } from './backoff.ts';
import type { PoolFacts } from './cluster-view.ts';
import { earliestFutureTime } from './earliest-future-time.ts';
import type { UnneededNode } from './scale-down.ts';
import type { GrowablePool } from './scale-up.ts';

/** The decision for one pool, step by step. */
export class PoolDraft {
  readonly facts: PoolFacts;
  readonly abandonedMachines: readonly { readonly machine: Machine; readonly problem: Problem }[];
  readonly failed: readonly Problem[];
  replicas: number;
  hindrance: Problem | undefined;
  readonly #nowMs: number;
  readonly #known: AutoscalingStatus | undefined;
  readonly #backoff: AutoscalingStatus['backoff'];
  #change: { readonly reason: string; readonly message: string } | undefined;
  #wasScaledUp = false;
  #wasScaledDown = false;

  constructor(facts: PoolFacts, nowMs: number) {
    this.facts = facts;
    this.#nowMs = nowMs;
    const { pool, machines } = facts;
    this.#known = pool.status?.autoscaling;
    const { min, by } = poolBounds(pool);
    this.replicas = facts.replicas;
    if (this.#known === undefined)
      this.#change = { reason: 'Started', message: `started from spec.replicas ${pool.spec.replicas}` };
    else if (this.#known.replicas !== facts.replicas) {
      const bound = this.#known.replicas < facts.replicas ? 'minReplicas' : 'maxReplicas';
      this.#change = { reason: 'Bounds', message: `${bound} is ${facts.replicas}${by}` };
    }
    const failures = machines.flatMap(({ machine, state }) =>
      state.kind === 'failed' ? [{ machine, problem: state.problem }] : [],
    );
    this.failed = failures.map(({ problem }) => problem);
    const staying = machines.filter(({ state }) => state.kind !== 'leaving').length;
    // Machines that cannot be created are no longer requested, down to the minimum; surplus machines are deleted in any
    // case.
    const needed = failures.length - Math.max(0, staying - this.replicas);
    this.abandonedMachines = failures.slice(0, Math.max(0, Math.min(needed, this.replicas - min)));
    const [first] = this.abandonedMachines;
    if (first) {
      this.replicas = Math.max(min, Math.min(this.replicas, staying) - this.abandonedMachines.length);
      const machines = pluralize(this.abandonedMachines.length, 'machine');
      this.#change = { reason: first.problem.reason, message: `gave up on ${machines}: ${first.problem.message}` };
    }
    const creationProblem = this.failed.length === 0 ? heldProblem(pool) : undefined;
    if (creationProblem) this.replicas = Math.max(min, Math.min(this.replicas, staying));
    const lastScaleUpMs = Date.parse(this.#known?.lastScaleUpTime ?? '');
    const isComplete = machines.every(({ state }) => state.kind === 'node' && state.isReady);
    this.#backoff = nextBackoff(
      this.#known?.backoff,
      {
        failure: this.failed[0] ?? creationProblem,
        hasSucceeded: isComplete && lastScaleUpMs > Date.parse(this.#known?.backoff?.since ?? ''),
      },
      nowMs,
    );
  }

  growablePool(): GrowablePool {
    const { pool, name, machines, newNode } = this.facts;
    const staying = machines.filter(({ state }) => state.kind !== 'leaving');
    const bounds = poolBounds(pool);
    return {
      name,
      replicas: this.replicas,
      maxReplicas: bounds.max,
      maxReplicasBy: bounds.by,
      priority: pool.spec.autoscaling.priority,
      zones: poolZones(pool),
      takenZones: staying.map(({ machine }) => machine.spec.zone),
      newNode: newNode ?? (() => ({ node: { metadata: {}, spec: {} }, pods: [] })),
      hindrance: this.#hindrance(),
    };
  }

  grow(to: number, reason: string): void {
    this.#change = { reason: 'ScaledUp', message: `from ${this.replicas} to ${to}, ${reason}` };
    this.replicas = to;
    this.#wasScaledUp = true;
  }

  shrink(removals: readonly UnneededNode[]): void {
    const own = removals.filter(({ candidate }) => candidate.pool === this.facts.name);
    const [first] = own;
    if (first === undefined) return;
    const to = this.replicas - own.length;
    const nodes =
      own.length === 1 ? `node ${first.candidate.nodeName}: ${first.message}` : pluralize(own.length, 'empty node');
    this.#change = { reason: 'ScaledDown', message: `from ${this.replicas} to ${to}, without ${nodes}` };
    this.replicas = to;
    this.#wasScaledDown = true;
  }

  /**
   * How many nodes may be deleted. None while the pool has more nodes than desired, because caches may not reflect the
   * last selection yet.
   */
  spare(): number {
    const staying = this.facts.machines.filter(({ state }) => state.kind !== 'leaving').length;
    const remaining = staying - this.abandonedMachines.length;
    return remaining > this.replicas ? 0 : this.replicas - poolBounds(this.facts.pool).min;
  }

  status(): AutoscalingStatus {
    const known = this.#known;
    const time = formatTime(this.#nowMs);
    const { reason, message } = this.#change ?? known ?? { reason: '', message: '' };
    const up = this.#wasScaledUp ? time : known?.lastScaleUpTime;
    const scaleDownTime = this.#wasScaledDown ? time : known?.lastScaleDownTime;
    return {
      replicas: this.replicas,
      reason,
      message: message.slice(0, 1024),
      time: this.#change ? time : (known?.time ?? time),
      ...(up !== undefined && { lastScaleUpTime: up }),
      ...(scaleDownTime !== undefined && { lastScaleDownTime: scaleDownTime }),
      ...(this.#backoff && { backoff: this.#backoff }),
      ...(this.hindrance && {
        hindrance: { reason: this.hindrance.reason, message: this.hindrance.message.slice(0, 1024) },
      }),
    };
  }

  /** When this pool needs to be checked again. */
  dueMs(): number | undefined {
    const until = isBackingOff(this.#backoff, this.#nowMs) ? Date.parse(this.#backoff?.until ?? '') : undefined;
    return earliestFutureTime(
      [until, ...this.facts.machines.map(({ state }) => (state.kind === 'upcoming' ? state.dueMs : undefined))],
      this.#nowMs,
    );
  }

  #hindrance(): Problem | undefined {
    const { pool, newNode } = this.facts;
    if (isPaused(pool)) {
      return { reason: ConditionReason.Paused, message: 'it is paused' };
    }
    if (this.#backoff && isBackingOff(this.#backoff, this.#nowMs)) {
      const { reason, message, until } = this.#backoff;
      return {
        reason: reason as ConditionReason,
        message: `failed to create new nodes; next attempt at ${until}: ${message}`,
      };
    }
    if (newNode === undefined) {
      return { reason: ConditionReason.FlavorNotFound, message: `the cloud has no known flavor ${pool.spec.flavor}` };
    }
    return undefined;
  }
}

/** Why the pool's controller does not create a missing machine. In that case no machine exists to report it. */
function heldProblem({ status }: NodePool): Problem | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'MachinesReady');
  const isShort = status?.desiredReplicas !== undefined && (status.replicas ?? 0) < status.desiredReplicas;
  const { PlanLimitExceeded, ProjectQuotaExceeded } = ConditionReason;
  const reason = [PlanLimitExceeded, ProjectQuotaExceeded].find((each) => each === ready?.reason);
  if (!isShort || ready?.status !== 'False' || reason === undefined) return undefined;
  return { reason, message: ready.message };
}
