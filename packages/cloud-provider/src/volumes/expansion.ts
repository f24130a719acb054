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

/** What is to be done for a claim that asks for more than it has. */
export type ExpansionStep =
  /** The volume is to grow. */
  | { readonly kind: 'extend'; readonly sizeGiB: number; readonly storage: string }
  /** The volume has the size, and the claim does not say so. */
  | { readonly kind: 'tell'; readonly storage: string }
  | { readonly kind: 'refuse'; readonly message: string; readonly storage: string };

/** Whether a bound claim asks for more than it has. Pure. */
export function isToExpand({ spec, status }: PersistentVolumeClaim): boolean {
  return (
    status?.phase === 'Bound' && isMore(spec.resources?.requests?.['storage'] ?? '0', status.capacity?.['storage'])
  );
}

/** Undefined where the claim has what it asks for, waits for its node, or is not of the driver. Pure. */
export function expansionStep(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  storageClass: StorageClass | undefined,
  driver: string = DRIVER,
): ExpansionStep | undefined {
  const { claimRef, capacity } = volume.spec;
  if (driverOf(volume) !== driver || claimRef?.uid !== claim.metadata.uid) return undefined;
  if (!isToExpand(claim) || claim.metadata.deletionTimestamp !== undefined) return undefined;
  const storage = claim.spec.resources?.requests?.['storage'] ?? '0';
  if (!isMore(storage, capacity?.['storage'])) {
    return isPending(claim) ? undefined : { kind: 'tell', storage: capacity?.['storage'] ?? storage };
  }
  const sizeGiB = gibOf(storage);
  if (sizeGiB === undefined) {
    return {
      kind: 'refuse',
      storage,
      message: `spec.resources.requests.storage is ${storage}: no volume has that size`,
    };
  }
  if (storageClass?.allowVolumeExpansion !== true) {
    const name = claim.spec.storageClassName ?? '';
    const message = `StorageClass "${name}" does not have allowVolumeExpansion: set it, or ask for no more than ${capacity?.['storage']}`;
    return { kind: 'refuse', storage, message };
  }
  return { kind: 'extend', sizeGiB, storage: `${sizeGiB}Gi` };
}

type ClaimStatus = Pick<NonNullable<PersistentVolumeClaim['status']>, 'conditions' | 'capacity'>;

/** The claim's status with the one condition that holds now, or with its new capacity and none; undefined if it says so. Pure. */
export function statusOf(
  claim: PersistentVolumeClaim,
  state: 'Resizing' | 'FileSystemResizePending' | { readonly storage: string },
  nowMs: number,
): ClaimStatus | undefined {
  const { conditions = [] } = claim.status ?? {};
  const others = conditions.filter(({ type }) => !CONDITIONS.has(type));
  if (typeof state === 'object') return { conditions: others, capacity: { storage: state.storage } };
  if (conditions.some(({ type, status }) => type === state && status === 'True')) return undefined;
  const condition: PersistentVolumeClaimCondition = {
    type: state,
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    ...(state === 'FileSystemResizePending' && { message: PENDING }),
  };
  return { conditions: [...others, condition] };
}

const CONDITIONS: ReadonlySet<string> = new Set(['Resizing', 'FileSystemResizePending']);
const PENDING = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';

function isPending({ status }: PersistentVolumeClaim): boolean {
  return status?.conditions?.some((each) => each.type === 'FileSystemResizePending' && each.status === 'True') ?? false;
}

function isMore(left: string, right: string | undefined): boolean {
  return compareQuantities(tryParseQuantity(left) ?? ZERO, tryParseQuantity(right ?? '0') ?? ZERO) > 0;
}
