/** One HTTP exchange with a Kubernetes API, over any transport. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** The response is a stream, which may share a connection with other streams. */
  readonly isWatch?: boolean;
  /** One of many requests that start at once and may wait for each other. */
  readonly isList?: boolean;
  /** Called right before the request is written to a connection. If it throws, `request` rejects with that error and nothing is sent. */
  readonly beforeWrite?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body; for every request except a watch. */
  text(): Promise<string>;
  /**
   * Yields the body line by line as lines arrive, without line endings; for a watch. Ends when the server ends the
   * response, rejects when the connection breaks.
   */
  lines(): AsyncIterable<string>;
}

/**
 * Sends requests to one API server with one identity: over TLS (`https-transport.ts`), or by calling an embedded
 * server in this process (`ApiServer.transport(user)`). Rejects with a TransportError only if there is no response.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle connections and ends running watches. */
  close(): void;
}

/**
 * The response exceeds the limit; for a list, a smaller page can be requested. It is the cause of a TransportError if
 * the response had started.
 */
export class ResponseTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError';
}

/**
 * Thrown when a request got no HTTP response: refused, reset, timed out, TLS failure. The request may or may not have
 * taken effect.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
}
