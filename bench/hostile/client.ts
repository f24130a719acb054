import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { Target } from '../api-server/protocol.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The attacker: a tenant with a certificate, or an anonymous client. */
export type Attacker = Pick<Target, 'url' | 'certificateAuthority'> & Partial<Target>;

/** Longer than any server here should need. */
const TIMEOUT_MS = 60_000;

/** Sends requests over this many concurrent connections; resolves with the longest time to a response or the end of the connection. */
export async function sendAll(attacker: Attacker, requests: readonly Request[], connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ...tlsOf(attacker) });
  let longestMs = 0;
  let next = 0;
  const lane = async () => {
    for (let nextRequest = requests[next++]; nextRequest !== undefined; nextRequest = requests[next++]) {
      const begin = performance.now();
      await send(attacker, nextRequest, agent);
      longestMs = Math.max(longestMs, performance.now() - begin);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, lane));
  } finally {
    agent.destroy();
  }
  return longestMs;
}

async function send({ url }: Attacker, { method, path, headers, body }: Request, agent: Agent): Promise<void> {
  const { hostname, port } = new URL(url);
  const outgoing = request({ hostname, port, method, path, headers, agent, timeout: TIMEOUT_MS });
  outgoing.once('timeout', () => outgoing.destroy());
  const ended = Promise.withResolvers<void>();
  // A server that rejects a request may close the connection while the body is in flight; closing counts as its
  // response.
  outgoing.once('error', () => ended.resolve()).once('close', () => ended.resolve());
  outgoing.once('response', (incoming) => incoming.resume());
  outgoing.end(body);
  await ended.promise;
}

/**
 * Opens a connection that writes bytes and then stays silent. `reads`: whether it reads responses and notices the end.
 */
export async function openStalledSocket(
  attacker: Attacker,
  { bytes, reads }: { readonly bytes: string | Buffer; readonly reads: boolean },
): Promise<TLSSocket> {
  const { hostname, port } = new URL(attacker.url);
  const socket = connect({ host: hostname, port: Number(port), ...tlsOf(attacker) });
  socket.on('error', () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  socket.write(bytes);
  return socket;
}

function tlsOf({ certificateAuthority, certificate, privateKey }: Attacker) {
  return { ca: certificateAuthority, ...(certificate !== undefined && { cert: certificate, key: privateKey }) };
}
