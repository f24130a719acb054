import type { Schema, ValidationRule } from '@fairway/apiserver/schema/schema';
import { objectOf, TEXT } from '../schema-parts.ts';

/** Fields of snapshot.storage.k8s.io/v1: https://github.com/kubernetes-csi/external-snapshotter/tree/master/client/apis/volumesnapshot/v1 */

const POLICY = described(
  { type: 'string', enum: ['Delete', 'Retain'] },
  'What becomes of the snapshot in the storage system when its VolumeSnapshot is deleted.',
);
const TIME: Schema = { type: 'string', format: 'date-time' };
const ERROR = described(
  objectOf({ message: TEXT, time: TIME }),
  'What went wrong last while the snapshot was made; gone when it succeeds.',
);
const READY = described({ type: 'boolean' }, 'Whether volumes can be made from the snapshot.');

/** Fields of which each stays what it is once it is set, and of which there is exactly one. */
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
      message: `${name} can't be taken away once it is set`,
    })),
  };
}

function unchanged(name: string): ValidationRule {
  return { rule: 'self == oldSelf', message: `${name} can't be changed` };
}

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** Of a VolumeSnapshot. */
export const SNAPSHOT_FIELDS: Readonly<Record<string, Schema>> = {
  spec: objectOf(
    {
      source: described(
        sourceOf({
          persistentVolumeClaimName: 'Claim of the same namespace whose volume is to be snapshot.',
          volumeSnapshotContentName: 'VolumeSnapshotContent of a snapshot that is there already.',
        }),
        'What the snapshot is of.',
      ),
      volumeSnapshotClassName: described(
        { type: 'string', minLength: 1 },
        "VolumeSnapshotClass; the default class of the volume's driver without it.",
      ),
    },
    ['source'],
  ),
  status: objectOf({
    boundVolumeSnapshotContentName: described(
      TEXT,
      'VolumeSnapshotContent of the snapshot. It is bound when that names the VolumeSnapshot, too.',
    ),
    creationTime: described(TIME, 'When the snapshot was taken.'),
    readyToUse: READY,
    restoreSize: described(
      {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
      },
      'The least size of a volume that is made from it.',
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
  'The VolumeSnapshot that it is for.',
);

/** Of a VolumeSnapshotContent. */
export const CONTENT_FIELDS: Readonly<Record<string, Schema>> = {
  spec: {
    ...objectOf(
      {
        deletionPolicy: POLICY,
        driver: described(TEXT, 'CSI driver of the storage system.'),
        source: described(
          sourceOf({
            volumeHandle: 'Id of the volume that is to be snapshot, in the storage system.',
            snapshotHandle: 'Id of a snapshot that is there already, in the storage system.',
          }),
          'What the snapshot is of, or which one it is.',
        ),
        sourceVolumeMode: {
          ...described(TEXT, 'Filesystem or Block: what the volume was, if that is known.'),
          'x-kubernetes-validations': [unchanged('sourceVolumeMode')],
        },
        volumeSnapshotClassName: described(TEXT, 'VolumeSnapshotClass that the snapshot was made by.'),
        volumeSnapshotRef: REFERENCE,
      },
      ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'],
    ),
    'x-kubernetes-validations': [
      {
        rule: '!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)',
        message: "sourceVolumeMode can't be taken away once it is set",
      },
    ],
  },
  status: objectOf({
    snapshotHandle: described(TEXT, 'Id of the snapshot in the storage system.'),
    creationTime: described({ type: 'integer', format: 'int64' }, 'When it was taken, in ns since 1970.'),
    readyToUse: READY,
    restoreSize: described({ type: 'integer', format: 'int64', minimum: 0 }, 'Its size in bytes.'),
    error: ERROR,
  }),
};

/** Of a VolumeSnapshotClass. */
export const CLASS_FIELDS: Readonly<Record<string, Schema>> = {
  driver: described(TEXT, 'CSI driver that makes the snapshots.'),
  deletionPolicy: POLICY,
  parameters: described(
    { type: 'object', additionalProperties: TEXT },
    'What the driver is told about each snapshot; other drivers, other parameters.',
  ),
};
