import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose IPv4 registry and multicast: not Internet addresses. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Ranges within IPv6 global unicast that embed IPv4 addresses or are reserved. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const GLOBAL_UNICAST_IPV6 = '2000::/3';

const isSpecialAddress = cidrSet([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const isGlobalUnicast = cidrSet([GLOBAL_UNICAST_IPV6]);

/** A set of ranges; a single address is a range too. Throws for invalid ranges. */
export function cidrSet(cidrs: Iterable<string>): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/');
    const family = familyOf(address);
    const bits = family === 'ipv4' ? 32 : 128;
    const length = prefix === undefined ? bits : Number(prefix);
    if (family === undefined || !/^\d+$/.test(prefix ?? '0') || length > bits) {
      throw new Error(`"${cidr}" is not an address range: write it as 192.0.2.0/24`);
    }
    list.addSubnet(address, length, family);
  }
  return (address) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
}

/** Whether an address is a public Internet address, based on the address alone. */
export function isPublicAddress(address: string): boolean {
  if (familyOf(address) === 'ipv4') return !isSpecialAddress(address);
  return isGlobalUnicast(address) && !isSpecialAddress(address);
}

/** The IPv4 address of an IPv4-mapped IPv6 address (`::ffff:127.0.0.1`), or otherwise the address itself. */
export function canonicalAddress(address: string): string {
  if (familyOf(address) !== 'ipv6') return address;
  const { hostname } = new URL(`http://[${address}]/`);
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (mapped === null) return hostname.slice(1, -1);
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  // A zone names an interface of this machine.
  if (address.includes('%')) return undefined;
  const version = isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}
