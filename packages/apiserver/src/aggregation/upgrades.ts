import { ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import type { UserInfo } from '../auth/user.ts';
import { Allotment } from '../server/allotment.ts';
import { connectionOptions } from '../server/hop-by-hop.ts';
import { holderOf } from '../server/traffic.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Maximum number of upgraded connections per server and per user: each may buffer some 256 KiB. */
const MAX_UPGRADED_CONNECTIONS = { total: 500, perHolder: 100 };

/**
 * Protocols used for Kubernetes' streams. Others are rejected: over a protocol such as h2c, clients could send identity
 * headers, and the other server would trust them because of this server's certificate.
 */
const PROTOCOLS: ReadonlySet<string> = new Set(['websocket', 'spdy/3.1']);

/** The requested protocol. */
export function requestedProtocol({ connection, upgrade }: Headers): string | undefined {
  if (upgrade === undefined || !connectionOptions(String(connection ?? '')).includes('upgrade')) return undefined;
  return String(upgrade);
}

export function isForwarded(protocol: string): boolean {
  return PROTOCOLS.has(protocol.toLowerCase());
}

/** Why a request can't be upgraded; undefined if it can. */
export function upgradeError(protocol: string): ApiError {
  const message = isForwarded(protocol)
    ? 'the connection cannot be upgraded: the request has a body, or no connection of its own'
    : `the connection cannot be upgraded to ${JSON.stringify(protocol)}: websocket and SPDY/3.1 are passed on to aggregated API servers`;
  return new ApiError(501, 'Unknown', message);
}

/** Counts upgraded connections. */
export class UpgradedConnections {
  readonly #allotment = new Allotment(MAX_UPGRADED_CONNECTIONS);

  /** Counts a connection and returns a function that releases it. Throws 429 if a limit is exceeded. */
  enter(user: UserInfo): () => void {
    const holder = holderOf(user);
    const exceededLimit = this.#allotment.exceededLimit(holder);
    if (exceededLimit !== undefined) {
      const holderName = exceededLimit === 'total' ? 'all clients together' : JSON.stringify(holder);
      const message = `Too many requests, please try again later: ${holderName} may have ${MAX_UPGRADED_CONNECTIONS[exceededLimit]} upgraded connections to aggregated API servers`;
      throw tooManyRequests(message, 1);
    }
    this.#allotment.take(holder);
    return () => this.#allotment.release(holder);
  }
}
