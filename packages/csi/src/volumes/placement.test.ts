import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { describe, expect, test } from 'vitest';
import { isReachable, topologyOf, zoneFor } from './placement.ts';

const SAME = { volumeZones: ['a', 'b'], computeZones: ['a', 'b'] };
const APART = { volumeZones: ['ceph'], computeZones: ['a', 'b'] };
const inZones = (...names: string[]) => names.map((name) => ({ segments: { [ZONE_KEY]: name } }));
const wanted = (requisite: string[], preferred: string[] = []) => ({
  requisite: inZones(...requisite),
  preferred: inZones(...preferred),
});

describe("Cinder's zone", () => {
  test.each([
    { reason: 'nothing is wanted', requirement: null, zones: SAME, zone: undefined },
    { reason: 'where it is wanted', requirement: wanted(['b']), zones: SAME, zone: 'b' },
    { reason: 'preferred ones first', requirement: wanted(['a', 'b'], ['b', 'a']), zones: SAME, zone: 'b' },
    { reason: 'zones of servers are no zones of volumes', requirement: wanted(['a']), zones: APART, zone: undefined },
    { reason: 'of the class', requirement: null, availability: 'b', zones: SAME, zone: 'b' },
    {
      reason: 'of the class, reached from all',
      requirement: wanted(['a']),
      availability: 'ceph',
      zones: APART,
      zone: 'ceph',
    },
    { reason: 'of what is copied', requirement: wanted(['a', 'b'], ['a']), copied: 'b', zones: SAME, zone: 'b' },
    {
      reason: 'other keys say nothing of volumes',
      requirement: { requisite: [{ segments: { rack: '1' } }], preferred: [] },
      zones: SAME,
      zone: undefined,
    },
  ])('is $zone: $reason', ({ requirement, availability, copied, zones, zone }) => {
    expect(zoneFor(requirement, { availability, copied }, zones)).toBe(zone);
  });

  test.each([
    { availability: 'c', told: /"availability" is "c", but Cinder has a, b/ },
    { availability: 'a', told: /"availability" is in zone a, but the volume is requested in b/ },
    { copied: 'a', told: /the source of the volume is in zone a, but the volume is requested in b/ },
  ])('cannot be that of $availability$copied', ({ availability, copied, told }) => {
    expect(() => zoneFor(wanted(['b']), { availability, copied }, SAME)).toThrow(told);
  });

  const NAMED = { volumeZones: ['AZ 1', 'Zürich'], computeZones: ['AZ 1', 'Zürich'] };
  const COLLIDING = { volumeZones: ['AZ 1', 'AZ-1', 'b'], computeZones: ['AZ 1', 'AZ-1', 'b'] };

  test("is found by its name's label", () => {
    const free = { availability: undefined, copied: undefined };
    expect(zoneFor(wanted(['AZ-1']), free, NAMED)).toBe('AZ 1');
    expect(zoneFor(wanted(['Z-rich']), { availability: 'Zürich', copied: undefined }, NAMED)).toBe('Zürich');
    expect(isReachable('AZ 1', wanted(['AZ-1']), NAMED)).toBe(true);
    expect(isReachable('AZ 1', wanted(['Z-rich']), NAMED)).toBe(false);
    expect(topologyOf('AZ 1', NAMED)).toEqual(inZones('AZ-1'));
  });

  test('is another one if two have the same label, or must be named', () => {
    const free = { availability: undefined, copied: undefined };
    expect(zoneFor(wanted(['AZ-1', 'b']), free, COLLIDING)).toBe('b');
    expect(zoneFor(wanted(['AZ-1']), { ...free, availability: 'AZ 1' }, COLLIDING)).toBe('AZ 1');
    expect(() => zoneFor(wanted(['AZ-1']), free, COLLIDING)).toThrow(/"AZ 1" and "AZ-1" have the same label "AZ-1"/);
  });

  test('determines where a volume is accessible, if servers have it too', () => {
    expect(topologyOf('a', SAME)).toEqual(inZones('a'));
    expect(topologyOf('ceph', APART)).toEqual([]);
    expect(topologyOf(undefined, SAME)).toEqual([]);
  });
});
