import { isIPv6 } from 'node:net';

/**
 * The network that a peer's address is counted under. A client with one IPv6 address controls all 2^64 addresses of
 * its /64, so these count as one: `2001:db8::1` gives `2001:db8:0:0::/64`. An IPv4 address is counted individually, in
 * either notation.
 */
export function peerNetwork(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return address;
  const [head = '', tail] = bare.split('::');
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  // A trailing IPv4 address represents two groups.
  const width = first.length + last.length + (bare.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - width;
  const groups = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
