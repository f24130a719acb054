import { Counter, Histogram, type Registry } from 'prom-client';
import type { Decision } from './decision.ts';

/** What autoscaling counts, over all clusters. */
export class AutoscalingMetrics {
  readonly #scaled: Counter<'direction'>;
  readonly #failed: Counter;
  readonly #seconds: Histogram;

  constructor(registry: Registry) {
    this.#scaled = new Counter({
      name: 'fairway_autoscaling_nodes_total',
      help: 'Nodes that autoscaling has added (up) and taken away (down).',
      labelNames: ['direction'],
      registers: [registry],
    });
    this.#failed = new Counter({
      name: 'fairway_autoscaling_failed_nodes_total',
      help: 'Machines that could not be had and that autoscaling has given up.',
      registers: [registry],
    });
    this.#seconds = new Histogram({
      name: 'fairway_autoscaling_decision_seconds',
      help: 'Duration of decisions about a cluster, during which nothing else runs.',
      buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5],
      registers: [registry],
    });
  }

  /** Runs a decision and counts what comes of it. */
  observe(decide: () => Decision): Decision {
    const end = this.#seconds.startTimer();
    const decision = decide();
    end();
    for (const { from, to } of decision.growths) this.#scaled.inc({ direction: 'up' }, to - from);
    this.#scaled.inc({ direction: 'down' }, decision.removals.length);
    this.#failed.inc(decision.givenUp.length);
    return decision;
  }
}
