import type { Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import { objectOf, TEXT } from '../schema-parts.ts';

/** Fields of snapshot.storage.k8s.io/v1: https://github.com/kubernetes-csi/external-snapshotter/tree/master/client/apis/volumesnapshot/v1 */

const POLICY = described(
  { type: 'string', enum: ['Delete', 'Retain'] },
  'Whether to delete or retain the snapshot in the storage system when its VolumeSnapshot is deleted.',
);
const TIME: Schema = { type: 'string', format: 'date-time' };
const ERROR = described(
  objectOf({ message: TEXT, time: TIME }),
  'Last error while creating the snapshot; cleared on success.',
);
const READY = described({ type: 'boolean' }, 'Whether volumes can be created from the snapshot.');

/** Fields that cannot change once set, exactly one of which is present. */
function sourceOf(fields: Readonly<Record<string, string>>): Schema {
  const names = Object.keys(fields);
  const properties = Object.entries(fields).map(([name, text]): [string, Schema] => [
    name,
    { ...described(TEXT, text), 'x-kubernetes-validations': [unchanged(name)] },
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

function unchanged(name: string): ValidationRule {
  return { rule: 'self == oldSelf', message: `${name} is immutable` };
}

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** Fields of a VolumeSnapshot. */
export const SNAPSHOT_FIELDS: Readonly<Record<string, Schema>> = {
  spec: objectOf(
    {
      source: described(
        sourceOf({
          persistentVolumeClaimName: 'PersistentVolumeClaim in the same namespace to create the snapshot from.',
          volumeSnapshotContentName: 'VolumeSnapshotContent of an existing snapshot.',
        }),
        'Source of the snapshot.',
      ),
      volumeSnapshotClassName: described(
        { type: 'string', minLength: 1 },
        "VolumeSnapshotClass; defaults to the default class of the volume's driver.",
      ),
    },
    ['source'],
  ),
  status: objectOf({
    boundVolumeSnapshotContentName: described(
      TEXT,
      'VolumeSnapshotContent of the snapshot. It is bound when the content also references this VolumeSnapshot.',
    ),
    creationTime: described(TIME, 'Time at which the snapshot was taken.'),
    readyToUse: READY,
    restoreSize: described(
      {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
      },
      'Minimum size of a volume created from the snapshot.',
    ),
    error: ERROR,
  }),
};

const REFERENCE = described(
  {
    ...objectOf(
      {
        apiVersion: TEXT,
        kind: TEXT,
        name: TEXT,
        namespace: TEXT,
        uid: TEXT,
        resourceVersion: TEXT,
        fieldPath: TEXT,
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
        driver: described(TEXT, 'CSI driver of the storage system.'),
        source: described(
          sourceOf({
            volumeHandle: 'ID of the source volume in the storage system.',
            snapshotHandle: 'ID of an existing snapshot in the storage system.',
          }),
          'Source volume, or an existing snapshot.',
        ),
        sourceVolumeMode: {
          ...described(TEXT, 'Mode of the source volume, Filesystem or Block, if known.'),
          'x-kubernetes-validations': [unchanged('sourceVolumeMode')],
        },
        volumeSnapshotClassName: described(TEXT, 'VolumeSnapshotClass from which the snapshot was created.'),
        volumeSnapshotRef: REFERENCE,
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
    snapshotHandle: described(TEXT, 'ID of the snapshot in the storage system.'),
    creationTime: described({ type: 'integer', format: 'int64' }, 'Creation time in nanoseconds since the Unix epoch.'),
    readyToUse: READY,
    restoreSize: described({ type: 'integer', format: 'int64', minimum: 0 }, 'Size of the snapshot in bytes.'),
    error: ERROR,
  }),
};

/** Fields of a VolumeSnapshotClass. */
export const CLASS_FIELDS: Readonly<Record<string, Schema>> = {
  driver: described(TEXT, 'CSI driver that creates the snapshots.'),
  deletionPolicy: POLICY,
  parameters: described(
    { type: 'object', additionalProperties: TEXT },
    'Driver-specific parameters for creating snapshots.',
  ),
};
