import { Address4, Address6 } from 'ip-address';

export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

export interface Cidr {
  readonly version: 4 | 6;
  readonly first: bigint;
  readonly last: bigint;
  readonly prefix: number;
}

export function parseIp(text: string): IpAddress | undefined {
  if (text.includes('/')) return undefined;
  if (Address4.isValid(text)) return { version: 4, value: new Address4(text).bigInt() };
  if (Address6.isValid(text) && !text.includes('%')) return { version: 6, value: new Address6(text).bigInt() };
  return undefined;
}

export function formatIp({ version, value }: IpAddress): string {
  return version === 4 ? Address4.fromBigInt(value).correctForm() : Address6.fromBigInt(value).correctForm();
}

/** Parses a CIDR, clears its host bits, and gives a bare address the full prefix length. Undefined if invalid. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  const bits = ip.version === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > bits || length === '') return undefined;
  const size = 1n << BigInt(bits - prefix);
  const first = (ip.value / size) * size;
  return { version: ip.version, first, last: first + size - 1n, prefix };
}

export function formatCidr({ version, first, prefix }: Cidr): string {
  return `${formatIp({ version, value: first })}/${prefix}`;
}

export function contains(cidr: Cidr, ip: IpAddress): boolean {
  return cidr.version === ip.version && cidr.first <= ip.value && ip.value <= cidr.last;
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.version === b.version && a.first <= b.last && b.first <= a.last;
}

/** The SLAAC address of an interface in a /64: the modified EUI-64 derived from its MAC address. */
export function slaacAddress(cidr: Cidr, mac: string): string {
  const bytes = mac.split(':').map((digits) => Number.parseInt(digits, 16));
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bytes;
  let interfaceId = 0n;
  for (const byte of [a ^ 2, b, c, 0xff, 0xfe, d, e, f]) interfaceId = (interfaceId << 8n) | BigInt(byte);
  return formatIp({ version: 6, value: cidr.first + interfaceId });
}
