import { drainTimeoutMs } from '@fairway/api/domain/drain-timeout';
import { isHibernationWanted } from '@fairway/api/domain/hibernation';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { formatTime } from '@fairway/base/clock';
import { isApiError } from '@fairway/kube/object/api-error';
import { TEAM, type TestFairway } from '../test-fairway.ts';

/** Of the plan; pools of a walk ask for none of their own. */
const DRAIN_MS = 600_000;
/** Times in a status are whole seconds. */
const SECOND_MS = 1_000;

/**
 * Complains when the server of a node is deleted or reinstalled while pods still run there that a budget keeps: that is allowed when the time for a
 * drain is over, and when the cluster hibernates.
 */
export class BudgetWitness implements Disposable {
  readonly complaints: string[] = [];
  readonly #fairway: TestFairway;
  readonly #runningOn: (name: string) => Promise<number>;
  readonly #stop: () => void;
  readonly #looking = new Set<Promise<void>>();

  /** `isKilled`: whether the walk itself has taken the server of this name; `runningOn`: how many pods of the budget run there. */
  constructor(fairway: TestFairway, isKilled: (name: string) => boolean, runningOn: (name: string) => Promise<number>) {
    this.#fairway = fairway;
    this.#runningOn = runningOn;
    this.#stop = fairway.cloud.onServerGone(({ name }, reason) => {
      if (isKilled(name) || (reason !== 'deleted' && reason !== 'rebuilding')) return;
      const look = this.#look(name, fairway.clock.now()).catch((error: unknown) => this.#complain(String(error)));
      this.#looking.add(look);
      void look.finally(() => this.#looking.delete(look));
    });
  }

  /** All that has happened is looked at. */
  async settled(): Promise<void> {
    await Promise.all(this.#looking);
  }

  async #look(name: string, nowMs: number): Promise<void> {
    const running = await this.#runningOn(name);
    if (running === 0) return;
    const sinceMs = await this.#drainedSinceMs(name);
    if (sinceMs !== undefined && nowMs + SECOND_MS < sinceMs + DRAIN_MS) {
      this.#complain(
        `${name} lost its server at ${formatTime(nowMs)} with ${running} pods that a budget keeps, drained since ${formatTime(sinceMs)}`,
      );
    }
  }

  /** Undefined: nobody has to drain it. */
  async #drainedSinceMs(name: string): Promise<number | undefined> {
    const { client } = this.#fairway;
    try {
      const machine = await client.resource(machines).get(name, { namespace: TEAM });
      const pool = await client.resource(nodePools).get(machine.spec.nodePoolName, { namespace: TEAM });
      const cluster = await this.#fairway.clusterOf(machine);
      if (isHibernationWanted(cluster) || drainTimeoutMs(pool.spec, undefined) !== undefined) return undefined;
      const time = machine.metadata.deletionTimestamp ?? machine.status?.reinstall?.startTime;
      return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time);
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #complain(what: string): void {
    this.complaints.push(what);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
