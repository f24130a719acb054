import { Resolver } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { CallSlots } from '@fairway/base/call-slots';
import type { Clock } from '@fairway/base/clock';
import { isStaleConnection } from '@fairway/kube/client/https-connections';
import { DEADLINE_EXCEEDED, OutboundError, outboundErrorOf } from './outbound-error.ts';
import type { OutboundKind, OutboundPolicy } from './outbound-policy.ts';

/** A server outside of this process. */
export interface Destination {
  readonly kind: OutboundKind;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Name that the server's certificate must have, if another one than `host`. */
  readonly serverName?: string | undefined;
  /** PEM of what its certificate must chain to; the roots that Node knows by default. */
  readonly caBundle?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** PEM of this server's certificate and key. */
  readonly identity?: { readonly certificate: string; readonly privateKey: string } | undefined;
}

export interface OutboundCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | undefined;
  /** Whether it may be sent again if an idle connection breaks while it is sent: nobody knows whether it was heard. For what only reads, by default. */
  readonly isRepeatable?: boolean;
  /** Whether the answer may switch protocols (101): what follows comes from its socket. By a connection of its own; else that is no answer. */
  readonly mayUpgrade?: boolean;
  /** Until the headers of the answer are there; the receiver of the answer limits its body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundClientOptions {
  readonly clock: Clock;
  readonly policy: OutboundPolicy;
  /** Addresses of a name; by DNS unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** How many calls may wait for an answer at once; 64 by default. */
  readonly maxCalls?: number;
}

/** What callers need of an OutboundClient. */
export type Outbound = Pick<OutboundClient, 'request'>;

/** Calls under way at once; others wait, and their time runs. */
const MAX_CALLS = 64;
const IDLE_CONNECTIONS = 4;
const IDLE_MS = 30_000;
const RESOLVE_TIMEOUT_MS = 3000;

/**
 * Calls to servers that users name: webhooks, and API servers behind the aggregation layer. It connects to the very address that the policy has
 * allowed, whatever the name means a moment later, follows no redirect, and knows no proxy.
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
    const leave = await this.#enter(call.timeoutMs);
    try {
      const address = await this.#inTime(this.#left(endMs), this.#addressOf(destination));
      return await this.#send(destination, address, call, endMs, isRepeatable(call));
    } finally {
      leave();
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #enter(timeoutMs: number): Promise<() => void> {
    const entering = this.#slots.enter();
    try {
      return await this.#inTime(timeoutMs, entering);
    } catch (error) {
      void entering.then((leave) => leave());
      throw error;
    }
  }

  #left(endMs: number): number {
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
    const timer = clock.after(this.#left(endMs), () => end(new OutboundError(DEADLINE_EXCEEDED)));
    const onAbort = () => end(new OutboundError('context canceled'));
    call.signal?.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => {
      call.signal?.removeEventListener('abort', onAbort);
      // An answer that switches protocols is no response, and no error either.
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
      // It says of no protocol that it is the next.
      if (incoming.statusCode === 101) end(new OutboundError('EOF'));
      else resolve(incoming);
    });
    if (call.mayUpgrade) {
      outgoing.once('upgrade', (incoming, socket, head) => {
        timer.cancel();
        // Node has let go of the connection: its errors would be nobody's.
        socket.on('error', () => {});
        if (head.length > 0) socket.unshift(head);
        resolve(incoming);
      });
    }
    if (call.signal?.aborted) onAbort();
    outgoing.end(call.body);
    return promise;
  }

  #inTime<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = this.#options.clock.after(timeoutMs, () => reject(new OutboundError(DEADLINE_EXCEEDED)));
    work.then(resolve, reject).finally(() => timer.cancel());
    return promise;
  }
}

function isRepeatable({ method, isRepeatable: given = method === 'GET' || method === 'HEAD' }: OutboundCall): boolean {
  return given;
}

/** A header that Node refuses is what Go refuses too, in its own words. */
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

/** By c-ares: users choose the names, and `getaddrinfo` would block the threads that this process reads its files with. */
async function resolveName(name: string): Promise<readonly string[]> {
  if (name === 'localhost') return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
