import { type Machine, machines } from '@fairway/api/kinds/machine';
import { Informer } from '@fairway/kube/client/informer';
import { TEAM, type TestFairway } from './test-fairway.ts';

/** What was true of a pool's machines at every moment, by what the API told, not by what a controller thinks. */
export class PoolHistory implements AsyncDisposable {
  /** Most machines that there were, without those being deleted. */
  mostMachines = 0;
  /** Fewest nodes that were Ready at a time. */
  fewestAvailable = Number.POSITIVE_INFINITY;
  /** Names of machines in the order in which their deletion began. */
  readonly deleted: string[] = [];
  readonly #informer: Informer<Machine>;
  readonly #stop = new AbortController();

  private constructor({ client, clock }: TestFairway) {
    this.#informer = new Informer(client.resource(machines), { namespace: TEAM, clock });
    const look = () => this.#look();
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

  /** From now on. */
  static async of(fairway: TestFairway): Promise<PoolHistory> {
    const history = new PoolHistory(fairway);
    history.#informer.start(history.#stop.signal);
    await history.#informer.whenSynced(history.#stop.signal);
    history.#look();
    return history;
  }

  #look(): void {
    if (!this.#informer.hasSynced) return;
    const staying = this.#informer.list().filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const available = staying.filter(({ status }) => status?.phase === 'Ready');
    this.mostMachines = Math.max(this.mostMachines, staying.length);
    this.fewestAvailable = Math.min(this.fewestAvailable, available.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#informer.stopped;
  }
}
