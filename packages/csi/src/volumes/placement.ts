import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { status } from '@grpc/grpc-js';
import { CallError, invalidArgument } from '../calls/call-error.ts';
import type { Topology, TopologyRequirement } from '../protocol/messages.ts';

export interface Zones {
  /** Names of Cinder's zones that are available. */
  readonly volumeZones: readonly string[];
  /** Names of Nova's zones. */
  readonly computeZones: readonly string[];
}

/**
 * Cinder's zone for a volume; undefined for its default. Zones of Nova's that Cinder does not have say nothing: such clouds attach across zones.
 * Throws INVALID_ARGUMENT for a zone that there is not, and RESOURCE_EXHAUSTED where the volume can't be reached from where it is wanted: then the
 * scheduler chooses another node. Pure.
 */
export function zoneFor(
  requirement: TopologyRequirement | null,
  { availability, copied }: { readonly availability: string | undefined; readonly copied: string | undefined },
  zones: Zones,
): string | undefined {
  if (availability !== undefined && !zones.volumeZones.includes(availability)) {
    throw invalidArgument(`parameter "availability" is "${availability}", and Cinder has ${listed(zones.volumeZones)}`);
  }
  const wanted = wantedZones(requirement, zones);
  const fixed = availability ?? copied;
  if (fixed === undefined) return wanted[0];
  const isReachable = wanted.length === 0 || !zones.computeZones.includes(fixed) || wanted.includes(fixed);
  if (isReachable) return fixed;
  const why = availability === undefined ? 'what the volume is to be a copy of is' : 'parameter "availability" is';
  throw new CallError(
    status.RESOURCE_EXHAUSTED,
    `${why} in zone ${fixed}, and the volume is wanted in ${listed(wanted)}`,
  );
}

/** From where a volume of this zone can be reached; empty for everywhere. Pure. */
export function topologyOf(zone: string | null | undefined, { computeZones }: Zones): readonly Topology[] {
  return zone != null && computeZones.includes(zone) ? [{ segments: { [ZONE_KEY]: zone } }] : [];
}

/** Whether a volume of this zone can be reached from where it is wanted. Pure. */
export function isReachable(zone: string | undefined, requirement: TopologyRequirement | null, zones: Zones): boolean {
  const wanted = wantedZones({ requisite: requirement?.requisite ?? [], preferred: [] }, zones);
  return wanted.length === 0 || zone === undefined || !zones.computeZones.includes(zone) || wanted.includes(zone);
}

/** Those that both services have, preferred ones first. */
function wantedZones(requirement: TopologyRequirement | null, { volumeZones }: Zones): readonly string[] {
  const topologies = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])];
  const named = topologies.flatMap(({ segments }) => segments[ZONE_KEY] ?? []);
  return [...new Set(named)].filter((zone) => volumeZones.includes(zone));
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
}
