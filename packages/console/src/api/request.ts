import { connection } from './connection.ts';
import { Failure, failureOf } from './failure.ts';
import { serverClock } from './server-clock.ts';

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Proves that the request is from a page of the console: browsers do not let other sites add this header, and the
 * server accepts the cookie only together with it.
 */
const CONSOLE_HEADER = 'x-fairway-console';
const UNAVAILABLE = 502;

let signedOutHandler = (): void => {};

/** Called when the server no longer accepts the session. */
export function onSignOut(handler: () => void): void {
  signedOutHandler = handler;
}

/** A successful response, with its body unread. Rejects with a Failure otherwise. */
export async function open(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', accept = 'application/json', contentType = 'application/json', body, signal } = options;
  const sentMs = Date.now();
  const response = await fetch(path, {
    method,
    headers: {
      accept,
      [CONSOLE_HEADER]: '1',
      ...(body !== undefined && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    connection.recordFailure();
    throw new Failure(0, error instanceof Error ? error.message : String(error));
  });
  serverClock.observe(response.headers.get('date'), sentMs);
  if (response.status >= UNAVAILABLE && response.status <= UNAVAILABLE + 2) connection.recordFailure();
  else connection.recordResponse();
  if (response.ok) return response;
  const failure = failureOf(response.status, await response.text(), response.headers.get('retry-after'));
  if (failure.code === 401 && !path.startsWith('/console/session')) signedOutHandler();
  throw failure;
}

/** The JSON body of a response; undefined if the body is empty. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await open(path, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
