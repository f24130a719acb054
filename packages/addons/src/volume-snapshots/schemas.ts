import type { Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import { objectOf, TEXT_SCHEMA } from '../schema-parts.ts';

/** Fields of snapshot.storage.k8s.io/v1: https://github.com/kubernetes-csi/external-snapshotter/tree/master/client/apis/volumesnapshot/v1 */

const POLICY = withDescription(
  { type: 'string', enum: ['Delete', 'Retain'] },
  'Whether to delete or retain the snapshot in the storage system when its VolumeSnapshot is deleted.',
);
const TIME_SCHEMA: Schema = { type: 'string', format: 'date-time' };
const ERROR_SCHEMA = withDescription(
  objectOf({ message: TEXT_SCHEMA, time: TIME_SCHEMA }),
  'Last error while creating the snapshot; cleared on success.',
);
const READY_SCHEMA = withDescription({ type: 'boolean' }, 'Whether volumes can be created from the snapshot.');

/** Fields of which exactly one must be set, and which are immutable once set. */
function sourceOf(fields: Readonly<Record<string, string>>): Schema {
  const names = Object.keys(fields);
  const properties = Object.entries(fields).map(([name, text]): [string, Schema] => [
    name,
    { ...withDescription(TEXT_SCHEMA, text), 'x-kubernetes-validations': [immutableRule(name)] },
  ]);
  return {
    ...objectOf(Object.fromEntries(properties)),
    oneOf: names.map((name) => ({ required: [name] })),
    'x-kubernetes-validations': names.map((name) => ({
      rule: `!has(oldSelf.${name}) || has(self.${name})`,
      message: `${name} cannot be removed once set`,
    })),
  };
}

function immutableRule(name: string): ValidationRule {
  return { rule: 'self == oldSelf', message: `${name} is immutable` };
}

function withDescription(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** Fields of a VolumeSnapshot. */
export const SNAPSHOT_FIELDS: Readonly<Record<string, Schema>> = {
  spec: objectOf(
    {
      source: withDescription(
        sourceOf({
          persistentVolumeClaimName: 'PersistentVolumeClaim in the same namespace to create the snapshot from.',
          volumeSnapshotContentName: 'VolumeSnapshotContent of an existing snapshot.',
        }),
        'Source of the snapshot.',
      ),
      volumeSnapshotClassName: withDescription(
        { type: 'string', minLength: 1 },
        "VolumeSnapshotClass; defaults to the default class of the volume's driver.",
      ),
    },
    ['source'],
  ),
  status: objectOf({
    boundVolumeSnapshotContentName: withDescription(
      TEXT_SCHEMA,
      'VolumeSnapshotContent of the snapshot. It is bound when the content also references this VolumeSnapshot.',
    ),
    creationTime: withDescription(TIME_SCHEMA, 'Time at which the snapshot was taken.'),
    readyToUse: READY_SCHEMA,
    restoreSize: withDescription(
      {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
      },
      'Minimum size of a volume created from the snapshot.',
    ),
    error: ERROR_SCHEMA,
  }),
};

const REFERENCE_SCHEMA = withDescription(
  {
    ...objectOf(
      {
        apiVersion: TEXT_SCHEMA,
        kind: TEXT_SCHEMA,
        name: TEXT_SCHEMA,
        namespace: TEXT_SCHEMA,
        uid: TEXT_SCHEMA,
        resourceVersion: TEXT_SCHEMA,
        fieldPath: TEXT_SCHEMA,
      },
      ['name', 'namespace'],
    ),
    'x-kubernetes-map-type': 'atomic',
  },
  'VolumeSnapshot that this content is bound to.',
);

/** Fields of a VolumeSnapshotContent. */
export const CONTENT_FIELDS: Readonly<Record<string, Schema>> = {
  spec: {
    ...objectOf(
      {
        deletionPolicy: POLICY,
        driver: withDescription(TEXT_SCHEMA, 'CSI driver of the storage system.'),
        source: withDescription(
          sourceOf({
            volumeHandle: 'ID of the source volume in the storage system.',
            snapshotHandle: 'ID of an existing snapshot in the storage system.',
          }),
          'Source volume, or an existing snapshot.',
        ),
        sourceVolumeMode: {
          ...withDescription(TEXT_SCHEMA, 'Mode of the source volume, Filesystem or Block, if known.'),
          'x-kubernetes-validations': [immutableRule('sourceVolumeMode')],
        },
        volumeSnapshotClassName: withDescription(
          TEXT_SCHEMA,
          'VolumeSnapshotClass from which the snapshot was created.',
        ),
        volumeSnapshotRef: REFERENCE_SCHEMA,
      },
      ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'],
    ),
    'x-kubernetes-validations': [
      {
        rule: '!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)',
        message: 'sourceVolumeMode cannot be removed once set',
      },
    ],
  },
  status: objectOf({
    snapshotHandle: withDescription(TEXT_SCHEMA, 'ID of the snapshot in the storage system.'),
    creationTime: withDescription(
      { type: 'integer', format: 'int64' },
      'Creation time in nanoseconds since the Unix epoch.',
    ),
    readyToUse: READY_SCHEMA,
    restoreSize: withDescription({ type: 'integer', format: 'int64', minimum: 0 }, 'Size of the snapshot in bytes.'),
    error: ERROR_SCHEMA,
  }),
};

/** Fields of a VolumeSnapshotClass. */
export const CLASS_FIELDS: Readonly<Record<string, Schema>> = {
  driver: withDescription(TEXT_SCHEMA, 'CSI driver that creates the snapshots.'),
  deletionPolicy: POLICY,
  parameters: withDescription(
    { type: 'object', additionalProperties: TEXT_SCHEMA },
    'Driver-specific parameters for creating snapshots.',
  ),
};
