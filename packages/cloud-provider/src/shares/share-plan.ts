import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { ShareCreate } from '@fairway/openstack/types/shared-file-system';
import { problemOfClaim } from '../volumes/volume-plan.ts';
import { gibOf } from '../volumes/volume-size.ts';
import { SHARE_CLIENT_KEY, SHARE_DRIVER } from './driver.ts';
import { readShareParameters } from './share-parameters.ts';

/** What a claim asks for, or what is wrong with it. */
export type SharePlan =
  | { readonly kind: 'create'; readonly request: ShareCreate }
  | { readonly kind: 'refuse'; readonly message: string };

/** What a cloud offers. */
export interface ShareOffer {
  /** Names of Manila's zones. */
  readonly zones: readonly string[];
  /** Names and ids. */
  readonly types: ReadonlySet<string>;
}

/** Pure. */
export function planShare(claim: PersistentVolumeClaim, storageClass: StorageClass, offer: ShareOffer): SharePlan {
  const parameters = readShareParameters(storageClass.parameters);
  const ofClass = (message: string) => refuse(`StorageClass ${storageClass.metadata.name}: ${message}`);
  if (typeof parameters === 'string') return ofClass(parameters);
  const { type, availability, shareNetworkID, shareClient, metadata } = parameters;
  if (storageClass.allowedTopologies?.length) {
    return ofClass('allowedTopologies is set, and shares can be mounted from every zone: leave it out');
  }
  if (type !== undefined && !offer.types.has(type)) {
    return ofClass(`parameter "type" is "${type}", and Manila has no share type of this name or id`);
  }
  if (availability !== undefined && !offer.zones.includes(availability)) {
    const zones = offer.zones.slice(0, 20).join(', ') || 'none';
    return ofClass(`parameter "availability" is "${availability}", and Manila has ${zones}`);
  }
  const problem = problemOfClaim(claim, SHARE_DRIVER) ?? problemOfModes(claim);
  if (problem !== undefined) return refuse(problem);
  return {
    kind: 'create',
    request: {
      share_proto: 'NFS',
      size: gibOf(claim.spec.resources?.requests?.['storage']) as number,
      ...(type !== undefined && { share_type: type }),
      ...(shareNetworkID !== undefined && { share_network_id: shareNetworkID }),
      ...(availability !== undefined && { availability_zone: availability }),
      metadata: { ...metadata, ...(shareClient && { [SHARE_CLIENT_KEY]: shareClient.join(',') }) },
    },
  };
}

function problemOfModes({ spec }: PersistentVolumeClaim): string | undefined {
  if (spec.volumeMode === 'Block') {
    return 'spec.volumeMode is Block, and a share is a file system: leave it out, or use a class of volumes';
  }
  if (spec.accessModes?.includes('ReadWriteOncePod')) {
    return 'accessModes has ReadWriteOncePod, which Kubernetes keeps for volumes of CSI drivers alone: use ReadWriteOnce, or a class of volumes';
  }
  const { kind, name } = spec.dataSourceRef ?? spec.dataSource ?? {};
  return kind === undefined
    ? undefined
    : `spec.dataSource is ${kind} ${name}: shares are made empty, so leave it out and copy the files`;
}

/** What nodes may do with the share of a claim or a PersistentVolume. Pure. */
export function accessLevel(accessModes: readonly string[] | undefined): 'rw' | 'ro' {
  return accessModes?.length && accessModes.every((mode) => mode === 'ReadOnlyMany') ? 'ro' : 'rw';
}

function refuse(message: string): SharePlan {
  return { kind: 'refuse', message };
}
