import { ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import { Allotment } from '../server/allotment.ts';
import { connectionOptions } from '../server/hop-by-hop.ts';
import { holderOf } from '../server/traffic.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Connections that were upgraded, of a server and of a user: each may hold some 256 KiB of what is not read yet. */
const MAX_UPGRADED = { total: 500, perHolder: 100 };

/**
 * What Kubernetes' streams speak. Others are refused: where the bytes that follow are HTTP, as with h2c, the other server would take headers that name
 * a user for this server's, by whose certificate it knows the connection.
 */
const PROTOCOLS: ReadonlySet<string> = new Set(['websocket', 'spdy/3.1']);

/** The protocol that a client asks for. */
export function askedProtocol({ connection, upgrade }: Headers): string | undefined {
  if (upgrade === undefined || !connectionOptions(String(connection ?? '')).includes('upgrade')) return undefined;
  return String(upgrade);
}

export function isPassedOn(protocol: string): boolean {
  return PROTOCOLS.has(protocol.toLowerCase());
}

/** Of a request that can't be answered by another protocol. */
export function noUpgrade(protocol: string): ApiError {
  const message = isPassedOn(protocol)
    ? 'the connection cannot be upgraded: the request has a body, or no connection of its own'
    : `the connection cannot be upgraded to ${JSON.stringify(protocol)}: websocket and SPDY/3.1 are passed on to aggregated API servers`;
  return new ApiError(501, 'Unknown', message);
}

/** Counts connections that speak another protocol. */
export class UpgradedConnections {
  readonly #held = new Allotment(MAX_UPGRADED);

  /** Gives what ends it. Throws 429 beyond the limits. */
  enter(user: UserInfo): () => void {
    const holder = holderOf(user);
    const obstacle = this.#held.obstacle(holder);
    if (obstacle !== undefined) {
      const whose = obstacle === 'total' ? 'all clients together' : JSON.stringify(holder);
      const message = `Too many requests, please try again later: ${whose} may have ${MAX_UPGRADED[obstacle]} upgraded connections to aggregated API servers`;
      throw tooManyRequests(message, 1);
    }
    this.#held.take(holder);
    return () => this.#held.give(holder);
  }
}
