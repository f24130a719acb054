import { describe, expect, it } from 'vitest';
import { contains, formatCidr, overlaps, parseCidr, parseIp, slaacAddress } from './cidr.ts';

function cidr(text: string) {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is no CIDR`);
  return parsed;
}

describe('parseCidr', () => {
  it.each([
    ['10.0.0.5/24', '10.0.0.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['192.0.2.1', '192.0.2.1/32'],
    ['2001:db8:0::1/64', '2001:db8::/64'],
  ])('parses %s as %s', (text, expected) => {
    expect(formatCidr(cidr(text))).toBe(expected);
  });

  it.each(['10.0.0.0/33', '10.0.0/24', '10.0.0.0/', '010.0.0.0/8', '::/129', 'x', '10.0.0.0/2.5'])(
    'rejects %s',
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );
});

describe('overlaps', () => {
  it.each([
    ['10.0.0.0/24', '10.0.0.0/16', true],
    ['10.0.0.0/24', '10.0.1.0/24', false],
    ['10.0.0.0/8', '::/0', false],
  ])('(%s, %s) returns %s', (a, b, expected) => {
    expect(overlaps(cidr(a), cidr(b))).toBe(expected);
    expect(overlaps(cidr(b), cidr(a))).toBe(expected);
  });
});

describe('contains', () => {
  it.each([
    ['10.0.0.0/24', '10.0.0.255', true],
    ['10.0.0.0/24', '10.0.1.0', false],
    ['fd00::/8', 'fd12::1', true],
  ])('(%s, %s) returns %s', (block, address, expected) => {
    const ip = parseIp(address);
    expect(ip !== undefined && contains(cidr(block), ip)).toBe(expected);
  });
});

it('computes the EUI-64 address from RFC 4291, appendix A', () => {
  expect(slaacAddress(cidr('2001:db8::/64'), 'fa:16:3e:01:02:03')).toBe('2001:db8::f816:3eff:fe01:203');
});
