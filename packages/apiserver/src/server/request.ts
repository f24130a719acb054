import type { Duplex, Readable } from 'node:stream';
import type { Transport } from '@fairway/kube/client/transport';
import type { Access } from '../auth/access.ts';
import type { UserInfo } from '../auth/user.ts';
import { ListText } from './list-text.ts';
import type { ServedResource } from './served-resource.ts';

/** An incoming request over any transport. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Reads the body for `user`, who must be authenticated and authorized; returns '' for methods without a body. Call it
   * at most once. Rejects with 400, 408, 413 beyond `maxBytes` or the server's limit, 415 or 429.
   */
  readonly readContent: (user: UserInfo | undefined, maxBytes?: number) => Promise<RequestContent>;
  /** The raw body, for forwarding; use it instead of `readContent`. */
  readonly readBytes: (user: UserInfo | undefined) => Promise<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
  /** Address of the peer; absent for in-process requests. */
  readonly peer?: string | undefined;
  /** Whether the response may be a 101. */
  readonly canUpgrade?: boolean;
}

/** The body of a request as text, and the headers with the text's content type. */
export interface RequestContent {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A line of a watch. Its bytes are encoded once and shared by all watchers. */
export class Line {
  readonly text: string;
  #bytes: Uint8Array | undefined;
  #chunk: Uint8Array | undefined;

  /** @param text including its line ending. */
  constructor(text: string) {
    this.text = text;
  }

  bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }

  /** The bytes as an HTTP/1.1 chunk. */
  chunk(): Uint8Array {
    this.#chunk ??= Buffer.from(`${Buffer.byteLength(this.text).toString(16)}\r\n${this.text}\r\n`);
    return this.#chunk;
  }
}

export interface LineSink {
  /**
   * Returns false if the receiver is full; this line is still accepted. Wait until the receiver calls the stream's
   * `resume`.
   */
  send(line: Line): boolean;
  end(): void;
}

/** A streaming response: a watch. */
export interface LineStream {
  start(sink: LineSink): void;
  /** Called when the receiver has room again after `send` returned false. */
  resume(): void;
  /** Called when the receiver has disconnected. */
  stop(): void;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A Readable for responses from another server. */
  readonly body: string | Uint8Array | ListText | LineStream | Readable;
  /** Additional values of Set-Cookie, of which `headers` can hold only one. */
  readonly cookies?: readonly string[] | undefined;
  /** Another server's connection after a protocol switch (101): the client then communicates with it directly. */
  readonly upgraded?: Duplex | undefined;
  /** The user that a public route identified, for the audit log and connection limits. */
  readonly user?: UserInfo | undefined;
  /** Releases the response's share of the server's limits; call it when the response is sent or abandoned. */
  readonly release?: (() => void) | undefined;
}

/** The target of a resource request. */
export interface ResourceTarget {
  readonly resource: ServedResource;
  readonly verb: string;
  readonly subresource: string;
  /** '' for all namespaces or for cluster-scoped resources. */
  readonly namespace: string;
  /** '' for a collection. */
  readonly name: string;
}

/** A request for a resource, after authentication, authorization and resolution. */
export interface ResourceRequest extends ResourceTarget {
  readonly user: UserInfo;
  readonly access?: Access | undefined;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** A server-side apply, which sets field ownership itself. */
  readonly isApply?: boolean;
  readonly dryRun: boolean;
  /** Arrival time of the request. */
  readonly nowMs: number;
  /** The server's clock. */
  readonly now: () => number;
  /**
   * Creates a transport for in-process requests with full permissions; absent if the server itself acts without a
   * request.
   */
  readonly loopback?: (() => Transport) | undefined;
  /** Waits for the user's next slot before work is repeated; absent for in-process requests. */
  readonly nextTurn?: (() => Promise<void>) | undefined;
  /** Reserves space for a large response before it is created; throws 429 if too much is unsent. */
  readonly holdResponse?: ((bytes: number) => void) | undefined;
  warn(text: string): void;
  /** Called with the name of the object to create, as soon as it is known. */
  named?(name: string): void;
  /** Adds an annotation to the audit event. */
  annotate?(key: string, value: string): void;
}

export const JSON_TYPE = 'application/json';

export function jsonResponse(status: number, body: object | string): ApiResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': JSON_TYPE }, body: text };
}

/** Whether a response may last indefinitely. */
export function staysOpen({ body }: ApiResponse): boolean {
  return typeof body !== 'string' && !(body instanceof Uint8Array) && !(body instanceof ListText);
}
