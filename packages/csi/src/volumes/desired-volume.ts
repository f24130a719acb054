import type { Volume } from '@fairway/openstack/types/block-storage';
import { invalidArgument } from '../calls/call-error.ts';
import type {
  CapacityRange,
  CreateVolumeRequest,
  TopologyRequirement,
  VolumeCapability,
} from '../protocol/messages.ts';
import { incompleteReason } from './capabilities.ts';
import { isWithin, sizeFor } from './capacity.ts';
import { isReachable, type Zones } from './placement.ts';
import { type VolumeParameters, volumeParameters } from './volume-parameters.ts';

/** The spec's limit for names; Cinder accepts 255. */
const MAX_NAME_BYTES = 128;

/** The volume that a CreateVolume call requests. */
export interface DesiredVolume {
  readonly name: string;
  readonly range: CapacityRange | null;
  readonly parameters: VolumeParameters;
  readonly capabilities: readonly VolumeCapability[];
  readonly source: { readonly snapshotId: string } | { readonly volumeId: string } | undefined;
  readonly requirement: TopologyRequirement | null;
}

/** Throws INVALID_ARGUMENT, or OUT_OF_RANGE for a size that no volume can have. Pure. */
export function desiredVolume(request: CreateVolumeRequest): DesiredVolume {
  const { name, capacity_range: range, volume_capabilities: capabilities } = request;
  requireName(name);
  if (capabilities.length === 0) throw invalidArgument('volume_capabilities is empty');
  const incomplete = capabilities.map(incompleteReason).find((reason) => reason !== undefined);
  if (incomplete !== undefined) throw invalidArgument(`volume_capabilities: ${incomplete}`);
  if (Object.keys(request.mutable_parameters).length > 0) {
    throw invalidArgument(
      'mutable_parameters is set: Cinder volumes cannot be modified: remove the VolumeAttributesClass',
    );
  }
  sizeFor(range);
  return {
    name,
    range,
    parameters: volumeParameters(request.parameters),
    capabilities,
    source: sourceOf(request),
    requirement: request.accessibility_requirements,
  };
}

/** Validates volume and snapshot names. Throws INVALID_ARGUMENT. Pure. */
export function requireName(name: string): void {
  if (name === '') throw invalidArgument('name is missing');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw invalidArgument(`name is longer than ${MAX_NAME_BYTES} bytes`);
  if (/\p{Cc}/u.test(name)) throw invalidArgument('name has control characters');
}

function sourceOf({ volume_content_source: source }: CreateVolumeRequest): DesiredVolume['source'] {
  if (source === null) return undefined;
  if (source.snapshot?.snapshot_id) return { snapshotId: source.snapshot.snapshot_id };
  if (source.volume?.volume_id) return { volumeId: source.volume.volume_id };
  throw invalidArgument('volume_content_source specifies neither a snapshot nor a volume');
}

/**
 * How an existing volume with this name differs from the request; undefined if it does not. `typeName` is the name of
 * the requested type. Pure.
 */
export function differenceOf(
  volume: Volume,
  { range, parameters, source, requirement }: DesiredVolume,
  typeName: string | undefined,
  zones: Zones,
): string | undefined {
  if (!isWithin(volume.size, range)) return `it has ${volume.size} GiB`;
  if (typeName !== undefined && volume.volume_type !== typeName) return `its type is ${volume.volume_type}`;
  const zone = volume.availability_zone ?? undefined;
  const isInOtherZone = parameters.availability !== undefined && parameters.availability !== zone;
  if (isInOtherZone || !isReachable(zone, requirement, zones)) return `it is in zone ${zone}`;
  const [snapshotId, volumeId] = [volume.snapshot_id ?? undefined, volume.source_volid ?? undefined];
  const requestedSource = { snapshotId: undefined, volumeId: undefined, ...source };
  if (snapshotId !== requestedSource.snapshotId || volumeId !== requestedSource.volumeId)
    return 'it is a copy of another source';
  return undefined;
}
