import type { RepairMark } from '@fairway/api/kinds/machine-marks';
import { Counter, type Registry } from 'prom-client';

type Repair = Pick<RepairMark, 'reason' | 'strategy'>;

/** Counts healing actions in this process. */
export class HealingMetrics {
  readonly #repairs: Counter<'result' | 'reason' | 'strategy'>;
  readonly #heldRepairs: Counter<'reason'>;

  constructor(registry: Registry) {
    this.#repairs = new Counter({
      name: 'fairway_node_repairs_total',
      help: 'Node repairs by strategy, reason and result: started, ended, or failed (the node or its replacement became unhealthy again within an hour).',
      labelNames: ['result', 'reason', 'strategy'],
      registers: [registry],
    });
    this.#heldRepairs = new Counter({
      name: 'fairway_node_repairs_held_total',
      help: 'How often the repair of an unhealthy node was held back, by reason.',
      labelNames: ['reason'],
      registers: [registry],
    });
  }

  started({ reason, strategy }: Repair): void {
    this.#repairs.inc({ result: 'started', reason, strategy });
  }

  ended({ reason, strategy }: Repair, result: 'ended' | 'failed'): void {
    this.#repairs.inc({ result, reason, strategy });
  }

  held(reason: string): void {
    this.#heldRepairs.inc({ reason });
  }
}
