import type { Row } from './row.ts';

const CANARY = { isUpdate: true, metadata: { name: 'canary' } };

export const PLAN_STORAGE_ROWS: readonly Row[] = [
  {
    ...CANARY,
    name: 'a class by its name alone',
    spec: { storage: { classes: [{ name: 'csi-cinder-classic' }] } },
    has: {
      'spec.storage.classes': [
        {
          name: 'csi-cinder-classic',
          default: false,
          reclaimPolicy: 'Delete',
          volumeBindingMode: 'WaitForFirstConsumer',
          allowVolumeExpansion: true,
          fsType: 'ext4',
        },
      ],
      'spec.storage.tenantClasses': 'Allowed',
    },
  },
  {
    ...CANARY,
    name: 'a class without a name',
    spec: { storage: { classes: [{ volumeType: 'classic' }] } },
    refused: ['spec.storage.classes[0].name: Required value'],
  },
  {
    ...CANARY,
    name: 'a class with an invalid Kubernetes name',
    spec: { storage: { classes: [{ name: 'High_Speed' }] } },
    refused: [
      'spec.storage.classes[0].name: Invalid value: "High_Speed": must be a valid Kubernetes name, such as csi-cinder-high-speed',
    ],
  },
  {
    ...CANARY,
    name: 'two classes of one name',
    spec: { storage: { classes: [{ name: 'some' }, { name: 'some' }] } },
    refused: ['spec.storage.classes[1]: Duplicate value: {"name":"some"}'],
  },
  {
    ...CANARY,
    name: 'two default classes',
    spec: {
      storage: {
        classes: [
          { name: 'one', default: true },
          { name: 'two', default: true },
        ],
      },
    },
    refused: [
      `spec.storage.classes: Invalid value: [${['one', 'two'].map(defaultClass).join()}]: must have at most one default`,
    ],
    refusedByCrd: ['spec.storage.classes: Invalid value: must have at most one default'],
  },
  {
    ...CANARY,
    name: 'a file system that the driver cannot create',
    spec: { storage: { classes: [{ name: 'some', fsType: 'zfs' }] } },
    refused: [
      'spec.storage.classes[0].fsType: Unsupported value: "zfs": supported values: "ext2", "ext3", "ext4", "xfs", "btrfs"',
    ],
  },
  {
    ...CANARY,
    name: 'a reclaim policy that CSI drivers do not support',
    spec: { storage: { classes: [{ name: 'some', reclaimPolicy: 'Recycle' }] } },
    refused: [
      'spec.storage.classes[0].reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    ],
  },
  {
    ...CANARY,
    name: 'an unknown volume binding mode',
    spec: { storage: { classes: [{ name: 'some', volumeBindingMode: 'Late' }] } },
    refused: [
      'spec.storage.classes[0].volumeBindingMode: Unsupported value: "Late": supported values: "WaitForFirstConsumer", "Immediate"',
    ],
  },
  {
    ...CANARY,
    name: 'an access mode specified by its short name',
    spec: { storage: { accessModes: ['RWO'] } },
    refused: [
      'spec.storage.accessModes[0]: Unsupported value: "RWO": supported values: "ReadWriteOnce", "ReadWriteOncePod", "ReadOnlyMany", "ReadWriteMany"',
    ],
  },
  {
    ...CANARY,
    name: 'no access mode',
    spec: { storage: { accessModes: [] } },
    refused: [
      'spec.storage.accessModes: Invalid value: 0: spec.storage.accessModes in body should have at least 1 items',
    ],
    refusedByKubernetes: [
      'spec.storage.accessModes: Invalid value: 0: spec.storage.accessModes in body should have at least 1 items',
    ],
  },
  {
    ...CANARY,
    name: 'an unknown tenantClasses value',
    spec: { storage: { tenantClasses: 'Forbidden' } },
    refused: ['spec.storage.tenantClasses: Unsupported value: "Forbidden": supported values: "Allowed", "Refused"'],
  },
];

function defaultClass(name: string): string {
  return JSON.stringify({
    name,
    default: true,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
    fsType: 'ext4',
  });
}
