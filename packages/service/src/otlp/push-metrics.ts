import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Registry } from 'prom-client';
import type { ReadMetric } from './metric-data.ts';
import { MetricsPusher } from './metrics-pusher.ts';
import type { MetricsPushSettings } from './metrics-settings.ts';
import { type ProcessIdentity, processResource } from './process-resource.ts';

export interface MetricsPushOptions extends ProcessIdentity {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

const SEND_TIMEOUT_MS = 10_000;

/** Pushes the metrics of `/metrics` to an OTLP receiver over HTTP, as JSON. */
export function pushMetrics(
  { url, headers, everyMs }: MetricsPushSettings,
  options: MetricsPushOptions,
): MetricsPusher {
  const { registry, version, clock, log } = options;
  return new MetricsPusher({
    read: async () => (await registry.getMetricsAsJSON()) as unknown as readonly ReadMetric[],
    exporter: new OTLPMetricExporter({ url, headers, timeoutMillis: SEND_TIMEOUT_MS }),
    resource: processResource(options),
    version,
    everyMs,
    clock,
    log,
  });
}
