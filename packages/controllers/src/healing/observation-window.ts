import { ConditionType } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** The maximum delay of a scheduled check. If a check is later, this process was stopped, or its clock was changed. */
const MAX_DELAY_MS = 60_000;

/** The connection through which a cluster is observed. */
type NodeView = Pick<TenantCluster, 'clusterUid'> & { readonly nodes: { readonly healthySinceMs: number | undefined } };

interface ViewState {
  readonly tenant: NodeView;
  readonly sinceMs: number;
  /** When the next check is due, if one is. */
  readonly nextMs: number | undefined;
}

/**
 * Tracks how long this process has been able to trust its observation of a pool's nodes. The window restarts with each
 * connection, each gap in the node watch, each start of the control plane, and after the process itself was stopped. In
 * all of these cases, nodes may have changed unobserved, and whole pools may be NotReady for a minute.
 */
export class ObservationWindow {
  readonly #views = new Map<string, ViewState>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** When the current window started; undefined while the nodes cannot be observed. */
  sinceMs(poolKey: string, cluster: Cluster, tenant: NodeView | undefined): number | undefined {
    const condition = findCondition(cluster.status?.conditions, ConditionType.ControlPlaneReady);
    const watchedMs = tenant?.nodes.healthySinceMs;
    if (tenant === undefined || watchedMs === undefined || condition?.status !== 'True') {
      this.#views.delete(poolKey);
      return undefined;
    }
    const nowMs = this.#clock.now();
    const last = this.#views.get(poolKey);
    const isLate = last?.nextMs !== undefined && nowMs > last.nextMs + MAX_DELAY_MS;
    const knownMs = last?.tenant === tenant ? last.sinceMs : watchedMs;
    const sinceMs = isLate ? nowMs : Math.max(knownMs, watchedMs, Date.parse(condition.lastTransitionTime));
    this.#views.set(poolKey, { tenant, sinceMs, nextMs: isLate ? undefined : last?.nextMs });
    return sinceMs;
  }

  /** Records when the pool is checked next, if a node in it is unhealthy. */
  expectPass(poolKey: string, nextMs: number | undefined): void {
    const view = this.#views.get(poolKey);
    if (view) this.#views.set(poolKey, { ...view, nextMs });
  }

  /** Restarts the window because the cluster did not respond, even if its watch is open. */
  restart(poolKey: string): void {
    const view = this.#views.get(poolKey);
    if (view) this.#views.set(poolKey, { ...view, sinceMs: this.#clock.now() });
  }

  forget(poolKey: string): void {
    this.#views.delete(poolKey);
  }
}
