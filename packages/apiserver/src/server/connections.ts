import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Timer } from '@fairway/base/clock';
import { GroupedSets } from '@fairway/base/grouped-sets';
import type { UserInfo } from '../auth/user.ts';
import { peerNetwork } from './peer-network.ts';
import { holderOf, type Release, type Traffic } from './traffic.ts';

interface Connection {
  readonly raw: Socket;
  /** The peer network that the connection counts against until it is authenticated. */
  readonly address: string;
  readonly acceptedMs: number;
  /** Set once the TLS handshake is complete. */
  stream: TLSSocket | undefined;
  /** The user that the connection counts against; undefined until authenticated. */
  holder: string | undefined;
  /** Releases its connection slots. */
  release: Release;
  /** Requests without a complete response. */
  running: number;
  /** Bytes that the peer had received at `movedMs`. */
  taken: number;
  lastActivityMs: number;
}

const SWEEP_INTERVAL_MS = 5_000;

const connections = new WeakMap<Socket, { readonly connection: Connection; readonly table: Connections }>();

/**
 * The connections of one listener, within the limits of its server. An unauthenticated connection is rejected if its
 * address already has too many. If all addresses together have too many, a connection from the address with the most
 * is closed to make room for others. Connections that are not authenticated in time, or that stop reading, are closed.
 */
export class Connections {
  readonly #traffic: Traffic;
  readonly #open = new Map<string, Connection>();
  /** Unauthenticated connections by address. */
  readonly #unauthenticated = new GroupedSets<Connection>();
  #sweep: Timer | undefined;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** Handles a TCP connection before its handshake; destroys it if a limit is exceeded. */
  accept(raw: Socket): void {
    const address = peerNetwork(raw.remoteAddress ?? '');
    if (!this.#hasRoom(address)) {
      raw.destroy();
      return;
    }
    const nowMs = this.#traffic.clock.now();
    const connection: Connection = {
      raw,
      address,
      acceptedMs: nowMs,
      stream: undefined,
      holder: undefined,
      release: this.#takeSlots(address),
      running: 0,
      taken: 0,
      lastActivityMs: nowMs,
    };
    const key = keyOf(raw);
    this.#open.set(key, connection);
    this.#unauthenticated.add(address, connection);
    raw.once('close', () => {
      this.#open.delete(key);
      this.#unauthenticated.delete(address, connection);
      connection.release();
      if (this.#open.size === 0) this.#stopSweeping();
    });
    this.#sweep ??= this.#scheduleSweep();
  }

  /** Handles a connection after its handshake. */
  markSecured(stream: TLSSocket): void {
    const connection = this.#open.get(keyOf(stream));
    if (connection === undefined) return;
    connection.stream = stream;
    connections.set(stream, { connection, table: this });
  }

  /** Counts a running request until the returned function is called. Closes a connection with too many requests. */
  beginRequest(stream: Socket): Release {
    const connection = connections.get(stream)?.connection;
    if (connection === undefined) return () => {};
    connection.running++;
    if (connection.running > this.#traffic.limits.maxPipelinedRequests) {
      this.#traffic.reject('pipelinedRequests');
      cut(connection);
    }
    return () => connection.running--;
  }

  /** Counts a connection against the user's limit; throws 429 over the limit. */
  identify(connection: Connection, user: UserInfo): void {
    const holder = holderOf(user);
    // The connection may have been closed during authentication.
    if (connection.holder === holder || connection.raw.destroyed) return;
    connection.release();
    connection.release = () => {};
    connection.release = this.#traffic.enter('connections', user);
    connection.holder = holder;
    this.#unauthenticated.delete(connection.address, connection);
  }

  #hasRoom(address: string): boolean {
    const { inUse, limits } = { inUse: this.#traffic.inUse('connections'), limits: this.#traffic.limits };
    if (inUse >= limits.maxConnections) {
      this.#traffic.reject('connections.total');
      return false;
    }
    const exceededLimit = this.#traffic.exceededLimit('unauthenticatedConnections', address);
    if (exceededLimit === undefined) return true;
    if (exceededLimit === 'perHolder') return false;
    const { largest = address } = this.#unauthenticated;
    const oldest = this.#unauthenticated.oldestOf(largest);
    if (oldest === undefined) return false;
    if (this.#unauthenticated.sizeOf(largest) <= this.#unauthenticated.sizeOf(address) + 1) return false;
    this.#unauthenticated.delete(largest, oldest);
    oldest.release();
    oldest.release = () => {};
    cut(oldest);
    return true;
  }

  #takeSlots(address: string): Release {
    const releases = [this.#traffic.take('connections', ''), this.#traffic.take('unauthenticatedConnections', address)];
    return () => {
      for (const release of releases) release();
    };
  }

  #scheduleSweep(): Timer {
    return this.#traffic.clock.after(SWEEP_INTERVAL_MS, () => {
      for (const connection of this.#open.values()) this.#check(connection);
      this.#sweep = this.#scheduleSweep();
    });
  }

  #stopSweeping(): void {
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  #check(connection: Connection): void {
    const { limits, clock } = this.#traffic;
    const nowMs = clock.now();
    const isOverdue = nowMs - connection.acceptedMs >= limits.unauthenticatedTimeoutMs;
    if (connection.holder === undefined && connection.running === 0 && isOverdue) {
      this.#traffic.reject('unauthenticatedTimeout');
      cut(connection);
      return;
    }
    const { stream } = connection;
    if (stream === undefined) return;
    const taken = stream.bytesWritten - stream.writableLength;
    if (stream.writableLength === 0 || taken !== connection.taken) {
      connection.taken = taken;
      connection.lastActivityMs = nowMs;
    } else if (nowMs - connection.lastActivityMs >= limits.stallTimeoutMs) {
      this.#traffic.reject('stalled');
      cut(connection);
    }
  }
}

/**
 * Counts the connection against the authenticated user's limit. Over the limit it throws 429, after which the
 * connection is closed.
 */
export function identifyConnection(stream: Socket, response: ServerResponse, user: UserInfo): void {
  const known = connections.get(stream);
  try {
    known?.table.identify(known.connection, user);
  } catch (error) {
    response.shouldKeepAlive = false;
    throw error;
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function cut({ raw, stream }: Connection): void {
  (stream ?? raw).destroy();
}
