import type { Informer } from '@fairway/kube/client/informer';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { KubeObject } from '@fairway/kube/object/meta';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { DeletedClusterGC } from './deleted-clusters.ts';
import { LiveClusterGC } from './live-clusters.ts';
import { OrphanMetrics } from './metrics.ts';

/**
 * Deletes resources that deleted machines and pools left in existing clusters, and late resources of deleted clusters.
 */
export class OrphanSweeper {
  readonly #liveClusters: LiveClusterGC;
  readonly #ended: DeletedClusterGC;
  readonly #clock: ControllerDependencies['clock'];

  constructor(dependencies: ControllerDependencies, records: Informer<KubeObject>) {
    const { clock, registry } = dependencies;
    const metrics = registry && new OrphanMetrics(registry, () => this.#known());
    const deleted = (kind: string, count: number) => metrics?.deleted(kind, count);
    this.#clock = clock;
    this.#liveClusters = new LiveClusterGC(dependencies, deleted);
    this.#ended = new DeletedClusterGC(dependencies, records, deleted);
  }

  /** `key` is `namespace/name` of Clusters, existing or deleted. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const pass = new Pass(context, this.#clock);
    await this.#liveClusters.sweep(key, pass);
    await this.#ended.sweep(key, pass);
    return pass.end();
  }

  /** Drops the state of clusters that another process has taken over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    this.#liveClusters.forget(isMatching);
    this.#ended.forget(isMatching);
  }

  *#known() {
    yield* this.#liveClusters.orphans();
    yield* this.#ended.orphans();
  }
}
