import type { Volume } from '@fairway/openstack/types/block-storage';
import type { CsiVolume, VolumeContentSource } from '../protocol/messages.ts';
import { GIB } from './capacity.ts';
import { topologyOf, type Zones } from './placement.ts';

/** A volume in CSI's format. Pure. */
export function csiVolume(volume: Volume, zones: Zones): CsiVolume {
  const source = sourceOf(volume);
  return {
    capacity_bytes: volume.size * GIB,
    volume_id: volume.id,
    ...(source && { content_source: source }),
    accessible_topology: topologyOf(volume.availability_zone, zones),
  };
}

/** IDs of the servers to which the volume is attached. Pure. */
export function publishedNodes({ attachments }: Volume): readonly string[] {
  return attachments.flatMap(({ server_id: id }) => id ?? []);
}

function sourceOf({ snapshot_id: snapshot, source_volid: volume }: Volume): VolumeContentSource | undefined {
  if (snapshot) return { snapshot: { snapshot_id: snapshot } };
  return volume ? { volume: { volume_id: volume } } : undefined;
}
