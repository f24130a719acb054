import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '@fairway/base/clock';
import type { VolumeSnapshot, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import type { VolumeSnapshot as CinderSnapshot } from '@fairway/openstack/types/block-storage';
import { cloudTimeMs } from '@fairway/openstack/types/cloud-time';

const GIB = 2 ** 30;
const NS_PER_MS = 1e6;

type Status<T extends { status?: unknown }> = NonNullable<T['status']>;

/** A merge patch of a status; null removes a field. */
type StatusPatch<T extends { status?: unknown }> = {
  readonly [K in keyof Status<T>]?: Status<T>[K] | null;
};

/** The status of a VolumeSnapshot, based on the status of its content; undefined if unchanged. Pure. */
export function snapshotStatus(
  { status }: VolumeSnapshot,
  { metadata, status: boundStatus }: VolumeSnapshotContent,
): StatusPatch<VolumeSnapshot> | undefined {
  const { creationTime, restoreSize, readyToUse = false, error } = boundStatus ?? {};
  const desired: Status<VolumeSnapshot> = {
    ...(metadata.name !== undefined && { boundVolumeSnapshotContentName: metadata.name }),
    ...(creationTime !== undefined && { creationTime: formatTime(creationTime / NS_PER_MS) }),
    readyToUse,
    ...(restoreSize !== undefined && { restoreSize: quantityOf(restoreSize) }),
    ...(error && { error }),
  };
  return isDeepStrictEqual(status, desired) ? undefined : { ...clearedFields(status), ...desired };
}

/** The status of a VolumeSnapshotContent, based on its Cinder snapshot; undefined if unchanged. Pure. */
export function contentStatus(
  { status }: VolumeSnapshotContent,
  { id, size, created_at, status: state }: CinderSnapshot,
): StatusPatch<VolumeSnapshotContent> | undefined {
  const createdMs = timeOf(created_at);
  const desired: Status<VolumeSnapshotContent> = {
    snapshotHandle: id,
    ...(createdMs !== undefined && { creationTime: createdMs * NS_PER_MS }),
    readyToUse: state === 'available',
    restoreSize: size * GIB,
  };
  return isDeepStrictEqual(status, desired) ? undefined : { ...clearedFields(status), ...desired };
}

/** The status of a failed object; undefined if unchanged. Pure. */
export function failedStatus(
  { status }: VolumeSnapshot | VolumeSnapshotContent,
  message: string,
  nowMs: number,
): StatusPatch<VolumeSnapshot> | undefined {
  if (status?.error?.message === message && status.readyToUse === false) return undefined;
  return { readyToUse: false, error: { message, time: formatTime(nowMs) } };
}

/** A patch that removes all fields that are set. */
function clearedFields<T extends object>(status: T | undefined): { readonly [K in keyof T]?: null } {
  return Object.fromEntries(Object.keys(status ?? {}).map((name) => [name, null])) as { [K in keyof T]?: null };
}

/** Milliseconds rounded down to whole seconds, so a number can represent the nanoseconds exactly. */
function timeOf(text: string | null | undefined): number | undefined {
  const ms = cloudTimeMs(text);
  return ms === undefined ? undefined : Math.floor(ms / 1000) * 1000;
}

/** `5Gi`. */
function quantityOf(bytes: number): string {
  return Number.isInteger(bytes / GIB) ? `${bytes / GIB}Gi` : `${bytes}`;
}
