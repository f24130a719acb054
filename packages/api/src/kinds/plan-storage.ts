import { z } from 'zod';
import { crossFieldRule } from './kind.ts';

/** Kubernetes' access modes of volumes. */
const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany'] as const;

const planStorageClass = z
  .object({
    name: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a name of Kubernetes, such as csi-cinder-high-speed')
      .describe('Name of the StorageClass in the clusters.'),
    volumeType: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("Name or id of a volume type of Cinder's. Empty: the cloud's default."),
    default: z.boolean().default(false).describe('Whether claims that name no class get this one.'),
    reclaimPolicy: z
      .enum(['Delete', 'Retain'])
      .default('Delete')
      .describe('Whether a volume goes with its PersistentVolumeClaim.'),
    volumeBindingMode: z
      .enum(['WaitForFirstConsumer', 'Immediate'])
      .default('WaitForFirstConsumer')
      .describe('Whether a volume is made where its first pod runs, or at once.'),
    allowVolumeExpansion: z.boolean().default(true).describe('Whether volumes can grow.'),
    fsType: z
      .enum(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs'])
      .default('ext4')
      .describe('File system of volumes that are not raw block devices.'),
  })
  .describe('A StorageClass.');

/** `spec.storage` of a Plan. */
export const planStorage = z
  .object({
    classes: z
      .array(planStorageClass)
      .max(20)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .optional()
      .describe(
        'StorageClasses that Fairway keeps in the clusters. Left out: one, `default`, of the default volume type. An empty list: none.',
      ),
    accessModes: z
      .array(z.enum(ACCESS_MODES))
      .min(1)
      .max(4)
      .optional()
      .describe('Access modes that volumes of Cinder may be claimed with. Empty: all.'),
    tenantClasses: z
      .enum(['Allowed', 'Refused'])
      .default('Allowed')
      .describe("Whether volumes are made for StorageClasses of the tenant's own, too."),
  })
  .describe('What clusters have of volumes.');

export type PlanStorage = z.infer<typeof planStorage>;
export type PlanStorageClass = z.infer<typeof planStorageClass>;

/** The rules of `spec.storage`. */
export const PLAN_STORAGE_RULES = [
  crossFieldRule<Pick<PlanStorage, 'classes'>>({
    path: 'spec.storage',
    field: 'spec.storage.classes',
    cel: '!has(self.classes) || self.classes.filter(c, has(c.default) && c.default).size() <= 1',
    holds: ({ classes = [] }) => classes.filter((each) => each.default).length <= 1,
    message: 'must have one default at most',
  }),
];
