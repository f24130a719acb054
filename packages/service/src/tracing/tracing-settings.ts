import {
  type Environment,
  invalidSetting,
  isDisabled,
  parseReceiverUrl,
  receiverHeaders,
  receiverUrl,
  requireHttp,
} from '../otlp/receiver.ts';

/** Which traces are sampled. */
export interface Sampling {
  /** Whether a client's own sampling decision is respected, within its limit. */
  readonly isParentBased: boolean;
  /** Sampling ratio of all other requests and reconciles, from 0 to 1. */
  readonly ratio: number;
}

/** Settings for sending traces. */
export interface TracingSettings {
  /** URL of an OTLP receiver over HTTP, with the path: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Sent with each request; may contain a secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
}

/** The settings in fairway.yaml. */
export interface ConfiguredTracing {
  readonly endpoint?: string | undefined;
  readonly sampleRatio?: number | undefined;
}

const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampling>> = {
  always_on: () => ({ isParentBased: false, ratio: 1 }),
  always_off: () => ({ isParentBased: false, ratio: 0 }),
  traceidratio: (ratio) => ({ isParentBased: false, ratio }),
  parentbased_always_on: () => ({ isParentBased: true, ratio: 1 }),
  parentbased_always_off: () => ({ isParentBased: true, ratio: 0 }),
  parentbased_traceidratio: (ratio) => ({ isParentBased: true, ratio }),
};

/**
 * Fairway's own settings, or else OpenTelemetry's standard variables; undefined if neither sets a receiver, or the
 * variables disable tracing. Throws a usage error that names the variable.
 */
export function tracingSettings(env: Environment, configured: ConfiguredTracing = {}): TracingSettings | undefined {
  const url = urlOf(env, configured);
  if (url === undefined || isDisabled(env)) return undefined;
  const exporter = env['OTEL_TRACES_EXPORTER'] || 'otlp';
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') throw invalidSetting('OTEL_TRACES_EXPORTER', exporter, 'otlp or none');
  requireHttp(env, 'TRACES');
  return { url, headers: receiverHeaders(env, 'TRACES'), sampling: samplingOf(env, configured) };
}

function urlOf(env: Environment, { endpoint }: ConfiguredTracing): string | undefined {
  return endpoint ? parseReceiverUrl('tracing.endpoint', endpoint, 'TRACES') : receiverUrl(env, 'TRACES');
}

/** Parses `tracing.endpoint`; throws if it is not an HTTP URL. */
export function parseTracingEndpoint(text: string): string {
  parseReceiverUrl('tracing.endpoint', text, 'TRACES');
  return text;
}

function samplingOf(env: Environment, { sampleRatio }: ConfiguredTracing): Sampling {
  if (sampleRatio !== undefined) return { isParentBased: true, ratio: sampleRatio };
  const { OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: argument = '' } = env;
  const make = SAMPLERS[name === '' ? 'parentbased_always_on' : name];
  if (make === undefined)
    throw invalidSetting('OTEL_TRACES_SAMPLER', name, `one of ${Object.keys(SAMPLERS).join(', ')}`);
  const ratio = argument === '' ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1)) throw invalidSetting('OTEL_TRACES_SAMPLER_ARG', argument, 'a number from 0 to 1');
  return make(ratio);
}
