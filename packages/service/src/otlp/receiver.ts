import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type CommandError, usageError } from '../command-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The signals that are sent, as named in OpenTelemetry's variables. */
export type Signal = 'TRACES' | 'METRICS';

const PATHS: Readonly<Record<Signal, string>> = { TRACES: '/v1/traces', METRICS: '/v1/metrics' };

/**
 * The URL for a signal according to OpenTelemetry's variables; undefined if none sets a receiver. Throws a usage error
 * that names the variable.
 */
export function receiverUrl(env: Environment, signal: Signal): string | undefined {
  const signalVariable = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  if (env[signalVariable]) return parseReceiverUrl(signalVariable, env[signalVariable], undefined);
  const base = 'OTEL_EXPORTER_OTLP_ENDPOINT';
  return env[base] ? parseReceiverUrl(base, env[base], signal) : undefined;
}

/**
 * The URL in a setting; the signal's path is appended to a URL for all signals. Throws if the setting is not an HTTP
 * URL.
 */
export function parseReceiverUrl(name: string, text: string, signal: Signal | undefined): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // The host may be preceded by a user and a password.
    throw invalidSetting(
      name,
      // oxlint-disable-next-line fairway/linear-regexps -- the operator's own setting
      text.replace(/^(.*\/\/)?.*@/, '$1…@'),
      'the URL of an OTLP receiver, such as http://127.0.0.1:4318',
    );
  }
  if (signal !== undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}${PATHS[signal]}`;
  return url.href;
}

/** Whether the signal is disabled, regardless of the other variables. */
export function isDisabled(env: Environment): boolean {
  return env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
}

/** Throws a usage error for an unsupported protocol. */
export function requireHttp(env: Environment, signal: Signal): void {
  const protocol = env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol !== 'grpc') return;
  throw invalidSetting(
    'OTEL_EXPORTER_OTLP_PROTOCOL',
    protocol,
    'supported: use http/json and the HTTP port, 4318 by default',
  );
}

/** Headers for all signals and for this one. */
export function receiverHeaders(env: Environment, signal: Signal): Readonly<Record<string, string>> {
  return {
    ...parseHeaders(env, 'OTEL_EXPORTER_OTLP_HEADERS'),
    ...parseHeaders(env, `OTEL_EXPORTER_OTLP_${signal}_HEADERS`),
  };
}

/** Comma-separated `name=value`, percent-encoded, as in W3C Baggage. */
function parseHeaders(env: Environment, name: string): Record<string, string> {
  const pairs = (env[name] ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = '', ...value] = pair.split('=');
      if (value.length === 0) throw usageError(`${name} has a part without "="`, 'write NAME=VALUE,NAME=VALUE');
      return [key.trim(), parseHeaderValue(name, key.trim(), value.join('=').trim())];
    }),
  );
}

/** Never quoted in an error: it may be a secret. */
function parseHeaderValue(variable: string, key: string, encoded: string): string {
  try {
    const value = decodeURIComponent(encoded);
    validateHeaderName(key);
    validateHeaderValue(key, value);
    return value;
  } catch {
    const advice = 'write a percent sign as %25, and use only characters that are valid in a header';
    throw usageError(`${variable}: the header ${JSON.stringify(key)} cannot be sent`, advice);
  }
}

export function invalidSetting(name: string, value: string, allowed: string): CommandError {
  return usageError(`${name}: ${JSON.stringify(value)} is not ${allowed}`, 'correct it, or unset it to send nothing');
}
