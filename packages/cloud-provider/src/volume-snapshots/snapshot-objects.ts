import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { ALLOW_MODE_CHANGE_ANNOTATION, BEING_DELETED_ANNOTATION, IS_DEFAULT_ANNOTATION } from './snapshot-names.ts';

/**
 * The snapshot kinds as read by Fairway. Tenants may change their definitions, so invalid objects are read as objects
 * that need no work.
 */

const Text = z.string();
const ErrorText = z.object({ message: Text.optional(), time: Text.optional() }).optional().catch(undefined);
const Policy = z.enum(['Delete', 'Retain']).catch('Retain');

const SnapshotFields = z.object({
  spec: z
    .object({
      source: z.object({
        persistentVolumeClaimName: Text.optional(),
        volumeSnapshotContentName: Text.optional(),
      }),
      volumeSnapshotClassName: Text.optional(),
    })
    .catch({ source: {} }),
  status: z
    .object({
      boundVolumeSnapshotContentName: Text.optional(),
      creationTime: Text.optional(),
      readyToUse: z.boolean().optional(),
      restoreSize: z.union([Text, z.number()]).transform(String).optional(),
      error: ErrorText,
    })
    .optional()
    .catch(undefined),
});

const ContentFields = z.object({
  spec: z
    .object({
      deletionPolicy: Policy,
      driver: Text,
      source: z.object({ volumeHandle: Text.optional(), snapshotHandle: Text.optional() }),
      sourceVolumeMode: Text.optional(),
      volumeSnapshotClassName: Text.optional(),
      volumeSnapshotRef: z.object({ namespace: Text, name: Text, uid: Text.optional() }),
    })
    .catch({ deletionPolicy: 'Retain', driver: '', source: {}, volumeSnapshotRef: { namespace: '', name: '' } }),
  status: z
    .object({
      snapshotHandle: Text.optional(),
      creationTime: z.number().optional(),
      readyToUse: z.boolean().optional(),
      restoreSize: z.number().optional(),
      error: ErrorText,
    })
    .optional()
    .catch(undefined),
});

const ClassFields = z.object({
  driver: Text.catch(''),
  deletionPolicy: Policy,
  parameters: z.record(Text, Text).optional().catch(undefined),
});

export function readSnapshot({ apiVersion, kind, metadata, ...fields }: VolumeSnapshot): VolumeSnapshot {
  return { ...known(SnapshotFields.parse(fields)), ...identity({ apiVersion, kind, metadata }) };
}

export function readContent({ apiVersion, kind, metadata, ...fields }: VolumeSnapshotContent): VolumeSnapshotContent {
  return { ...known(ContentFields.parse(fields)), ...identity({ apiVersion, kind, metadata }) };
}

export function readClass({ apiVersion, kind, metadata, ...fields }: VolumeSnapshotClass): VolumeSnapshotClass {
  return { ...known(ClassFields.parse(fields)), ...identity({ apiVersion, kind, metadata }) };
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  ALLOW_MODE_CHANGE_ANNOTATION,
  BEING_DELETED_ANNOTATION,
  IS_DEFAULT_ANNOTATION,
]);

/** Drops the fields that are not used. The objects must therefore be written only with patches. */
function identity({
  apiVersion,
  kind,
  metadata: { annotations = {}, ...metadata },
}: {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly metadata: KubeObject['metadata'];
}): KubeObject {
  delete metadata.labels;
  const kept = Object.entries(annotations).filter(([name]) => ANNOTATIONS.has(name));
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
  };
}

/** Narrows the type: schema types allow undefined for missing fields, whereas JSON omits them. */
function known<T>(value: T): KnownField<T> {
  return value as KnownField<T>;
}

type KnownField<T> = T extends readonly unknown[] | Record<string, string>
  ? T
  : T extends object
    ? { [K in keyof T]: KnownField<Exclude<T[K], undefined>> }
    : T;
