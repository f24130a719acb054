import { describe, expect, test } from 'vitest';
import { collectEgressTargets, collectIPv4Ranges, collectRanges, parseUserRange } from './isolation-options.ts';

describe('user ids', () => {
  test('are parsed as a range', () => {
    expect(parseUserRange('300000-300099')).toEqual({ first: 300_000, last: 300_099 });
    expect(parseUserRange('7-7')).toEqual({ first: 7, last: 7 });
  });

  test.each(['', '7', '0-9', '9-7', '1-4294967295', 'a-b', '1-2-3', '-1-5', '1 - 2'])('cannot be "%s"', (text) => {
    expect(() => parseUserRange(text)).toThrow('FIRST-LAST');
  });
});

describe('address ranges', () => {
  test('accumulate', () => {
    expect(collectEgressTargets('192.0.2.7/32:443', ['10.0.0.0/8'])).toEqual(['10.0.0.0/8', '192.0.2.7/32:443']);
    expect(collectRanges('fd00::/8', [])).toEqual(['fd00::/8']);
  });

  test.each(['example.org', '10.0.0.0/33', '10.0.0.0/8:0'])('cannot be "%s"', (text) => {
    expect(() => collectEgressTargets(text, [])).toThrow(text);
  });

  test('must be IPv4 if they may reach all API servers', () => {
    expect(collectIPv4Ranges('192.0.2.0/24', [])).toEqual(['192.0.2.0/24']);
    for (const text of ['::/0', '192.0.2.1/24', '192.0.2.1', '10.0.0.0/8:443']) {
      expect(() => collectIPv4Ranges(text, [])).toThrow('must be a range of IPv4 addresses');
    }
  });

  test('have no port if they are denied', () => {
    expect(() => collectRanges('10.0.0.0/8:443', [])).toThrow('not an address range');
  });
});
