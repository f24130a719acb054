import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type { PersistentVolumeClaim, Pod } from '@fairway/kube/kinds/generated/types';
import { CSINodes, PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '@fairway/kube/kinds/resources';
import { classOf } from './match-volume.ts';
import type { NodeState } from './node-state.ts';

type Reader = Pick<ObjectReader, 'get'>;

/** A volume of a CSI driver; a volume that does not exist yet is identified by its claim. */
interface CsiVolume {
  readonly driver: string;
  readonly key: string;
}

/** Names of the claims of a pod's volumes, including those of generic ephemeral volumes. */
export function claimNamesOf({ metadata, spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral && `${metadata.name}-${name}`);
    return claimName === undefined ? [] : [claimName];
  });
}

/**
 * Whether a node that runs these pods has room for another pod's volumes, as in kube-scheduler's NodeVolumeLimits. The
 * CSINode limits the number of volumes per driver; a volume that is already attached does not count again. Without a
 * reported limit, a node accepts any number.
 */
export function hasRoomForVolumes(pod: Pod, { node, pods }: NodeState, reader: Reader): boolean {
  const podVolumes = csiVolumesOf(pod, reader);
  if (podVolumes.length === 0) return true;
  const drivers = reader.get(CSINodes, '', node.metadata.name ?? '')?.spec.drivers ?? [];
  return drivers.every(({ name, allocatable }) => {
    const driverVolumes = podVolumes.filter(({ driver }) => driver === name);
    if (driverVolumes.length === 0 || allocatable?.count === undefined) return true;
    const existingVolumes = [...pods.values()].flatMap((other) => csiVolumesOf(other, reader));
    const before = new Set(existingVolumes.filter(({ driver }) => driver === name).map(({ key }) => key));
    const after = new Set([...before, ...driverVolumes.map(({ key }) => key)]);
    return after.size === before.size || after.size <= allocatable.count;
  });
}

function csiVolumesOf(pod: Pod, reader: Reader): readonly CsiVolume[] {
  const namespace = pod.metadata.namespace ?? '';
  return claimNamesOf(pod).flatMap((name) => {
    const claim = reader.get(PersistentVolumeClaims, namespace, name);
    return claim === undefined ? [] : (csiVolumeOf(claim, reader) ?? []);
  });
}

function csiVolumeOf(claim: PersistentVolumeClaim, reader: Reader): CsiVolume | undefined {
  const { namespace, name } = claim.metadata;
  if (claim.spec.volumeName) {
    const volume = reader.get(PersistentVolumes, '', claim.spec.volumeName);
    const source = volume && csiSourceOf(volume);
    return source && { driver: source.driver, key: source.volumeHandle };
  }
  const driver = reader.get(StorageClasses, '', classOf(claim))?.provisioner;
  return driver === undefined ? undefined : { driver, key: `claim ${namespace}/${name}` };
}
