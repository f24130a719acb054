import { connection } from './connection.ts';
import { Failure, failureOf } from './failure.ts';

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Proves that a page of the console asks: a browser lets no other site add a header. The cookie counts for such requests alone. */
const OWN_HEADER = 'x-fairway-console';
const UNAVAILABLE = 502;

let onSignedOut = (): void => {};

/** What happens when the server does not know the session any more. */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler;
}

/** An answer of the API whose body has not been read. Rejects with a Failure for all others. */
export async function open(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', accept = 'application/json', contentType = 'application/json', body, signal } = options;
  const response = await fetch(path, {
    method,
    headers: {
      accept,
      [OWN_HEADER]: '1',
      ...(body !== undefined && { 'content-type': contentType }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    connection.failed();
    throw new Failure(0, error instanceof Error ? error.message : String(error));
  });
  if (response.status >= UNAVAILABLE && response.status <= UNAVAILABLE + 2) connection.failed();
  else connection.answered();
  if (response.ok) return response;
  const failure = failureOf(response.status, await response.text(), response.headers.get('retry-after'));
  if (failure.code === 401 && !path.startsWith('/console/session')) onSignedOut();
  throw failure;
}

/** The JSON that a request is answered with; undefined for an empty answer. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await open(path, options);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
