import type { Clock } from '@fairway/base/clock';
import { type HttpMethod, type HttpTransport, TransportError } from '../../http/transport.ts';
import { SignInError } from '../person.ts';

/** The arguments that oauth4webapi passes. */
export interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export type TransportFetch = (url: string, options: FetchOptions) => Promise<Response>;

const TIMEOUT_MS = 30_000;

/**
 * `fetch` over the connections of a cloud, so its certificates also apply to its identity provider. Redirects are not
 * followed.
 */
export function transportFetch(transport: HttpTransport, clock: Clock, signal: AbortSignal): TransportFetch {
  return async (url, { method, headers, body }) => {
    const late = new AbortController();
    const timer = clock.after(TIMEOUT_MS, () => late.abort());
    try {
      const response = await transport.send(
        { method: method as HttpMethod, url, headers, ...(body != null && { body: textOf(body) }) },
        AbortSignal.any([signal, late.signal]),
      );
      const entries = Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      );
      const hasBody = response.status !== 204 && response.status !== 304;
      return new Response(hasBody ? response.body : null, { status: response.status, headers: entries });
    } catch (error) {
      signal.throwIfAborted();
      const isLate = late.signal.aborted;
      if (!isLate && !(error instanceof TransportError)) throw error;
      const what = isLate ? `no response within ${TIMEOUT_MS / 1000} s` : (error as TransportError).message;
      throw new NoResponseError(`the identity provider at ${new URL(url).host} is not reachable: ${what}`, {
        cause: error,
      });
    } finally {
      timer.cancel();
    }
  };
}

/** Thrown when the provider did not respond; a retry may succeed. */
export class NoResponseError extends SignInError {}

function textOf(body: unknown): string {
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('only text is sent to an identity provider');
}
