import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Ranges from a rebuild without pods to a drain that is forced after half an hour. */
const BUCKETS = [15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600];

type Result = 'complete' | 'halted' | 'aborted';

/** How an upgrade ended, or why it cannot end. */
const RESULTS: ReadonlyMap<PoolUpgrade['state'], Result> = new Map([
  ['Complete', 'complete'],
  ['Halted', 'halted'],
  ['Aborted', 'aborted'],
]);

/** Counts results of node upgrades in this process. */
export class UpgradeMetrics {
  readonly #updatedNodes: Counter<'strategy'>;
  readonly #pools: Counter<'strategy' | 'result'>;
  readonly #nodeSeconds: Histogram<'strategy'>;

  constructor(registry: Registry) {
    this.#updatedNodes = new Counter({
      name: 'fairway_upgrade_renewed_nodes_total',
      help: 'Nodes updated by upgrades, by strategy.',
      labelNames: ['strategy'],
      registers: [registry],
    });
    this.#pools = new Counter({
      name: 'fairway_upgrade_pool_results_total',
      help: 'Results of pool upgrades, by strategy: complete; halted, because new nodes did not become ready; aborted by a user.',
      labelNames: ['strategy', 'result'],
      registers: [registry],
    });
    this.#nodeSeconds = new Histogram({
      name: 'fairway_upgrade_node_duration_seconds',
      help: 'Time between updated nodes of a pool while nothing holds the upgrade back; with several nodes at a time, the share of each.',
      labelNames: ['strategy'],
      buckets: BUCKETS,
      registers: [registry],
    });
  }

  /** Records an upgrade that changes from `last` to `upgrade`. */
  changed(last: PoolUpgrade | undefined, upgrade: PoolUpgrade, nowMs: number): void {
    const { strategy, state, target, done } = upgrade;
    const before = last?.target === target ? last : undefined;
    const result = RESULTS.get(state);
    if (result && before?.state !== state) this.#pools.inc({ strategy, result });
    const renewed = done - (before?.done ?? 0);
    if (before === undefined || renewed <= 0) return;
    this.#updatedNodes.inc({ strategy }, renewed);
    const { lastTime, time } = before.pace ?? {};
    const sinceTime = lastTime ?? time;
    if (sinceTime === undefined) return;
    const share = Math.max(nowMs - Date.parse(sinceTime), 0) / 1000 / renewed;
    for (let node = 0; node < renewed; node++) this.#nodeSeconds.observe({ strategy }, share);
  }
}
