import { Counter, Histogram, type Registry } from 'prom-client';
import type { Decision } from './decision.ts';

/** Autoscaling metrics across all clusters. */
export class AutoscalingMetrics {
  readonly #scalings: Counter<'direction'>;
  readonly #failed: Counter;
  readonly #decisionSeconds: Histogram;

  constructor(registry: Registry) {
    this.#scalings = new Counter({
      name: 'fairway_autoscaling_nodes_total',
      help: 'Nodes added (up) and removed (down) by autoscaling.',
      labelNames: ['direction'],
      registers: [registry],
    });
    this.#failed = new Counter({
      name: 'fairway_autoscaling_failed_nodes_total',
      help: 'Machines that could not be created and that autoscaling gave up on.',
      registers: [registry],
    });
    this.#decisionSeconds = new Histogram({
      name: 'fairway_autoscaling_decision_seconds',
      help: 'Duration of the scaling decision for a cluster, which blocks the event loop.',
      buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5],
      registers: [registry],
    });
  }

  /** Runs a decision and counts its results. */
  observe(decide: () => Decision): Decision {
    const end = this.#decisionSeconds.startTimer();
    const decision = decide();
    end();
    for (const { from, to } of decision.poolScaleUps) this.#scalings.inc({ direction: 'up' }, to - from);
    this.#scalings.inc({ direction: 'down' }, decision.removals.length);
    this.#failed.inc(decision.abandonedMachines.length);
    return decision;
  }
}
