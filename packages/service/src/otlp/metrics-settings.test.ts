import { expect, test } from 'vitest';
import { metricsPushSettings } from './metrics-settings.ts';

const ALL = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const OWN = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://mimir/otlp/v1/metrics' };

test.each([
  { reason: 'nothing is configured', env: {}, url: undefined },
  { reason: 'a receiver of traces gets no metrics by default', env: ALL, url: undefined },
  {
    reason: 'a receiver of all signals gets metrics if they are enabled',
    env: { ...ALL, OTEL_METRICS_EXPORTER: 'otlp' },
    url: 'http://collector:4318/v1/metrics',
  },
  {
    reason: 'the URL of a metrics receiver is used unchanged',
    env: { ...ALL, ...OWN },
    url: 'http://mimir/otlp/v1/metrics',
  },
  { reason: 'the SDK is disabled', env: { ...OWN, OTEL_SDK_DISABLED: 'true' }, url: undefined },
  { reason: 'no exporter', env: { ...OWN, OTEL_METRICS_EXPORTER: 'none' }, url: undefined },
  { reason: 'Prometheus scrapes them', env: { ...OWN, OTEL_METRICS_EXPORTER: 'prometheus' }, url: undefined },
])('sends metrics to $url: $reason', ({ env, url }) => {
  expect(metricsPushSettings(env)?.url).toBe(url);
});

test('sends metrics once a minute, or as configured, with common and metrics headers', () => {
  const env = { ...OWN, OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=1', OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'b=2' };

  expect(metricsPushSettings(env)).toMatchObject({ everyMs: 60_000, headers: { a: '1', b: '2' } });
  expect(metricsPushSettings({ ...env, OTEL_METRIC_EXPORT_INTERVAL: '5000' })?.everyMs).toBe(5_000);
  const sums = { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Cumulative' };
  expect(metricsPushSettings({ ...env, ...sums })?.everyMs).toBe(60_000);
});

test.each(['ftp://fairway:s3cret@collector', 'fairway:s3cret@collector:4318', 'http://fairway:s3cret@[collector'])(
  'does not reveal the secret in the error for %s',
  (endpoint) => {
    const refused = () => metricsPushSettings({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint });

    expect(refused).toThrow(/OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ".*collector/);
    expect(refused).not.toThrow(/s3cret/);
  },
);

test.each([
  [{ OTEL_METRICS_EXPORTER: 'otlp' }, /OTEL_METRICS_EXPORTER.*must also be set to the receiver/],
  [{ ...OWN, OTEL_METRICS_EXPORTER: 'console' }, /OTEL_METRICS_EXPORTER: "console"/],
  [{ ...OWN, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta' }, /TEMPORALITY_PREFERENCE: "delta"/],
  [{ ...OWN, OTEL_METRIC_EXPORT_INTERVAL: '10' }, /OTEL_METRIC_EXPORT_INTERVAL: "10".*from 1000/],
  [{ ...OWN, OTEL_METRIC_EXPORT_INTERVAL: '1m' }, /OTEL_METRIC_EXPORT_INTERVAL/],
  [{ ...OWN, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL/],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_METRICS_ENDPOINT/],
])('refuses %j', (env, message) => {
  expect(() => metricsPushSettings(env)).toThrow(message);
});
