import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { labelValue } from '@fairway/kube/object/label-value';
import type { VolumeCreate } from '@fairway/openstack/types/block-storage';
import { type ClassParameters, readParameters } from './class-parameters.ts';
import {
  DRIVER,
  isCinderId,
  isRequestedFrom,
  isServedBy,
  NODE_ZONE_LABEL,
  SELECTED_NODE_ANNOTATION,
  ZONE_KEY,
} from './driver.ts';
import { gibOf } from './volume-size.ts';
import { zoneOfLabel } from './zone-label.ts';

/** The volume that is planned for a claim. */
export interface PlannedVolume {
  readonly request: Pick<VolumeCreate, 'size' | 'volume_type' | 'availability_zone' | 'source_volid' | 'snapshot_id'>;
  /** File system type; undefined for a raw block device. */
  readonly fsType: string | undefined;
  /** Zone label of the nodes that the volume can be attached to; undefined for all nodes. */
  readonly zone: string | undefined;
}

/** The volume or snapshot that a volume is created from. */
export interface VolumeOrigin {
  readonly what: 'volume' | 'snapshot';
  readonly request: Pick<VolumeCreate, 'source_volid' | 'snapshot_id'>;
  /** Zone of the source in Cinder, which a copy must share. */
  readonly volumeZone: string | undefined;
  readonly sizeGiB: number;
}

/** The plan for a claim, or its problem. */
export type VolumePlan =
  | { readonly kind: 'create'; readonly volume: PlannedVolume }
  | { readonly kind: 'refuse'; readonly message: string }
  /** The scheduler must select a different node. */
  | { readonly kind: 'reschedule'; readonly message: string };

/** The zones and volume types that the cloud offers. */
export interface StorageOffer {
  /** Names of available Cinder zones. */
  readonly volumeZones: readonly string[];
  /** Names of Nova zones. */
  readonly computeZones: readonly string[];
  /** Names and IDs of the types that are public or shared with the project. */
  readonly volumeTypes: ReadonlySet<string>;
  /** Names and IDs of multiattach types. */
  readonly multiattachTypes: ReadonlySet<string>;
}

/** The cluster state that a claim's volume depends on. */
export interface ClusterFacts {
  /** Labels of the node selected by the scheduler; undefined if it does not exist. */
  readonly selectedNode: Readonly<Record<string, string>> | undefined;
  /** Zone labels of the cluster's nodes, in any order. */
  readonly nodeZones: readonly string[];
}

/** Whether the claim waits for a volume of the driver, by the same rules as in external-provisioner. Pure. */
export function needsProvisioning(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  driver: string = DRIVER,
): storageClass is StorageClass {
  const { metadata, spec } = claim;
  if (spec.volumeName || metadata.deletionTimestamp !== undefined) return false;
  if (storageClass === undefined || !isServedBy(driver, storageClass.provisioner) || !isRequestedFrom(driver, claim))
    return false;
  return (
    storageClass.volumeBindingMode !== 'WaitForFirstConsumer' ||
    Boolean(metadata.annotations?.[SELECTED_NODE_ANNOTATION])
  );
}

/** The zone label that the driver or the cloud node controller has set. */
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
  const parameters = readParameters(storageClass.parameters);
  if (typeof parameters === 'string') return refuse(`StorageClass ${storageClass.metadata.name}: ${parameters}`);
  const { type } = parameters;
  // With an administrator's credentials, Cinder accepts private types of other projects.
  if (type !== undefined && !offer.volumeTypes.has(type)) {
    const names = [...offer.volumeTypes].filter((name) => !isCinderId(name));
    return refuse(
      `StorageClass ${storageClass.metadata.name}: parameter "type" is "${type}", and Cinder has ${listed(names)}`,
    );
  }
  const problem = problemOfClaim(claim) ?? problemOfModes(claim, parameters, offer);
  if (problem !== undefined) return refuse(problem);
  const size = gibOf(claim.spec.resources?.requests?.['storage']) as number;
  if (origin && size < origin.sizeGiB) {
    return refuse(
      `spec.resources.requests.storage is ${size}Gi, but a volume created from a ${origin.what} needs at least its ${origin.sizeGiB}Gi`,
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

/** A problem with a claim that does not depend on the kind of storage; undefined if there is none. Pure. */
export function problemOfClaim({ spec }: PersistentVolumeClaim, driver: string = DRIVER): string | undefined {
  const { requests, limits } = spec.resources ?? {};
  const size = gibOf(requests?.['storage']);
  if (size === undefined)
    return `spec.resources.requests.storage is ${requests?.['storage']}, which is not a valid volume size`;
  const limit = limits?.['storage'];
  const limitGib = limit === undefined ? undefined : gibOf(limit);
  if (limit !== undefined && (limitGib === undefined || limitGib < size)) {
    return `spec.resources.limits.storage is ${limit}, but volume sizes are whole GiB: this volume would have ${size}Gi`;
  }
  if (spec.selector !== undefined)
    return 'spec.selector is set, but a dynamically provisioned volume cannot have labels: remove it';
  if (spec.volumeAttributesClassName) {
    return `spec.volumeAttributesClassName is ${spec.volumeAttributesClassName}: driver ${driver} cannot modify volumes`;
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
    return 'accessModes contains ReadWriteMany, but only one node can write to a file system on a volume: use a StorageClass for shares, or volumeMode Block with a multiattach type';
  }
  if (type !== undefined && multiattachTypes.has(type)) return undefined;
  const names = [...multiattachTypes].filter((name) => !isCinderId(name));
  return `accessModes contains ${shared}, but volumes of ${type === undefined ? 'the default type' : `type ${type}`} can be attached to only one server at a time: use a StorageClass for shares, or one whose parameter "type" is a multiattach type (the cloud has ${listed(names)})`;
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
  offer: StorageOffer,
  origin: VolumeOrigin | undefined,
): Placement | VolumePlan {
  const { volumeZones, computeZones } = offer;
  const topologyZone = (zone: string) => (computeZones.includes(zone) ? labelValue(zone) : undefined);
  const allowed = allowedLabels(storageClass);
  if (typeof allowed === 'string') return refuse(`StorageClass ${storageClass.metadata.name}: ${allowed}`);
  const isDelayed = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  if (isDelayed && selectedNode === undefined) {
    const name = claim.metadata.annotations?.[SELECTED_NODE_ANNOTATION];
    return { kind: 'reschedule', message: `the node "${name}" selected for the first consumer no longer exists` };
  }
  if (availability !== undefined) {
    if (!volumeZones.includes(availability)) {
      return refuse(`parameter "availability" is "${availability}", but Cinder has ${listed(volumeZones)}`);
    }
    return { volumeZone: availability, nodeZone: topologyZone(availability) };
  }
  if (origin?.volumeZone !== undefined && !isDelayed) {
    return { volumeZone: origin.volumeZone, nodeZone: topologyZone(origin.volumeZone) };
  }
  const nodeZone = isDelayed
    ? zoneOfNode(selectedNode)
    : chooseLabel(claim.metadata.uid ?? '', allowed ?? nodeZones, offer);
  if (isDelayed && allowed && (nodeZone === undefined || !allowed.includes(nodeZone))) {
    return {
      kind: 'reschedule',
      message: `the selected node is in zone ${nodeZone}, but the class allows ${listed(allowed)}`,
    };
  }
  const zone = nodeZone === undefined ? ({ kind: 'none' } as const) : zoneOfLabel(nodeZone, offer);
  if (zone.kind === 'ambiguous') return refuse(zone.message);
  // Clouds with separate zones for volumes allow attaching them to servers in any zone.
  if (zone.kind === 'none') return { volumeZone: undefined, nodeZone: undefined };
  if (origin?.volumeZone !== undefined && origin.volumeZone !== zone.name) {
    const message = `the selected node is in zone ${nodeZone}, but the source ${origin.what} is in ${origin.volumeZone}`;
    return { kind: 'reschedule', message };
  }
  return { volumeZone: zone.name, nodeZone };
}

/** The zone labels that the class allows: undefined for all zones, or a message if a term cannot be satisfied. */
function allowedLabels({ allowedTopologies }: StorageClass): readonly string[] | string | undefined {
  if (allowedTopologies === undefined || allowedTopologies.length === 0) return undefined;
  const labels: string[] = [];
  for (const { matchLabelExpressions = [] } of allowedTopologies) {
    for (const { key, values } of matchLabelExpressions) {
      if (key !== ZONE_KEY && key !== NODE_ZONE_LABEL) {
        return `allowedTopologies contains the key "${key}": volumes support only ${ZONE_KEY}`;
      }
      labels.push(...values.map(labelValue));
    }
  }
  return labels;
}

/**
 * Chooses a zone label. Spreads claims over zones, prefers zones with unique labels, and always returns the same label
 * for a claim.
 */
function chooseLabel(claimUid: string, candidates: readonly string[], offer: StorageOffer): string | undefined {
  const labels = [...new Set(candidates)].sort();
  const zoneLabels = labels.filter((label) => zoneOfLabel(label, offer).kind === 'zone');
  const zones =
    zoneLabels.length > 0 ? zoneLabels : labels.filter((label) => zoneOfLabel(label, offer).kind === 'ambiguous');
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
