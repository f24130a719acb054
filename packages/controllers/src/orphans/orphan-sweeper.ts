import type { Informer } from '@fairway/kube/client/informer';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { KubeObject } from '@fairway/kube/object/meta';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { EndedSweeper } from './ended-sweeper.ts';
import { LivingSweeper } from './living-sweeper.ts';
import { OrphanMetrics } from './metrics.ts';

/** Sweeps what living clusters have for machines and pools that are gone, and what turns up of clusters that were deleted. */
export class OrphanSweeper {
  readonly #living: LivingSweeper;
  readonly #ended: EndedSweeper;
  readonly #clock: ControllerDependencies['clock'];

  constructor(dependencies: ControllerDependencies, records: Informer<KubeObject>) {
    const { clock, registry } = dependencies;
    const metrics = registry && new OrphanMetrics(registry, () => this.#known());
    const deleted = (kind: string, count: number) => metrics?.deleted(kind, count);
    this.#clock = clock;
    this.#living = new LivingSweeper(dependencies, deleted);
    this.#ended = new EndedSweeper(dependencies, records, deleted);
  }

  /** `key` is `namespace/name` of Clusters, there or gone. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const pass = new Pass(context, this.#clock);
    await this.#living.sweep(key, pass);
    await this.#ended.sweep(key, pass);
    return pass.end();
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    this.#living.forget(isMatching);
    this.#ended.forget(isMatching);
  }

  *#known() {
    yield* this.#living.orphans();
    yield* this.#ended.orphans();
  }
}
