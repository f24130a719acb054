import { isIP } from 'node:net';
import { Address4, Address6 } from 'ip-address';

/** An IP address in a CEL rule (k8s.io/apiserver/pkg/cel/library/ip.go). */
export class CelIp {
  readonly address: Address4 | Address6;

  constructor(address: Address4 | Address6) {
    this.address = address;
  }

  get family(): bigint {
    return this.address instanceof Address4 ? 4n : 6n;
  }

  get bits(): number {
    return this.family === 4n ? 32 : 128;
  }

  get value(): bigint {
    return this.address.bigInt();
  }

  toString(): string {
    return this.address.correctForm();
  }
}

/** An IP network in a CEL rule (cidr.go). The address may have host bits, like Go's `netip.Prefix`. */
export class CelCidr {
  readonly ip: CelIp;
  readonly prefixLength: number;

  constructor(ip: CelIp, prefixLength: number) {
    this.ip = ip;
    this.prefixLength = prefixLength;
  }

  get network(): bigint {
    return this.ip.value >> BigInt(this.ip.bits - this.prefixLength);
  }

  containsIp(ip: CelIp): boolean {
    return ip.family === this.ip.family && ip.value >> BigInt(this.ip.bits - this.prefixLength) === this.network;
  }

  containsCidr(other: CelCidr): boolean {
    return other.prefixLength >= this.prefixLength && this.containsIp(other.ip);
  }

  masked(): CelCidr {
    const address = this.network << BigInt(this.ip.bits - this.prefixLength);
    const start = this.ip.family === 4n ? Address4.fromBigInt(address) : Address6.fromBigInt(address);
    return new CelCidr(new CelIp(start), this.prefixLength);
  }

  toString(): string {
    return `${this.ip.toString()}/${this.prefixLength}`;
  }
}

/** Undefined if it is not an address; zones and IPv4-mapped IPv6 addresses are rejected as in Kubernetes. */
export function parseCelIp(text: string): CelIp | undefined {
  const family = isIP(text);
  if (family === 0 || text.includes('%') || (family === 6 && text.includes('.'))) return undefined;
  return new CelIp(family === 4 ? new Address4(text) : new Address6(text));
}

export function parseCelCidr(text: string): CelCidr | undefined {
  const [address = '', bits = '', ...rest] = text.split('/', 3);
  const ip = parseCelIp(address);
  if (ip === undefined || rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  return Number(bits) > ip.bits ? undefined : new CelCidr(ip, Number(bits));
}

export function isLoopback(ip: CelIp): boolean {
  return ip.family === 4n ? ip.value >> 24n === 127n : ip.value === 1n;
}

export function isUnspecified(ip: CelIp): boolean {
  return ip.value === 0n;
}

export function isLinkLocalUnicast(ip: CelIp): boolean {
  return ip.family === 4n ? ip.value >> 16n === 0xa9fen : ip.value >> 118n === 0x3fan;
}

export function isLinkLocalMulticast(ip: CelIp): boolean {
  return ip.family === 4n ? ip.value >> 8n === 0xe00000n : ((ip.value >> 112n) & 0xff0fn) === 0xff02n;
}

export function isGlobalUnicast(ip: CelIp): boolean {
  const isMulticast = ip.family === 4n ? ip.value >> 28n === 0xen : ip.value >> 120n === 0xffn;
  const isBroadcast = ip.family === 4n && ip.value === 0xffffffffn;
  return !isMulticast && !isBroadcast && !isLoopback(ip) && !isUnspecified(ip) && !isLinkLocalUnicast(ip);
}
