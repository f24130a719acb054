import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { waitAtMost } from '@fairway/base/wait-at-most';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { metricData, type ReadMetric } from './metric-data.ts';

/** Doubled after each failure: a receiver that is unreachable for a day is tried a few times an hour. */
const MIN_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
const CLOSE_TIMEOUT_MS = 2_000;

export interface MetricsPusherOptions {
  readonly read: () => Promise<readonly ReadMetric[]>;
  readonly exporter: {
    export(metrics: ResourceMetrics, callback: (result: ExportResult) => void): void;
    shutdown(): Promise<void>;
  };
  readonly resource: Resource;
  readonly version: string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Sends all metrics periodically, one batch at a time. Metrics that could not be sent are dropped, because the next
 * batch contains the same sums.
 */
export class MetricsPusher {
  readonly #options: MetricsPusherOptions;
  readonly #startMs: number;
  readonly #stop = new AbortController();
  readonly #stopped: Promise<void>;
  #failures = 0;

  constructor(options: MetricsPusherOptions) {
    this.#options = options;
    this.#startMs = options.clock.now();
    this.#stopped = this.#run();
  }

  /** Sends the final metrics, for at most a few seconds. */
  async close(): Promise<void> {
    const { clock, exporter } = this.#options;
    this.#stop.abort();
    const last = this.#stopped.then(() => (this.#failures === 0 ? this.#push() : undefined));
    await waitAtMost(CLOSE_TIMEOUT_MS, clock, last);
    await waitAtMost(CLOSE_TIMEOUT_MS, clock, exporter.shutdown());
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const pauseMs = this.#failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (this.#failures - 1));
      const isStopped = await clock.sleep(Math.max(everyMs, pauseMs), signal).then(
        () => false,
        () => true,
      );
      if (!isStopped) await this.#push();
    }
  }

  async #push(): Promise<void> {
    const { read, exporter, resource, version, clock, log } = this.#options;
    try {
      const span = { fromMs: this.#startMs, toMs: clock.now() };
      const scopeMetrics = [{ scope: { name: 'fairway', version }, metrics: metricData(await read(), span) }];
      const result = await new Promise<ExportResult>((resolve) => exporter.export({ resource, scopeMetrics }, resolve));
      if (result.code !== ExportResultCode.SUCCESS) throw result.error ?? new Error('the receiver rejected them');
      if (this.#failures > 0) log.info({ failures: this.#failures }, 'metrics are being delivered again');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) log.warn({ err: (error as Error).message }, 'could not send metrics');
      this.#failures = Math.min(this.#failures + 1, 10);
    }
  }
}
