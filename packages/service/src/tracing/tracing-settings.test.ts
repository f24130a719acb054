import { describe, expect, it, test } from 'vitest';
import { tracingSettings } from './tracing-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('the destination of traces', () => {
  const cases = [
    { reason: 'nobody asked', env: {}, configured: {}, url: undefined },
    { reason: 'the base URL of all signals', env: ENDPOINT, configured: {}, url: 'http://collector:4318/v1/traces' },
    {
      reason: 'a base URL with a path',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/' },
      configured: {},
      url: 'https://collector/otlp/v1/traces',
    },
    {
      reason: 'the URL of traces, unchanged',
      env: { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://tempo:4318/in' },
      configured: {},
      url: 'http://tempo:4318/in',
    },
    {
      reason: 'Fairway’s own setting, which takes precedence',
      env: ENDPOINT,
      configured: { endpoint: 'http://jaeger:4318' },
      url: 'http://jaeger:4318/v1/traces',
    },
    { reason: 'turned off', env: { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }, configured: {}, url: undefined },
    { reason: 'no exporter', env: { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, configured: {}, url: undefined },
    {
      reason: 'an empty variable, which is ignored',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
      configured: {},
      url: undefined,
    },
  ];
  it.each(cases)('$reason', ({ env, configured, url }) => {
    expect(tracingSettings(env, configured)?.url).toBe(url);
  });
});

test('sends common and traces headers, decoded', () => {
  const env = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20s3cret,x-scope=a',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-scope=b',
  };

  expect(tracingSettings(env)?.headers).toEqual({ authorization: 'Bearer s3cret', 'x-scope': 'b' });
});

describe('sampling', () => {
  const cases = [
    { env: {}, ratio: undefined, sampling: { isParentBased: true, ratio: 1 } },
    { env: { OTEL_TRACES_SAMPLER: 'always_off' }, ratio: undefined, sampling: { isParentBased: false, ratio: 0 } },
    {
      env: { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
      ratio: undefined,
      sampling: { isParentBased: true, ratio: 0.01 },
    },
    { env: { OTEL_TRACES_SAMPLER: 'always_on' }, ratio: 0.25, sampling: { isParentBased: true, ratio: 0.25 } },
  ];
  it.each(cases)('$env and $ratio', ({ env, ratio, sampling }) => {
    expect(tracingSettings({ ...ENDPOINT, ...env }, { sampleRatio: ratio })?.sampling).toEqual(sampling);
  });
});

describe('refuses unsupported settings, with the name of the variable', () => {
  const cases = [
    {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      expectedMessage: /OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318"/,
    },
    {
      env: { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      expectedMessage: /"grpc" is not supported: use http\/json/,
    },
    { env: { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }, expectedMessage: /"zipkin" is not otlp or none/ },
    {
      env: { ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote' },
      expectedMessage: /one of always_on, always_off, traceidratio/,
    },
    { env: { ...ENDPOINT, OTEL_TRACES_SAMPLER_ARG: '2' }, expectedMessage: /OTEL_TRACES_SAMPLER_ARG: "2"/ },
    {
      env: { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
      expectedMessage: /^OTEL_EXPORTER_OTLP_HEADERS has a part without "="$/,
    },
    {
      env: { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=100%' },
      expectedMessage: /^OTEL_EXPORTER_OTLP_HEADERS: the header "authorization" cannot be sent$/,
    },
    {
      env: { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=s%0Acret' },
      expectedMessage: /^OTEL_EXPORTER_OTLP_TRACES_HEADERS: the header "x-a" cannot be sent$/,
    },
  ];
  it.each(cases)('$expectedMessage', ({ env, expectedMessage }) => {
    expect(() => tracingSettings(env)).toThrow(expectedMessage);
  });
});
