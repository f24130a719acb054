import { describe, expect, it } from 'vitest';
import { addressAt, CidrError, contains, formatCidr, isPrivate, overlaps, parseCidr } from './cidr.ts';

describe('parseCidr', () => {
  it.each(['10.2.0.0/16', '0.0.0.0/0', '255.255.255.255/32', '10.240.0.0/13'])('accepts %s', (text) => {
    expect(formatCidr(parseCidr(text))).toBe(text);
  });

  it.each([
    ['10.2.0.1/16', 'use the network 10.2.0.0/16'],
    ['010.1.1.1/32', 'leading zeros are octal to some'],
    ['10.2/16', 'short forms'],
    ['10.2.0.0', 'no length'],
    ['10.2.0.0/33', 'too long'],
    ['10.2.0.0/016', 'leading zero'],
    ['10.2.0.0/', 'empty length'],
    ['10.2.0.256/32', 'not a byte'],
    ['0x0a.2.0.0/16', 'hexadecimal'],
    ['fd00::/8', 'IPv6'],
    ['10.2.0.0/16/16', 'two lengths'],
    [' 10.2.0.0/16', 'blank'],
    ['', 'empty'],
  ])('refuses %j (%s)', (text) => {
    expect(() => parseCidr(text)).toThrow(CidrError);
  });
});

describe('overlaps and contains', () => {
  it.each([
    { a: '10.2.0.0/16', b: '10.3.0.0/16', overlap: false, within: false },
    { a: '10.2.0.0/16', b: '10.2.255.0/24', overlap: true, within: true },
    { a: '10.2.255.0/24', b: '10.2.0.0/16', overlap: true, within: false },
    { a: '10.240.0.0/13', b: '10.247.255.255/32', overlap: true, within: true },
    { a: '10.240.0.0/13', b: '10.248.0.0/13', overlap: false, within: false },
    { a: '0.0.0.0/0', b: '192.168.0.0/16', overlap: true, within: true },
    { a: '128.0.0.0/1', b: '127.255.255.255/32', overlap: false, within: false },
  ])('$a and $b', ({ a, b, overlap, within }) => {
    expect(overlaps(parseCidr(a), parseCidr(b))).toBe(overlap);
    expect(overlaps(parseCidr(b), parseCidr(a))).toBe(overlap);
    expect(contains(parseCidr(a), parseCidr(b))).toBe(within);
  });
});

describe('addressAt', () => {
  it('counts addresses from the network address', () => {
    expect(addressAt(parseCidr('10.3.0.0/16'), 1)).toBe('10.3.0.1');
    expect(addressAt(parseCidr('10.3.0.0/16'), 10)).toBe('10.3.0.10');
    expect(() => addressAt(parseCidr('10.3.0.0/30'), 4)).toThrow(CidrError);
  });
});

describe('isPrivate', () => {
  it.each([
    ['10.0.0.0/8', true],
    ['172.16.0.0/12', true],
    ['172.32.0.0/16', false],
    ['192.168.0.0/15', false],
    ['100.64.0.0/10', false],
  ])('%s: %s', (cidr, expected) => {
    expect(isPrivate(parseCidr(cidr))).toBe(expected);
  });
});
