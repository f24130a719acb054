import { formatTime } from '@fairway/base/clock';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  StorageClass,
} from '@fairway/kube/kinds/generated/types';
import { compareQuantities, tryParseQuantity, ZERO } from '@fairway/kube/object/quantity';
import { DRIVER, driverOf } from './driver.ts';
import { gibOf } from './volume-size.ts';

/** The step for a claim that requests more than it has. */
export type ExpansionStep =
  /** The volume must be extended. */
  | { readonly kind: 'extend'; readonly sizeGiB: number; readonly storage: string }
  /** The volume has the requested size, but the claim's status does not show it. */
  | { readonly kind: 'tell'; readonly storage: string }
  | { readonly kind: 'refuse'; readonly message: string; readonly storage: string };

/** Whether a bound claim requests more than it has. Pure. */
export function needsExpansion({ spec, status }: PersistentVolumeClaim): boolean {
  return (
    status?.phase === 'Bound' && isGreater(spec.resources?.requests?.['storage'] ?? '0', status.capacity?.['storage'])
  );
}

/** The expansion step; undefined if the claim is satisfied, waits for its node, or belongs to another driver. Pure. */
export function expansionStep(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  storageClass: StorageClass | undefined,
  driver: string = DRIVER,
): ExpansionStep | undefined {
  const { claimRef, capacity } = volume.spec;
  if (driverOf(volume) !== driver || claimRef?.uid !== claim.metadata.uid) return undefined;
  if (!needsExpansion(claim) || claim.metadata.deletionTimestamp !== undefined) return undefined;
  const storage = claim.spec.resources?.requests?.['storage'] ?? '0';
  if (!isGreater(storage, capacity?.['storage'])) {
    return isPending(claim) ? undefined : { kind: 'tell', storage: capacity?.['storage'] ?? storage };
  }
  const sizeGiB = gibOf(storage);
  if (sizeGiB === undefined) {
    return {
      kind: 'refuse',
      storage,
      message: `spec.resources.requests.storage is ${storage}, which is not a valid volume size`,
    };
  }
  // The API server validated the request against the class. A class that has since been deleted is not required, as in
  // external-resizer.
  if (storageClass !== undefined && storageClass.allowVolumeExpansion !== true) {
    const name = claim.spec.storageClassName ?? '';
    const message = `StorageClass "${name}" does not have allowVolumeExpansion: set it, or request no more than ${capacity?.['storage']}`;
    return { kind: 'refuse', storage, message };
  }
  return { kind: 'extend', sizeGiB, storage: `${sizeGiB}Gi` };
}

type ClaimStatus = Pick<NonNullable<PersistentVolumeClaim['status']>, 'conditions' | 'capacity'>;

/**
 * The claim's status with its expansion condition, or with its new capacity and without that condition; undefined if
 * unchanged. Pure.
 */
export function statusOf(
  claim: PersistentVolumeClaim,
  state: 'Resizing' | 'FileSystemResizePending' | { readonly storage: string },
  nowMs: number,
): ClaimStatus | undefined {
  const { conditions = [] } = claim.status ?? {};
  const others = conditions.filter(({ type }) => !RESIZE_CONDITIONS.has(type));
  if (typeof state === 'object') return { conditions: others, capacity: { storage: state.storage } };
  if (conditions.some(({ type, status }) => type === state && status === 'True')) return undefined;
  const condition: PersistentVolumeClaimCondition = {
    type: state,
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    ...(state === 'FileSystemResizePending' && { message: PENDING_MESSAGE }),
  };
  return { conditions: [...others, condition] };
}

const RESIZE_CONDITIONS: ReadonlySet<string> = new Set(['Resizing', 'FileSystemResizePending']);
const PENDING_MESSAGE = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';

function isPending({ status }: PersistentVolumeClaim): boolean {
  return status?.conditions?.some((each) => each.type === 'FileSystemResizePending' && each.status === 'True') ?? false;
}

function isGreater(left: string, right: string | undefined): boolean {
  return compareQuantities(tryParseQuantity(left) ?? ZERO, tryParseQuantity(right ?? '0') ?? ZERO) > 0;
}
