import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { describe, expect, test } from 'vitest';
import { isReachable, topologyOf, zoneFor } from './placement.ts';

const SHARED_ZONES = { volumeZones: ['a', 'b'], computeZones: ['a', 'b'] };
const SEPARATE_ZONES = { volumeZones: ['ceph'], computeZones: ['a', 'b'] };
const topologiesOf = (...names: string[]) => names.map((name) => ({ segments: { [ZONE_KEY]: name } }));
const topologyRequirement = (requisite: string[], preferred: string[] = []) => ({
  requisite: topologiesOf(...requisite),
  preferred: topologiesOf(...preferred),
});

describe('the Cinder zone of a volume', () => {
  test.each([
    { reason: 'no zone is requested', requirement: null, zones: SHARED_ZONES, zone: undefined },
    {
      reason: 'the requirement contains the zone',
      requirement: topologyRequirement(['b']),
      zones: SHARED_ZONES,
      zone: 'b',
    },
    {
      reason: 'preferred zones come first',
      requirement: topologyRequirement(['a', 'b'], ['b', 'a']),
      zones: SHARED_ZONES,
      zone: 'b',
    },
    {
      reason: 'Cinder lacks the requested zone',
      requirement: topologyRequirement(['a']),
      zones: SEPARATE_ZONES,
      zone: undefined,
    },
    { reason: 'the class specifies the zone', requirement: null, availability: 'b', zones: SHARED_ZONES, zone: 'b' },
    {
      reason: 'the class specifies the zone, and all servers reach it',
      requirement: topologyRequirement(['a']),
      availability: 'ceph',
      zones: SEPARATE_ZONES,
      zone: 'ceph',
    },
    {
      reason: 'the source of the copy is there',
      requirement: topologyRequirement(['a', 'b'], ['a']),
      copied: 'b',
      zones: SHARED_ZONES,
      zone: 'b',
    },
    {
      reason: 'topology keys other than the zone are ignored',
      requirement: { requisite: [{ segments: { rack: '1' } }], preferred: [] },
      zones: SHARED_ZONES,
      zone: undefined,
    },
  ])('is $zone: $reason', ({ requirement, availability, copied, zones, zone }) => {
    expect(zoneFor(requirement, { availability, sourceZone: copied }, zones)).toBe(zone);
  });

  test.each([
    { availability: 'c', reported: /"availability" is "c", but Cinder has a, b/ },
    { availability: 'a', reported: /"availability" is in zone a, but the volume is requested in b/ },
    { copied: 'a', reported: /the source of the volume is in zone a, but the volume is requested in b/ },
  ])('cannot be $availability$copied', ({ availability, copied, reported }) => {
    expect(() => zoneFor(topologyRequirement(['b']), { availability, sourceZone: copied }, SHARED_ZONES)).toThrow(
      reported,
    );
  });

  const NAMED_ZONES = { volumeZones: ['AZ 1', 'Zürich'], computeZones: ['AZ 1', 'Zürich'] };
  const COLLIDING_ZONES = { volumeZones: ['AZ 1', 'AZ-1', 'b'], computeZones: ['AZ 1', 'AZ-1', 'b'] };

  test("is found by the label that is derived from the zone's name", () => {
    const free = { availability: undefined, sourceZone: undefined };
    expect(zoneFor(topologyRequirement(['AZ-1']), free, NAMED_ZONES)).toBe('AZ 1');
    expect(
      zoneFor(topologyRequirement(['Z-rich']), { availability: 'Zürich', sourceZone: undefined }, NAMED_ZONES),
    ).toBe('Zürich');
    expect(isReachable('AZ 1', topologyRequirement(['AZ-1']), NAMED_ZONES)).toBe(true);
    expect(isReachable('AZ 1', topologyRequirement(['Z-rich']), NAMED_ZONES)).toBe(false);
    expect(topologyOf('AZ 1', NAMED_ZONES)).toEqual(topologiesOf('AZ-1'));
  });

  test('needs an unambiguous label, unless the class specifies the zone', () => {
    const free = { availability: undefined, sourceZone: undefined };
    expect(zoneFor(topologyRequirement(['AZ-1', 'b']), free, COLLIDING_ZONES)).toBe('b');
    expect(zoneFor(topologyRequirement(['AZ-1']), { ...free, availability: 'AZ 1' }, COLLIDING_ZONES)).toBe('AZ 1');
    expect(() => zoneFor(topologyRequirement(['AZ-1']), free, COLLIDING_ZONES)).toThrow(
      /"AZ 1" and "AZ-1" have the same label "AZ-1"/,
    );
  });

  test('determines where a volume is accessible, if Nova has the zone too', () => {
    expect(topologyOf('a', SHARED_ZONES)).toEqual(topologiesOf('a'));
    expect(topologyOf('ceph', SEPARATE_ZONES)).toEqual([]);
    expect(topologyOf(undefined, SHARED_ZONES)).toEqual([]);
  });
});
