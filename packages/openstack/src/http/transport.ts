export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpRequest {
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * Called right before each write of the request to a connection. If it throws, `send` throws the same error and
   * nothing is sent.
   */
  readonly beforeWrite?: (() => void) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One exchange, without retries. A status is never an error here. */
export interface HttpTransport {
  /** Throws a {@link TransportError}, or the signal's reason when it aborts. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Thrown when no complete response arrived. */
export class TransportError extends Error {
  /** Whether the request may have reached the server; false if no connection was ever established. */
  readonly mayHaveArrived: boolean;
  /** Whether the response exceeded the size limit. */
  readonly isTooLarge: boolean;

  constructor(
    message: string,
    options: { readonly mayHaveArrived: boolean; readonly isTooLarge?: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'TransportError';
    this.mayHaveArrived = options.mayHaveArrived;
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

export function headerOf(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Old Nova releases use their own header name. */
export function requestIdOf(response: HttpResponse): string | undefined {
  return headerOf(response, 'x-openstack-request-id') ?? headerOf(response, 'x-compute-request-id');
}
