import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { TraceExchange, Tracer } from '@fairway/base/tracing';
import { waitAtMost } from '@fairway/base/wait-at-most';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { Counter, type Registry } from 'prom-client';
import { type ProcessIdentity, processResource } from '../otlp/process-resource.ts';
import { BoundedSpans } from './bounded-spans.ts';
import { OtelTracer } from './otel-tracer.ts';
import { RetryingExporter } from './retrying-exporter.ts';
import type { TracingSettings } from './tracing-settings.ts';

export interface Tracing {
  readonly tracer: Tracer & TraceExchange;
  /** Adds the numbers of sent and lost spans to the metrics. */
  addMetrics(registry: Registry): void;
  /** Sends the remaining spans, for at most a few seconds. */
  close(): Promise<void>;
}

export interface TracingOptions extends ProcessIdentity {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Maximum number of spans that are queued or being sent: 2,048 of about 2 KB each. */
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;
const SEND_INTERVAL_MS = 5_000;
const SEND_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;
const MAX_ATTRIBUTE_CHARS = 256;
const MAX_ATTRIBUTES = 32;
const MAX_LINKS = 16;

/**
 * Records traces and sends them to an OTLP receiver over HTTP, as JSON. If the receiver is slow or unreachable, only
 * spans are lost.
 */
export function openTracing(settings: TracingSettings, options: TracingOptions): Tracing {
  const { version, clock, random, log } = options;
  const sendingExporter = new OTLPTraceExporter({
    url: settings.url,
    headers: settings.headers,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const exporter = new RetryingExporter(sendingExporter, { clock, log });
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: MAX_BATCH_SPANS,
    scheduledDelayMillis: SEND_INTERVAL_MS,
    exportTimeoutMillis: SEND_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: processResource(options),
    // Unrecorded requests have no span.
    sampler: new AlwaysOnSampler(),
    spanLimits: {
      attributeValueLengthLimit: MAX_ATTRIBUTE_CHARS,
      attributeCountLimit: MAX_ATTRIBUTES,
      linkCountLimit: MAX_LINKS,
    },
    spanProcessors: [new BoundedSpans(batches, exporter, MAX_QUEUED_SPANS)],
  });
  return {
    tracer: new OtelTracer({ api: provider.getTracer('fairway', version), sampling: settings.sampling, clock, random }),
    addMetrics: (registry) => addTracingMetrics(registry, exporter),
    close: async () => {
      const exports = provider
        .shutdown()
        .catch((error: unknown) => log.debug({ err: error }, 'the last traces were lost'));
      await waitAtMost(CLOSE_TIMEOUT_MS, clock, exports);
    },
  };
}

function addTracingMetrics(registry: Registry, { counts }: RetryingExporter): void {
  const spans = new Counter({
    name: 'fairway_trace_spans_total',
    help: "Trace spans by result: 'exported', or 'lost' because the receiver was unreachable, slow or full.",
    labelNames: ['result'],
    registers: [],
    collect() {
      this.reset();
      this.inc({ result: 'exported' }, counts.exported);
      this.inc({ result: 'lost' }, counts.lost);
    },
  });
  registry.registerMetric(spans);
}
