import { validateHeaderName, validateHeaderValue } from 'node:http';
import { usageError } from '../command-error.ts';

/** Which traces are recorded. */
export interface Sampling {
  /** Whether a client's own decision counts, as far as he may ask for traces. */
  readonly isParentBased: boolean;
  /** Share of the other requests and reconciles, from 0 to 1. */
  readonly ratio: number;
}

/** Where traces go. */
export interface TracingSettings {
  /** Of an OTLP receiver over HTTP, with the path: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Of each request to it; they may hold a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
}

/** What fairway.yaml says of it. */
export interface ConfiguredTracing {
  readonly endpoint?: string | undefined;
  readonly sampleRatio?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampling>> = {
  always_on: () => ({ isParentBased: false, ratio: 1 }),
  always_off: () => ({ isParentBased: false, ratio: 0 }),
  traceidratio: (ratio) => ({ isParentBased: false, ratio }),
  parentbased_always_on: () => ({ isParentBased: true, ratio: 1 }),
  parentbased_always_off: () => ({ isParentBased: true, ratio: 0 }),
  parentbased_traceidratio: (ratio) => ({ isParentBased: true, ratio }),
};

/**
 * Fairway's own settings, else OpenTelemetry's standard variables; undefined if neither names a receiver, or the variables turn it off.
 * Throws a usage error that names the variable.
 */
export function tracingSettings(env: Environment, configured: ConfiguredTracing = {}): TracingSettings | undefined {
  const url = urlOf(env, configured);
  if (url === undefined || env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  const exporter = env['OTEL_TRACES_EXPORTER'] || 'otlp';
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') throw wrong('OTEL_TRACES_EXPORTER', exporter, 'otlp or none');
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol === 'grpc') {
    throw wrong('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'http/json, and the port of HTTP, which is 4318 by default');
  }
  const headers = {
    ...headersIn(env, 'OTEL_EXPORTER_OTLP_HEADERS'),
    ...headersIn(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
  };
  return { url, headers, sampling: samplingOf(env, configured) };
}

function urlOf(env: Environment, { endpoint }: ConfiguredTracing): string | undefined {
  if (endpoint) return tracesUrl('tracing.endpoint', endpoint, true);
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base } = env;
  if (own) return tracesUrl('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own, false);
  return base ? tracesUrl('OTEL_EXPORTER_OTLP_ENDPOINT', base, true) : undefined;
}

/** Of `tracing.endpoint`; throws for what is no URL over HTTP. */
export function parseTracingEndpoint(text: string): string {
  tracesUrl('tracing.endpoint', text, true);
  return text;
}

function tracesUrl(name: string, text: string, isBase: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw wrong(name, text, 'the URL of an OTLP receiver, such as http://127.0.0.1:4318');
  }
  if (isBase) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

function samplingOf(env: Environment, { sampleRatio }: ConfiguredTracing): Sampling {
  if (sampleRatio !== undefined) return { isParentBased: true, ratio: sampleRatio };
  const { OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: argument = '' } = env;
  const make = SAMPLERS[name === '' ? 'parentbased_always_on' : name];
  if (make === undefined) throw wrong('OTEL_TRACES_SAMPLER', name, `one of ${Object.keys(SAMPLERS).join(', ')}`);
  const ratio = argument === '' ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1)) throw wrong('OTEL_TRACES_SAMPLER_ARG', argument, 'a number from 0 to 1');
  return make(ratio);
}

/** `name=value` with commas between, percent-encoded, as in W3C's baggage. */
function headersIn(env: Environment, name: string): Record<string, string> {
  const pairs = (env[name] ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = '', ...value] = pair.split('=');
      if (value.length === 0) throw usageError(`${name} has a part without "="`, 'write NAME=VALUE,NAME=VALUE');
      return [key.trim(), headerValue(name, key.trim(), value.join('=').trim())];
    }),
  );
}

/** Never quoted in an error: it may be a secret. */
function headerValue(variable: string, key: string, encoded: string): string {
  try {
    const value = decodeURIComponent(encoded);
    validateHeaderName(key);
    validateHeaderValue(key, value);
    return value;
  } catch {
    const advice = 'write a percent sign as %25, and nothing that a header cannot hold';
    throw usageError(`${variable}: the header ${JSON.stringify(key)} cannot be sent`, advice);
  }
}

function wrong(name: string, value: string, allowed: string): Error {
  return usageError(`${name}: ${JSON.stringify(value)} is not ${allowed}`, 'correct it, or unset it to have no traces');
}
