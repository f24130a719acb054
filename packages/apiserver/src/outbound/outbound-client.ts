import { Resolver } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { isStaleConnection } from '@fairway/kube/client/https-connections';
import { DEADLINE_EXCEEDED, OutboundError, outboundErrorOf } from './outbound-error.ts';
import type { OutboundKind, OutboundPolicy } from './outbound-policy.ts';

/** A server outside this process. */
export interface Destination {
  readonly kind: OutboundKind;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Expected name in the server's certificate, if different from `host`. */
  readonly serverName?: string | undefined;
  /** PEM of the CAs that may issue the server's certificate; Node's built-in CAs by default. */
  readonly caBundle?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** PEM of this server's certificate and key. */
  readonly identity?: { readonly certificate: string; readonly privateKey: string } | undefined;
}

export interface OutboundCall {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | undefined;
  /**
   * Whether the request may be resent if an idle connection breaks while it is being sent: it is then unknown whether
   * the server received it. By default only reads are resent.
   */
  readonly isRepeatable?: boolean;
  /**
   * Whether the response may switch protocols (101). The call then uses a separate connection, and the bytes after the
   * response come from its socket. Otherwise 101 is an error.
   */
  readonly mayUpgrade?: boolean;
  /** Time limit for the response headers; the caller limits the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundClientOptions {
  readonly clock: Clock;
  readonly policy: OutboundPolicy;
  /** Resolves a name, by default with DNS. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Maximum concurrent calls; 64 by default. */
  readonly maxCalls?: number;
}

/** An OutboundClient as its callers see it. */
export type Outbound = Pick<OutboundClient, 'request'>;

/** Concurrent calls. Additional calls wait, within their time limit. */
const MAX_CALLS = 64;
const IDLE_CONNECTIONS = 4;
const IDLE_MS = 30_000;
const RESOLVE_TIMEOUT_MS = 3000;

/**
 * Calls user-defined servers: webhooks and aggregated API servers. It connects to exactly the address that the policy
 * allowed, even if DNS changes in the meantime; it follows no redirects and uses no proxy.
 */
export class OutboundClient {
  readonly #options: OutboundClientOptions;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MS });
  readonly #slots: CallSlots;

  constructor(options: OutboundClientOptions) {
    this.#options = options;
    this.#slots = new CallSlots(options.maxCalls ?? MAX_CALLS);
  }

  /** Rejects with an OutboundError. The caller reads the body, or destroys it. */
  async request(destination: Destination, call: OutboundCall): Promise<IncomingMessage> {
    const endMs = this.#options.clock.now() + call.timeoutMs;
    const release = await this.#enter(call.timeoutMs);
    try {
      const address = await this.#withTimeout(this.#remainingMs(endMs), this.#addressOf(destination));
      return await this.#send(destination, address, call, endMs, isRepeatable(call));
    } finally {
      release();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #enter(timeoutMs: number): Promise<() => void> {
    const entering = this.#slots.enter();
    try {
      return await this.#withTimeout(timeoutMs, entering);
    } catch (error) {
      void entering.then((release) => release());
      throw error;
    }
  }

  #remainingMs(endMs: number): number {
    return endMs - this.#options.clock.now();
  }

  /** The first address of the destination that the policy allows. */
  async #addressOf({ kind, host, port }: Destination): Promise<string> {
    const addresses = isIP(host) === 0 ? await (this.#options.resolve ?? resolveName)(host) : [host];
    let refusal: string | undefined;
    for (const address of addresses) {
      const reason = this.#options.policy(kind, address, port);
      if (reason === undefined) return address;
      refusal ??= reason;
    }
    throw new OutboundError(`dial tcp: ${refusal ?? `lookup ${host}: no such host`}`);
  }

  #send(
    destination: Destination,
    address: string,
    call: OutboundCall,
    endMs: number,
    mayRetry: boolean,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { clock } = this.#options;
    const agent = call.mayUpgrade ? false : this.#agent;
    const outgoing = begin({ ...optionsOf(destination, address, call), agent });
    let cut: Error | undefined;
    const end = (reason: Error) => {
      cut ??= reason;
      outgoing.destroy();
    };
    const timer = clock.after(this.#remainingMs(endMs), () => end(new OutboundError(DEADLINE_EXCEEDED)));
    const onAbort = () => end(new OutboundError('context canceled'));
    call.signal?.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => {
      call.signal?.removeEventListener('abort', onAbort);
      // A protocol switch is neither a response nor an error.
      timer.cancel();
      reject(cut ?? new OutboundError('EOF'));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      timer.cancel();
      if (cut === undefined && mayRetry && isStaleConnection(error, outgoing.reusedSocket)) {
        resolve(this.#send(destination, address, call, endMs, false));
      } else reject(cut ?? outboundErrorOf(error, address, destination));
    });
    outgoing.once('response', (incoming) => {
      timer.cancel();
      // The response has no Upgrade header.
      if (incoming.statusCode === 101) end(new OutboundError('EOF'));
      else resolve(incoming);
    });
    if (call.mayUpgrade) {
      outgoing.once('upgrade', (incoming, socket, head) => {
        timer.cancel();
        // Node has released the connection, so errors need a handler.
        socket.on('error', () => {});
        if (head.length > 0) socket.unshift(head);
        resolve(incoming);
      });
    }
    if (call.signal?.aborted) onAbort();
    outgoing.end(call.body);
    return promise;
  }

  #withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = this.#options.clock.after(timeoutMs, () => reject(new OutboundError(DEADLINE_EXCEEDED)));
    work.then(resolve, reject).finally(() => timer.cancel());
    return promise;
  }
}

function isRepeatable({ method, isRepeatable: given = method === 'GET' || method === 'HEAD' }: OutboundCall): boolean {
  return given;
}

/** Replaces the message of Node's error for invalid headers: Go rejects the same headers with its own message. */
function begin(options: RequestOptions): ClientRequest {
  try {
    return httpsRequest(options);
  } catch (error) {
    throw new OutboundError(`net/http: ${(error as Error).message}`, { cause: error });
  }
}

function optionsOf(destination: Destination, address: string, { method, path, headers, body }: OutboundCall) {
  const { host, port, serverName = host, caBundle, insecureSkipTlsVerify, identity } = destination;
  return {
    host: address,
    port,
    method,
    path,
    headers: {
      host: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
    minVersion: 'TLSv1.2',
    rejectUnauthorized: insecureSkipTlsVerify !== true,
    servername: isIP(serverName) === 0 ? serverName : '',
    ...(caBundle !== undefined && { ca: caBundle }),
    ...(identity && { cert: identity.certificate, key: identity.privateKey }),
  } satisfies RequestOptions;
}

/**
 * Uses c-ares because names are user-controlled: `getaddrinfo` would block the thread pool that this process uses for
 * files.
 */
async function resolveName(name: string): Promise<readonly string[]> {
  if (name === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 2 });
  const lookups = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
}
