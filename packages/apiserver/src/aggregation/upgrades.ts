import { ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import { Allotment } from '../server/allotment.ts';
import { connectionOptions } from '../server/hop-by-hop.ts';
import { holderOf } from '../server/traffic.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Maximum upgraded connections per server and per user: each may buffer some 256 KiB. */
const MAX_UPGRADED = { total: 500, perHolder: 100 };

/**
 * Protocols of Kubernetes' streams. Others are rejected: over a protocol such as h2c, clients could send identity headers that the other server would
 * trust because of this server's certificate.
 */
const PROTOCOLS: ReadonlySet<string> = new Set(['websocket', 'spdy/3.1']);

/** The requested protocol. */
export function askedProtocol({ connection, upgrade }: Headers): string | undefined {
  if (upgrade === undefined || !connectionOptions(String(connection ?? '')).includes('upgrade')) return undefined;
  return String(upgrade);
}

export function isPassedOn(protocol: string): boolean {
  return PROTOCOLS.has(protocol.toLowerCase());
}

/** Why a request can't be upgraded. */
export function noUpgrade(protocol: string): ApiError {
  const message = isPassedOn(protocol)
    ? 'the connection cannot be upgraded: the request has a body, or no connection of its own'
    : `the connection cannot be upgraded to ${JSON.stringify(protocol)}: websocket and SPDY/3.1 are passed on to aggregated API servers`;
  return new ApiError(501, 'Unknown', message);
}

/** Counts upgraded connections. */
export class UpgradedConnections {
  readonly #held = new Allotment(MAX_UPGRADED);

  /** Returns a release function. Throws 429 beyond the limits. */
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
