import { isIPv4, isIPv6 } from 'node:net';
import type { networkInterfaces } from 'node:os';
import type { ListenAddress } from './listen-address.ts';

/** The address at which clients reach a server. */
export interface AdvertisedAddress {
  readonly host: string;
  /** If undefined, the port that the server listens on. */
  readonly port: number | undefined;
}

export interface ServerNames {
  readonly listen: ListenAddress;
  readonly advertisedAddress: AdvertisedAddress | undefined;
  /** Additional names and addresses of the server's certificate. */
  readonly subjectAltNames: readonly string[];
  readonly interfaces: ReturnType<typeof networkInterfaces>;
}

/**
 * Whether a server on this host listens on all addresses of the machine, so that clients cannot use the host itself.
 */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/**
 * The URL at which clients reach a server that listens on `port`: the advertised address, or else the listen address.
 * If the server listens on all addresses of the machine, the URL contains the first name of its certificate, or else
 * the machine's first non-loopback address.
 */
export function clientUrl(
  { listen, advertisedAddress, subjectAltNames, interfaces }: ServerNames,
  port: number,
): string {
  const listenAddress = isWildcard(listen.host)
    ? (subjectAltNames[0] ?? addressesOf(interfaces, listen.host)[0] ?? '127.0.0.1')
    : listen.host;
  const host = advertisedAddress?.host ?? listenAddress;
  return `https://${host.includes(':') ? `[${host}]` : host}:${advertisedAddress?.port ?? port}`;
}

/** The names and addresses in the server's certificate, in addition to loopback addresses. */
export function certificateNames({
  listen,
  advertisedAddress,
  subjectAltNames,
  interfaces,
}: ServerNames): readonly string[] {
  const listenAddress = isWildcard(listen.host) ? addressesOf(interfaces, listen.host) : [listen.host];
  return [...new Set([...(advertisedAddress ? [advertisedAddress.host] : []), ...subjectAltNames, ...listenAddress])];
}

/** Addresses of this machine that other machines can reach: neither loopback nor link-local. */
function addressesOf(interfaces: ServerNames['interfaces'], wildcard: string): string[] {
  const all = Object.values(interfaces).flatMap((each) => each ?? []);
  const addresses = all.filter(({ internal }) => !internal).map(({ address }) => address);
  const v6 = wildcard === '::' ? addresses.filter((address) => isIPv6(address) && !/^fe[89ab]/i.test(address)) : [];
  return [...addresses.filter((address) => isIPv4(address)), ...v6];
}
