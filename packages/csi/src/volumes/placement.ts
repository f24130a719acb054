import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { zoneOfLabel } from '@fairway/cloud-provider/volumes/zone-of-label';
import { labelValue } from '@fairway/kube/object/label-value';
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
 * Cinder's zone for a volume; undefined for its default. Nova zones that Cinder does not have are ignored: such clouds attach
 * across zones. Throws INVALID_ARGUMENT for a zone that does not exist, and RESOURCE_EXHAUSTED if the volume would not be
 * accessible as required: then the scheduler chooses another node. Pure.
 */
export function zoneFor(
  requirement: TopologyRequirement | null,
  { availability, copied }: { readonly availability: string | undefined; readonly copied: string | undefined },
  zones: Zones,
): string | undefined {
  if (availability !== undefined && !zones.volumeZones.includes(availability)) {
    throw invalidArgument(`parameter "availability" is "${availability}", but Cinder has ${listed(zones.volumeZones)}`);
  }
  const wanted = wantedLabels(requirement, zones);
  const fixed = availability ?? copied;
  if (fixed === undefined) return firstZone(wanted, zones);
  if (isWithin(fixed, wanted, zones)) return fixed;
  const why = availability === undefined ? 'the source of the volume is' : 'parameter "availability" is';
  throw new CallError(
    status.RESOURCE_EXHAUSTED,
    `${why} in zone ${fixed}, but the volume is requested in ${listed(wanted)}`,
  );
}

/** From where a volume of this zone is accessible; empty for everywhere. Pure. */
export function topologyOf(zone: string | null | undefined, { computeZones }: Zones): readonly Topology[] {
  return zone != null && computeZones.includes(zone) ? [{ segments: { [ZONE_KEY]: labelValue(zone) } }] : [];
}

/** Whether a volume of this zone is accessible as required. Pure. */
export function isReachable(zone: string | undefined, requirement: TopologyRequirement | null, zones: Zones): boolean {
  const wanted = wantedLabels({ requisite: requirement?.requisite ?? [], preferred: [] }, zones);
  return zone === undefined || isWithin(zone, wanted, zones);
}

function isWithin(zone: string, wanted: readonly string[], { computeZones }: Zones): boolean {
  return wanted.length === 0 || !computeZones.includes(zone) || wanted.includes(labelValue(zone));
}

/** Labels of zones that both services have, preferred ones first. */
function wantedLabels(requirement: TopologyRequirement | null, zones: Zones): readonly string[] {
  const topologies = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])];
  const labels = topologies.flatMap(({ segments }) => segments[ZONE_KEY] ?? []).map(labelValue);
  return [...new Set(labels)].filter((label) => zoneOfLabel(label, zones).kind !== 'none');
}

/** The first zone whose label is unique. Throws INVALID_ARGUMENT if labels are ambiguous. */
function firstZone(labels: readonly string[], zones: Zones): string | undefined {
  let message: string | undefined;
  for (const label of labels) {
    const zone = zoneOfLabel(label, zones);
    if (zone.kind === 'zone') return zone.name;
    if (zone.kind === 'ambiguous') message ??= zone.message;
  }
  if (message !== undefined) throw invalidArgument(message);
  return undefined;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
}
