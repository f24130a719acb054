import {
  type Environment,
  invalidSetting,
  isDisabled,
  receiverHeaders,
  receiverUrl,
  requireHttp,
  type Signal,
} from './receiver.ts';

/** Settings for pushing metrics. */
export interface MetricsPushSettings {
  /** URL of an OTLP receiver over HTTP, with the path: `http://127.0.0.1:4318/v1/metrics`. */
  readonly url: string;
  /** Sent with each request; may contain a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly everyMs: number;
}

const SIGNAL: Signal = 'METRICS';
const DEFAULT_INTERVAL_MS = 60_000;
const MIN_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 86_400_000;

/**
 * Reads OpenTelemetry's standard variables; undefined if metrics are not pushed. A receiver for all signals gets
 * metrics only with `OTEL_METRICS_EXPORTER=otlp`: a receiver configured for traces should not get metrics that
 * Prometheus already scrapes. Throws a usage error that names the variable.
 */
export function metricsPushSettings(env: Environment): MetricsPushSettings | undefined {
  if (isDisabled(env)) return undefined;
  const exporter = env['OTEL_METRICS_EXPORTER'] ?? '';
  // `/metrics` is served regardless.
  if (exporter === 'none' || exporter === 'prometheus') return undefined;
  if (exporter !== '' && exporter !== 'otlp') {
    throw invalidSetting('OTEL_METRICS_EXPORTER', exporter, 'otlp, prometheus or none');
  }
  if (exporter === '' && !env['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT']) return undefined;
  const url = receiverUrl(env, SIGNAL);
  if (url === undefined) {
    throw invalidSetting(
      'OTEL_METRICS_EXPORTER',
      exporter,
      'sufficient: OTEL_EXPORTER_OTLP_METRICS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT must also be set to the receiver',
    );
  }
  requireHttp(env, SIGNAL);
  requireSums(env);
  return { url, headers: receiverHeaders(env, SIGNAL), everyMs: intervalOf(env) };
}

/** Sums are cumulative since the start: deltas are not supported. */
function requireSums(env: Environment): void {
  const name = 'OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE';
  const preferred = env[name] ?? '';
  if (preferred !== '' && preferred.toLowerCase() !== 'cumulative') throw invalidSetting(name, preferred, 'cumulative');
}

function intervalOf(env: Environment): number {
  const text = env['OTEL_METRIC_EXPORT_INTERVAL'] ?? '';
  if (text === '') return DEFAULT_INTERVAL_MS;
  const ms = Number(text);
  if (Number.isInteger(ms) && ms >= MIN_INTERVAL_MS && ms <= MAX_INTERVAL_MS) return ms;
  throw invalidSetting(
    'OTEL_METRIC_EXPORT_INTERVAL',
    text,
    `an integer number of milliseconds from ${MIN_INTERVAL_MS} to ${MAX_INTERVAL_MS}`,
  );
}
