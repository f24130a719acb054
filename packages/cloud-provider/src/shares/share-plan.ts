import type { PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { ShareCreate } from '@fairway/openstack/types/shared-file-system';
import { problemOfClaim } from '../volumes/volume-plan.ts';
import { gibOf } from '../volumes/volume-size.ts';
import { SHARE_CLIENT_KEY, SHARE_DRIVER } from './driver.ts';
import { readShareParameters } from './share-parameters.ts';

/** The plan for a claim, or its problem. */
export type SharePlan =
  | { readonly kind: 'create'; readonly request: ShareCreate }
  | { readonly kind: 'refuse'; readonly message: string };

/** The zones and share types that the cloud offers. */
export interface ShareOffer {
  /** Names of Manila zones. */
  readonly zones: readonly string[];
  /** Names and IDs of share types. */
  readonly types: ReadonlySet<string>;
}

/** Pure. */
export function planShare(claim: PersistentVolumeClaim, storageClass: StorageClass, offer: ShareOffer): SharePlan {
  const parameters = readShareParameters(storageClass.parameters);
  const refuseClass = (message: string) => refuse(`StorageClass ${storageClass.metadata.name}: ${message}`);
  if (typeof parameters === 'string') return refuseClass(parameters);
  const { type, availability, shareNetworkID, shareClient, metadata } = parameters;
  if (storageClass.allowedTopologies?.length) {
    return refuseClass('allowedTopologies is set, but shares can be mounted from every zone: remove it');
  }
  if (type !== undefined && !offer.types.has(type)) {
    return refuseClass(`parameter "type" is "${type}", but Manila has no share type with this name or ID`);
  }
  if (availability !== undefined && !offer.zones.includes(availability)) {
    const zones = offer.zones.slice(0, 20).join(', ') || 'none';
    return refuseClass(`parameter "availability" is "${availability}", but Manila has ${zones}`);
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
    return 'spec.volumeMode is Block, but a share is a file system: remove it, or use a StorageClass for volumes';
  }
  if (spec.accessModes?.includes('ReadWriteOncePod')) {
    return 'accessModes contains ReadWriteOncePod, which Kubernetes supports only for CSI volumes: use ReadWriteOnce, or a StorageClass for volumes';
  }
  const { kind, name } = spec.dataSourceRef ?? spec.dataSource ?? {};
  return kind === undefined
    ? undefined
    : `spec.dataSource is ${kind} ${name}: shares are created empty: remove it, and copy the files`;
}

/** The access level of nodes to the share of a claim or PersistentVolume. Pure. */
export function accessLevel(accessModes: readonly string[] | undefined): 'rw' | 'ro' {
  return accessModes?.length && accessModes.every((mode) => mode === 'ReadOnlyMany') ? 'ro' : 'rw';
}

function refuse(message: string): SharePlan {
  return { kind: 'refuse', message };
}
