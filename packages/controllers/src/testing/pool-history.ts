import { type Machine, machines } from '@fairway/api/kinds/machine';
import { Informer } from '@fairway/kube/client/informer';
import { TEAM, type TestFairway } from './test-fairway.ts';

/** The state of a pool's machines at each point in time, according to the API rather than a controller. */
export class PoolHistory implements AsyncDisposable {
  /** The maximum number of machines, excluding those being deleted. */
  maxMachines = 0;
  /** The minimum number of Ready nodes at any time. */
  minAvailable = Number.POSITIVE_INFINITY;
  /** Names of machines in the order in which their deletion began. */
  readonly deleted: string[] = [];
  readonly #informer: Informer<Machine>;
  readonly #stop = new AbortController();

  private constructor({ client, clock }: TestFairway) {
    this.#informer = new Informer(client.resource(machines), { namespace: TEAM, clock });
    const look = () => this.#observe();
    this.#informer.addHandler({
      onAdd: look,
      onUpdate: (old, machine) => {
        const isNew = old.metadata.deletionTimestamp === undefined && machine.metadata.deletionTimestamp !== undefined;
        if (isNew) this.deleted.push(machine.metadata.name ?? '');
        look();
      },
      onDelete: look,
    });
  }

  /** Starts a new observation. */
  static async of(fairway: TestFairway): Promise<PoolHistory> {
    const history = new PoolHistory(fairway);
    history.#informer.start(history.#stop.signal);
    await history.#informer.whenSynced(history.#stop.signal);
    history.#observe();
    return history;
  }

  #observe(): void {
    if (!this.#informer.hasSynced) return;
    const staying = this.#informer.list().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const available = staying.filter(({ status }) => status?.phase === 'Ready');
    this.maxMachines = Math.max(this.maxMachines, staying.length);
    this.minAvailable = Math.min(this.minAvailable, available.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#informer.stopped;
  }
}
