import { ZONE_KEY } from '@fairway/cloud-provider/volumes/driver';
import { zoneOfLabel } from '@fairway/cloud-provider/volumes/zone-label';
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
 * Cinder's zone for a volume; undefined for Cinder's default. Nova zones that Cinder does not have are ignored: such
 * clouds attach across zones. Throws INVALID_ARGUMENT for a zone that does not exist, and RESOURCE_EXHAUSTED if the
 * volume would not be accessible as required: the scheduler then chooses another node. Pure.
 */
export function zoneFor(
  requirement: TopologyRequirement | null,
  { availability, sourceZone }: { readonly availability: string | undefined; readonly sourceZone: string | undefined },
  zones: Zones,
): string | undefined {
  if (availability !== undefined && !zones.volumeZones.includes(availability)) {
    throw invalidArgument(
      `parameter "availability" is "${availability}", but Cinder has ${formatNames(zones.volumeZones)}`,
    );
  }
  const requestedLabels = requestedLabelsOf(requirement, zones);
  const requiredZone = availability ?? sourceZone;
  if (requiredZone === undefined) return firstZone(requestedLabels, zones);
  if (isWithin(requiredZone, requestedLabels, zones)) return requiredZone;
  const constraint = availability === undefined ? 'the source of the volume is' : 'parameter "availability" is';
  throw new CallError(
    status.RESOURCE_EXHAUSTED,
    `${constraint} in zone ${requiredZone}, but the volume is requested in ${formatNames(requestedLabels)}`,
  );
}

/** The topologies from which a volume in this zone is accessible; empty for all. Pure. */
export function topologyOf(zone: string | null | undefined, { computeZones }: Zones): readonly Topology[] {
  return zone != null && computeZones.includes(zone) ? [{ segments: { [ZONE_KEY]: labelValue(zone) } }] : [];
}

/** Whether a volume in this zone is accessible as required. Pure. */
export function isReachable(zone: string | undefined, requirement: TopologyRequirement | null, zones: Zones): boolean {
  const requestedLabels = requestedLabelsOf({ requisite: requirement?.requisite ?? [], preferred: [] }, zones);
  return zone === undefined || isWithin(zone, requestedLabels, zones);
}

function isWithin(zone: string, requestedLabels: readonly string[], { computeZones }: Zones): boolean {
  return requestedLabels.length === 0 || !computeZones.includes(zone) || requestedLabels.includes(labelValue(zone));
}

/** Requested zone labels that the cloud's zones have, preferred ones first. */
function requestedLabelsOf(requirement: TopologyRequirement | null, zones: Zones): readonly string[] {
  const topologies = [...(requirement?.preferred ?? []), ...(requirement?.requisite ?? [])];
  const labels = topologies.flatMap(({ segments }) => segments[ZONE_KEY] ?? []).map(labelValue);
  return [...new Set(labels)].filter((label) => zoneOfLabel(label, zones).kind !== 'none');
}

/** The first zone whose label is unique. Throws INVALID_ARGUMENT if all labels are ambiguous. */
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

function formatNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
}
