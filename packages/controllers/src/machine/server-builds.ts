import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { RecentMap } from '@fairway/base/recent-map';
import { type Attempts, BackoffError, type StartedAttempt } from '@fairway/kube/controller/attempts';
import type { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

const KIND = 'build servers';
/** How often machines that wait for the builds of other machines check again. */
const POLL_MS = 1_000;
/** A build without an outcome for this long no longer delays other builds. */
const MAX_BUILD_MS = 900_000;
/** A shape that has not failed for this long is trusted again. */
const RECENT_FAILURE_MS = 3_600_000;
/** Number of concurrent builds above which there is no limit. */
const MAX_CONCURRENT_BUILDS = 64;
const MAX_SHAPES = 4_096;
const MAX_FAILED_MACHINES = 4_096;

interface Build {
  readonly shape: string;
  readonly attempt: StartedAttempt;
}

/** A shape with a recently failed server. */
interface Recovery {
  readonly error: unknown;
  readonly failedAtMs: number;
  /** Maximum number of concurrent builds; increased by one for each success. */
  limit: number;
  /** When the current builds started, by machine; excluding those from before the failure. */
  readonly building: Map<string, number>;
}

/** The properties shared by machines that would fail for the same reason. */
export function shapeOf(machine: Machine, pool: NodePool | undefined): string {
  const { flavor, image, zone, rootVolume, serverGroupID, networks } = machine.spec;
  return JSON.stringify([pool && identityOf(pool), flavor, image, zone, rootVolume, serverGroupID, networks]);
}

function poolOf(shape: string): unknown {
  return (JSON.parse(shape) as readonly unknown[])[0];
}

/**
 * Servers that were requested and are not up yet. The cloud accepts each immediately and reports failures minutes
 * later.
 *
 * **Guarantees.** As long as no server of a shape has failed, its machines are all built concurrently. After a failure,
 * those not yet requested wait. After a backoff, one is tried, then two, then four (the way a ReplicaSet starts its
 * pods), until a failure restarts this.
 */
export class ServerBuilds {
  readonly #attempts: Attempts;
  readonly #clock: { now(): number };
  readonly #builds = new Map<string, Build>();
  readonly #recoveries = new RecentMap<Recovery>(MAX_SHAPES);
  readonly #failedSince = new RecentMap<number>(MAX_FAILED_MACHINES);

  constructor(attempts: Attempts, clock: { now(): number }) {
    this.#attempts = attempts;
    this.#clock = clock;
  }

  /**
   * Throws a BackoffError when it is too soon after servers of this shape failed. `lastFault` is why the machine's last
   * server failed, according to the machine itself: an earlier process may have observed it.
   */
  begin(machineUid: string, shape: string, lastFailure?: ProblemError): { release(): void } {
    this.release(machineUid);
    const recovery = this.#recoveryOf(shape) ?? (lastFailure && this.#recover(shape, lastFailure));
    const nowMs = this.#clock.now();
    const building = [...(recovery?.building.values() ?? [])].filter((sinceMs) => nowMs - sinceMs < MAX_BUILD_MS);
    if (recovery && building.length >= recovery.limit) throw new BackoffError(recovery.error, nowMs + POLL_MS);
    const attempt = this.#attempts.begin({ kind: KIND, item: shape });
    recovery?.building.set(machineUid, nowMs);
    this.#builds.set(machineUid, { shape, attempt });
    return { release: () => this.release(machineUid) };
  }

  succeeded(machineUid: string): void {
    const build = this.#end(machineUid);
    if (build === undefined) return;
    build.attempt.succeeded();
    const recovery = this.#recoveryOf(build.shape);
    // Builds requested before the failure do not predict builds requested after it.
    if (!recovery?.building.delete(machineUid)) return;
    // Doubles with each round.
    recovery.limit += 1;
    if (recovery.limit > MAX_CONCURRENT_BUILDS) this.#recoveries.delete(build.shape);
  }

  failed(machineUid: string, shape: string, fault: ProblemError): void {
    const build = this.#end(machineUid);
    const before = this.#recoveryOf(shape);
    before?.building.delete(machineUid);
    this.#recover(shape, fault, before?.building);
    // A build requested by an earlier process counts like any other.
    if (build) build.attempt.failed(fault);
    else this.#attempts.failed({ kind: KIND, item: shape }, fault);
  }

  /** When this process first observed the server in ERROR: now, if this is the first call. */
  failedSinceMs(serverID: string): number {
    const sinceMs = this.#failedSince.get(serverID) ?? this.#clock.now();
    this.#failedSince.set(serverID, sinceMs);
    return sinceMs;
  }

  /** Gives up the machine's build. */
  release(machineUid: string): void {
    const build = this.#end(machineUid);
    build?.attempt.release();
    if (build) this.#recoveries.get(build.shape)?.building.delete(machineUid);
  }

  /** Retries immediately for the machines of these pools, because a user has requested it. */
  retryNow(poolUids: readonly string[]): void {
    this.#attempts.retryNow((shape) => poolUids.some((uid) => uid === poolOf(shape)));
  }

  #end(machineUid: string): Build | undefined {
    const build = this.#builds.get(machineUid);
    this.#builds.delete(machineUid);
    return build;
  }

  #recoveryOf(shape: string): Recovery | undefined {
    const recovery = this.#recoveries.get(shape);
    if (recovery && this.#clock.now() - recovery.failedAtMs < RECENT_FAILURE_MS) return recovery;
    return undefined;
  }

  #recover(shape: string, error: ProblemError, building: Map<string, number> = new Map()): Recovery {
    const recovery = { error, failedAtMs: this.#clock.now(), limit: 1, building };
    this.#recoveries.set(shape, recovery);
    return recovery;
  }
}
