import { Address4 } from 'ip-address';

/** An IPv4 network. The first and last addresses are numbers, both inclusive. */
export interface Cidr {
  readonly first: number;
  readonly last: number;
  readonly prefixLength: number;
}

/** The error for a string that is not a valid IPv4 network. */
export class CidrError extends Error {
  override readonly name = 'CidrError';
}

/**
 * Parses `10.2.0.0/16` strictly: four decimal parts without leading zeros, a prefix length, host bits zero. It rejects
 * octal and shortened forms that other parsers accept (`010.1.1.1`, `10.2/16`), and host addresses with a prefix
 * length.
 */
export function parseCidr(text: string): Cidr {
  const slash = text.indexOf('/');
  const lengthText = text.slice(slash + 1);
  if (slash === -1 || !/^(0|[1-9][0-9]?)$/.test(lengthText) || Number(lengthText) > 32) {
    throw new CidrError(`"${text}" is not an IPv4 network: use ADDRESS/LENGTH, such as 10.2.0.0/16`);
  }
  const address = parseAddress(text.slice(0, slash));
  const prefixLength = Number(lengthText);
  const size = 2 ** (32 - prefixLength);
  const first = address - (address % size);
  if (first !== address) {
    const network = formatAddress(first);
    throw new CidrError(`"${text}" is an address within a network: use the network ${network}/${prefixLength}`);
  }
  return { first, last: first + size - 1, prefixLength };
}

/** Whether `parseCidr` accepts the string. */
export function isCidr(text: string): boolean {
  try {
    parseCidr(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses a dotted IPv4 address strictly. */
export function parseAddress(text: string): number {
  if (!Address4.isValid(text) || text.includes('/')) throw new CidrError(`"${text}" is not an IPv4 address`);
  return Number(new Address4(text).bigInt());
}

export function formatAddress(address: number): string {
  return [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff].join('.');
}

export function formatCidr(cidr: Cidr): string {
  return `${formatAddress(cidr.first)}/${cidr.prefixLength}`;
}

/** Whether every address of `inner` is in `outer`. */
export function contains(outer: Cidr, inner: Cidr): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/** The `index`th address of a network: 1 is the first host. */
export function addressAt(cidr: Cidr, index: number): string {
  if (index < 0 || cidr.first + index > cidr.last) {
    throw new CidrError(`${formatCidr(cidr)} has no address number ${index}`);
  }
  return formatAddress(cidr.first + index);
}

const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].map(parseCidr);

/** Whether the whole network is private according to RFC 1918. */
export function isPrivate(cidr: Cidr): boolean {
  return PRIVATE_RANGES.some((range) => contains(range, cidr));
}
