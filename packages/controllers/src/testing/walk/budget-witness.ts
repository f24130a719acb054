import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { formatTime } from '@fairway/base/clock';
import { isApiError } from '@fairway/kube/object/api-error';
import { TEAM, type TestFairway } from '../test-fairway.ts';

/** The plan's drain timeout; pools in a walk do not set their own. */
const DRAIN_TIMEOUT_MS = 600_000;
/** Times in a status are whole seconds. */
const SECOND_MS = 1_000;

/**
 * Reports a violation if the server of a node is deleted or reinstalled while pods protected by a budget are still
 * running there. That is allowed after the drain timeout, and during hibernation.
 */
export class BudgetWitness implements Disposable {
  readonly violations: string[] = [];
  readonly #fairway: TestFairway;
  readonly #runningPods: (name: string) => Promise<number>;
  readonly #stop: () => void;
  readonly #pendingChecks = new Set<Promise<void>>();

  /**
   * `isKilled`: whether the walk itself has deleted the server with this name; `runningOn`: how many of the budget's
   * pods are running there.
   */
  constructor(
    fairway: TestFairway,
    isKilled: (name: string) => boolean,
    countRunningPods: (name: string) => Promise<number>,
  ) {
    this.#fairway = fairway;
    this.#runningPods = countRunningPods;
    this.#stop = fairway.cloud.onServerDown(({ name }, reason) => {
      if (isKilled(name) || (reason !== 'deleted' && reason !== 'rebuilding')) return;
      const look = this.#observe(name, fairway.clock.now()).catch((error: unknown) => this.#report(String(error)));
      this.#pendingChecks.add(look);
      void look.finally(() => this.#pendingChecks.delete(look));
    });
  }

  /** Resolves when all events have been checked. */
  async settled(): Promise<void> {
    await Promise.all(this.#pendingChecks);
  }

  async #observe(name: string, nowMs: number): Promise<void> {
    const running = await this.#runningPods(name);
    if (running === 0) return;
    const sinceMs = await this.#drainedSinceMs(name);
    if (sinceMs !== undefined && nowMs + SECOND_MS < sinceMs + DRAIN_TIMEOUT_MS) {
      this.#report(
        `${name} lost its server at ${formatTime(nowMs)} with ${running} pods that a budget protects, draining since ${formatTime(sinceMs)}`,
      );
    }
  }

  /** Undefined if the node does not have to be drained. */
  async #drainedSinceMs(name: string): Promise<number | undefined> {
    const { client } = this.#fairway;
    try {
      const machine = await client.resource(machines).get(name, { namespace: TEAM });
      const pool = await client.resource(nodePools).get(machine.spec.nodePoolName, { namespace: TEAM });
      const cluster = await this.#fairway.clusterOf(machine);
      if (shouldHibernate(cluster) || drainTimeoutMs(pool.spec, undefined) !== undefined) return undefined;
      const time = machine.metadata.deletionTimestamp ?? machine.status?.reinstall?.startTime;
      return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #report(what: string): void {
    this.violations.push(what);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
