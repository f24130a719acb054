import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WorkQueueObserver } from './work-queue.ts';

/** How a reconcile ended. A terminal error counts as an error too, as in controller-runtime. */
export type ReconcileOutcome = 'success' | 'requeue_after' | 'error' | 'terminal_error';

/** Receives what a controller reports. Times are in ms by the controller's clock. */
export interface ControllerObserver {
  readonly queue: WorkQueueObserver;
  started(nowMs: number): void;
  finished(outcome: ReconcileOutcome, startedMs: number, endedMs: number): void;
}

const RECONCILE_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUEUE_BUCKETS = [0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000];

/** Metrics for all controllers in a process, with controller-runtime's names. */
export class ControllerMetrics {
  readonly #now: () => number;
  readonly #reconciles: Counter<'controller' | 'result'>;
  readonly #errors: Counter<'controller'>;
  readonly #terminalErrors: Counter<'controller'>;
  readonly #seconds: Histogram<'controller'>;
  readonly #activeWorkers: Gauge<'controller'>;
  readonly #maxWorkers: Gauge<'controller'>;
  readonly #depth: Gauge<'name' | 'controller'>;
  readonly #adds: Counter<'name' | 'controller'>;
  readonly #retries: Counter<'name' | 'controller'>;
  readonly #waits: Histogram<'name' | 'controller'>;
  readonly #work: Histogram<'name' | 'controller'>;
  readonly #running = new Map<string, Map<number, number>>();

  constructor(registry: Registry, now: () => number = Date.now) {
    this.#now = now;
    const registers = [registry];
    const byController = { labelNames: ['controller'] as const, registers };
    const byQueue = { labelNames: ['name', 'controller'] as const, registers };
    this.#reconciles = new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Total number of reconciliations per controller',
      labelNames: ['controller', 'result'],
      registers,
    });
    this.#errors = new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Total number of reconciliation errors per controller',
      ...byController,
    });
    this.#terminalErrors = new Counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Total number of terminal reconciliation errors per controller',
      ...byController,
    });
    this.#seconds = new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of time per reconciliation per controller',
      buckets: RECONCILE_BUCKETS,
      ...byController,
    });
    this.#activeWorkers = new Gauge({
      name: 'controller_runtime_active_workers',
      help: 'Number of currently used workers per controller',
      ...byController,
    });
    this.#maxWorkers = new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of concurrent reconciles per controller',
      ...byController,
    });
    this.#depth = new Gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', ...byQueue });
    this.#adds = new Counter({
      name: 'workqueue_adds_total',
      help: 'Total number of adds handled by workqueue',
      ...byQueue,
    });
    this.#retries = new Counter({
      name: 'workqueue_retries_total',
      help: 'Total number of retries handled by workqueue',
      ...byQueue,
    });
    this.#waits = new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested',
      buckets: QUEUE_BUCKETS,
      ...byQueue,
    });
    this.#work = new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes.',
      buckets: QUEUE_BUCKETS,
      ...byQueue,
    });
    this.#addRunningGauges(registry);
  }

  /** The observer for one controller. Controllers with the same name (such as one per tenant cluster) are summed. */
  controller(name: string, concurrency: number): ControllerObserver {
    const queue = { name, controller: name };
    const running = this.#running.get(name) ?? new Map<number, number>();
    this.#running.set(name, running);
    this.#maxWorkers.inc({ controller: name }, concurrency);
    for (const result of ['success', 'error', 'requeue_after'] as const) {
      this.#reconciles.inc({ controller: name, result }, 0);
    }
    this.#depth.inc(queue, 0);
    return {
      queue: {
        added: () => this.#adds.inc(queue),
        retried: () => this.#retries.inc(queue),
        depthChanged: (delta) => this.#depth.inc(queue, delta),
        waited: (durationMs) => this.#waits.observe(queue, durationMs / 1000),
      },
      started: (nowMs) => {
        this.#activeWorkers.inc({ controller: name });
        running.set(nowMs, (running.get(nowMs) ?? 0) + 1);
      },
      finished: (outcome, startedMs, endedMs) => this.#finished(name, running, outcome, startedMs, endedMs),
    };
  }

  #finished(
    name: string,
    running: Map<number, number>,
    outcome: ReconcileOutcome,
    startedMs: number,
    endedMs: number,
  ): void {
    const seconds = (endedMs - startedMs) / 1000;
    const remaining = (running.get(startedMs) ?? 1) - 1;
    if (remaining === 0) running.delete(startedMs);
    else running.set(startedMs, remaining);
    this.#activeWorkers.dec({ controller: name });
    this.#seconds.observe({ controller: name }, seconds);
    this.#work.observe({ name, controller: name }, seconds);
    const isError = outcome === 'error' || outcome === 'terminal_error';
    this.#reconciles.inc({ controller: name, result: isError ? 'error' : outcome });
    if (isError) this.#errors.inc({ controller: name });
    if (outcome === 'terminal_error') this.#terminalErrors.inc({ controller: name });
  }

  /** Adds gauges that are computed at scrape time, so that stuck work shows while it is stuck. */
  #addRunningGauges(registry: Registry): void {
    const secondsRunning = (startedMs: number) => (this.#now() - startedMs) / 1000;
    const running = this.#running;
    const labelNames = ['name', 'controller'] as const;
    const unfinished = new Gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'How many seconds of work has been done that is in progress and has not been observed by work_duration.',
      labelNames,
      registers: [],
      collect() {
        for (const [name, starts] of running) {
          let seconds = 0;
          for (const [startedMs, count] of starts) seconds += secondsRunning(startedMs) * count;
          this.set({ name, controller: name }, seconds);
        }
      },
    });
    const longestRunning = new Gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'How many seconds has the longest running processor for workqueue been running.',
      labelNames,
      registers: [],
      collect() {
        for (const [name, starts] of running) {
          const longest = Math.max(0, ...[...starts.keys()].map(secondsRunning));
          this.set({ name, controller: name }, longest);
        }
      },
    });
    for (const gauge of [unfinished, longestRunning]) registry.registerMetric(gauge);
  }
}
