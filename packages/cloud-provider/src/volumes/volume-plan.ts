import type { StorageLimits } from '@fairway/api/domain/plan-storage';
import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { VolumeCreate } from '@fairway/openstack/types/block-storage';
import { type ClassParameters, readParameters } from './class-parameters.ts';
import { DRIVER, isAskedOf, isCinderId, NODE_ZONE_LABEL, SELECTED_NODE, ZONE_KEY } from './driver.ts';
import { problemWithPlan } from './plan-problem.ts';
import { gibOf } from './volume-size.ts';

/** A volume that a claim asks for. */
export interface PlannedVolume {
  readonly request: Pick<VolumeCreate, 'size' | 'volume_type' | 'availability_zone' | 'source_volid' | 'snapshot_id'>;
  /** Of a file system; undefined for a raw block device. */
  readonly fsType: string | undefined;
  /** Where it can be attached; undefined for everywhere. */
  readonly zone: string | undefined;
}

/** What a volume is made from. */
export interface VolumeOrigin {
  readonly what: 'volume' | 'snapshot';
  readonly request: Pick<VolumeCreate, 'source_volid' | 'snapshot_id'>;
  /** Cinder's zone, where copies have to be. */
  readonly volumeZone: string | undefined;
  readonly sizeGiB: number;
}

/** What a claim asks for, or what is wrong with it. */
export type VolumePlan =
  | { readonly kind: 'create'; readonly volume: PlannedVolume }
  | { readonly kind: 'refuse'; readonly message: string }
  /** The scheduler is to choose another node. */
  | { readonly kind: 'reschedule'; readonly message: string };

/** What a cloud offers. */
export interface StorageOffer {
  /** Names of Cinder's zones that are available. */
  readonly volumeZones: readonly string[];
  /** Names of Nova's zones. */
  readonly computeZones: readonly string[];
  /** Names and ids of types whose volumes several servers may have at a time. */
  readonly multiattachTypes: ReadonlySet<string>;
}

/** What of its cluster a claim's volume depends on. */
export interface ClusterFacts {
  /** Labels of the node that the scheduler chose; undefined if there is no such node. */
  readonly selectedNode: Readonly<Record<string, string>> | undefined;
  /** Zones of the cluster's nodes, in any order. */
  readonly nodeZones: readonly string[];
  /** What its plan allows. */
  readonly limits: StorageLimits;
}

/** Whether the claim waits for a volume of the driver, as external-provisioner decides. Pure. */
export function isToProvision(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  driver: string = DRIVER,
): storageClass is StorageClass {
  const { metadata, spec } = claim;
  if (spec.volumeName || metadata.deletionTimestamp !== undefined) return false;
  if (storageClass?.provisioner !== driver || !isAskedOf(driver, claim)) return false;
  return storageClass.volumeBindingMode !== 'WaitForFirstConsumer' || Boolean(metadata.annotations?.[SELECTED_NODE]);
}

/** The zone that the driver or the cloud's node controller wrote. */
export function zoneOfNode(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  return labels?.[ZONE_KEY] ?? labels?.[NODE_ZONE_LABEL];
}

/** Pure. */
export function planVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  cluster: ClusterFacts,
  offer: StorageOffer,
  origin?: VolumeOrigin,
): VolumePlan {
  const unplanned = problemWithPlan(claim, storageClass, cluster.limits);
  if (unplanned !== undefined) return refuse(unplanned);
  const parameters = readParameters(storageClass.parameters);
  if (typeof parameters === 'string') return refuse(`StorageClass ${storageClass.metadata.name}: ${parameters}`);
  const problem = problemOfClaim(claim) ?? problemOfModes(claim, parameters, offer);
  if (problem !== undefined) return refuse(problem);
  const size = gibOf(claim.spec.resources?.requests?.['storage']) as number;
  if (origin && size < origin.sizeGiB) {
    return refuse(
      `spec.resources.requests.storage is ${size}Gi, and a volume that is made from a ${origin.what} has at least its ${origin.sizeGiB}Gi`,
    );
  }
  const placed = placeVolume(claim, storageClass, parameters, cluster, offer, origin);
  if ('kind' in placed) return placed;
  const isBlock = claim.spec.volumeMode === 'Block';
  return {
    kind: 'create',
    volume: {
      request: {
        size,
        ...origin?.request,
        ...(parameters.type !== undefined && { volume_type: parameters.type }),
        ...(placed.volumeZone !== undefined && { availability_zone: placed.volumeZone }),
      },
      fsType: isBlock ? undefined : parameters.fsType,
      zone: placed.nodeZone,
    },
  };
}

/** What of a claim nothing can be made for, whatever keeps its data. Pure. */
export function problemOfClaim({ spec }: PersistentVolumeClaim, driver: string = DRIVER): string | undefined {
  const { requests, limits } = spec.resources ?? {};
  const size = gibOf(requests?.['storage']);
  if (size === undefined) return `spec.resources.requests.storage is ${requests?.['storage']}: no volume has that size`;
  const limit = limits?.['storage'];
  const limitGib = limit === undefined ? undefined : gibOf(limit);
  if (limit !== undefined && (limitGib === undefined || limitGib < size)) {
    return `spec.resources.limits.storage is ${limit}, and volumes have whole GiB: this one would have ${size}Gi`;
  }
  if (spec.selector !== undefined)
    return 'spec.selector is set: a volume that is made for the claim can have no labels';
  if (spec.volumeAttributesClassName) {
    return `spec.volumeAttributesClassName is ${spec.volumeAttributesClassName}: the driver ${driver} can't modify volumes`;
  }
  return undefined;
}

function problemOfModes(
  { spec }: PersistentVolumeClaim,
  { type }: ClassParameters,
  { multiattachTypes }: StorageOffer,
): string | undefined {
  const shared = spec.accessModes?.find((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
  if (shared === undefined) return undefined;
  if (shared === 'ReadWriteMany' && spec.volumeMode !== 'Block') {
    return 'accessModes has ReadWriteMany, and a file system on a volume has one node that writes: use a class of shares, or volumeMode Block with a multiattach type';
  }
  if (type !== undefined && multiattachTypes.has(type)) return undefined;
  const names = [...multiattachTypes].filter((name) => !isCinderId(name));
  return `accessModes has ${shared}, and volumes of ${type === undefined ? 'the default type' : `type ${type}`} are for one server at a time: use a class of shares, or one whose parameter "type" is a multiattach type (the cloud has ${listed(names)})`;
}

interface Placement {
  readonly volumeZone: string | undefined;
  readonly nodeZone: string | undefined;
}

function placeVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  { availability }: ClassParameters,
  { selectedNode, nodeZones }: ClusterFacts,
  { volumeZones, computeZones }: StorageOffer,
  origin: VolumeOrigin | undefined,
): Placement | VolumePlan {
  const allowed = allowedZones(storageClass);
  if (typeof allowed === 'string') return refuse(`StorageClass ${storageClass.metadata.name}: ${allowed}`);
  const isDelayed = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  if (isDelayed && selectedNode === undefined) {
    const name = claim.metadata.annotations?.[SELECTED_NODE];
    return { kind: 'reschedule', message: `the node "${name}" that was chosen for the first consumer is gone` };
  }
  if (availability !== undefined) {
    if (!volumeZones.includes(availability)) {
      return refuse(`parameter "availability" is "${availability}", and Cinder has ${listed(volumeZones)}`);
    }
    return { volumeZone: availability, nodeZone: computeZones.includes(availability) ? availability : undefined };
  }
  if (origin?.volumeZone !== undefined && !isDelayed) {
    const zone = origin.volumeZone;
    return { volumeZone: zone, nodeZone: computeZones.includes(zone) ? zone : undefined };
  }
  const nodeZone = isDelayed
    ? zoneOfNode(selectedNode)
    : chooseZone(claim.metadata.uid ?? '', allowed ?? nodeZones, volumeZones);
  if (isDelayed && allowed && (nodeZone === undefined || !allowed.includes(nodeZone))) {
    return {
      kind: 'reschedule',
      message: `the chosen node is in zone ${nodeZone}, and the class allows ${listed(allowed)}`,
    };
  }
  const isApart = nodeZone !== undefined && volumeZones.includes(nodeZone);
  if (origin?.volumeZone !== undefined && isApart && origin.volumeZone !== nodeZone) {
    const message = `the chosen node is in zone ${nodeZone}, and the ${origin.what} that this one is to be made from in ${origin.volumeZone}`;
    return { kind: 'reschedule', message };
  }
  // Clouds whose zones of volumes are others let servers of any zone attach them.
  return isApart ? { volumeZone: nodeZone, nodeZone } : { volumeZone: undefined, nodeZone: undefined };
}

/** Undefined for all; a text if a term can't be satisfied. */
function allowedZones({ allowedTopologies }: StorageClass): readonly string[] | string | undefined {
  if (allowedTopologies === undefined || allowedTopologies.length === 0) return undefined;
  const zones: string[] = [];
  for (const { matchLabelExpressions = [] } of allowedTopologies) {
    for (const { key, values } of matchLabelExpressions) {
      if (key !== ZONE_KEY && key !== NODE_ZONE_LABEL) {
        return `allowedTopologies has the key "${key}": volumes differ in ${ZONE_KEY} alone`;
      }
      zones.push(...values);
    }
  }
  return zones;
}

/** Spreads claims over zones; the same for a claim each time. */
function chooseZone(
  claimUid: string,
  candidates: readonly string[],
  volumeZones: readonly string[],
): string | undefined {
  const zones = [...new Set(candidates)].filter((zone) => volumeZones.includes(zone)).sort();
  let sum = 0;
  for (const character of claimUid) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 31;
  return zones[sum % Math.max(zones.length, 1)];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 20).join(', ');
}

function refuse(message: string): VolumePlan {
  return { kind: 'refuse', message };
}
