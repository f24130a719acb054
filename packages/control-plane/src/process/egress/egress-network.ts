import { Resolver } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The proxy's access to the network. */
export interface EgressNetwork {
  /** Resolves a name; rejects if it has no addresses. */
  resolve(name: string): Promise<readonly string[]>;
  /** Connects to an address, with keep-alives; rejects on failure. */
  connect(address: string, port: number): Promise<Socket>;
}

/** Tenants choose the names, so the name servers may be slow. */
const RESOLVE_TIMEOUT_MS = 3000;
const RESOLVE_TRIES = 2;
const CONNECT_TIMEOUT_MS = 5000;
/** Detects peers that disappeared without closing the connection. */
const KEEP_ALIVE_MS = 60_000;

/**
 * This machine's network. Names are resolved by c-ares: `getaddrinfo` would block the thread pool that this process
 * uses for file I/O.
 */
export const machineNetwork: EgressNetwork = {
  async resolve(name) {
    // Must not be resolved by DNS (RFC 6761). The policy applies to these addresses.
    if (name === 'localhost') return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES });
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [ipv4, ipv6].flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    if (addresses.length > 0) return addresses;
    throw new Error(
      `${name} cannot be resolved: ${ipv4.status === 'rejected' ? ipv4.reason.code : 'it has no address'}`,
    );
  },
  connect(address, port) {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect({ host: address, port, allowHalfOpen: true, timeout: CONNECT_TIMEOUT_MS });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new Error(`${address}:${port} cannot be reached: ${reason}`));
    };
    socket.once('error', ({ message }) => fail(message));
    socket.once('timeout', () => fail(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`));
    socket.once('connect', () => {
      socket.removeAllListeners();
      socket.setTimeout(0);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      resolve(socket);
    });
    return promise;
  },
};

/** Current addresses of this machine. */
export function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
