import { z } from 'zod';
import { crossFieldRule } from './kind.ts';

/** Kubernetes' access modes for volumes. */
export const ACCESS_MODES = ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany'] as const;

const planStorageClass = z
  .object({
    name: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a valid Kubernetes name, such as csi-cinder-high-speed')
      .describe('Name of the StorageClass in the clusters.'),
    volumeType: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("Name or ID of a Cinder volume type. Default: the cloud's default type."),
    optional: z
      .boolean()
      .optional()
      .describe(
        'Whether the class is omitted in clusters whose cloud lacks the volume type. By default, the add-on cinder-csi is Degraded in such clusters.',
      ),
    default: z
      .boolean()
      .default(false)
      .describe(
        'Whether the class is the default StorageClass. If the class is omitted because it is optional, the first of the other classes is the default.',
      ),
    reclaimPolicy: z
      .enum(['Delete', 'Retain'])
      .default('Delete')
      .describe('Whether a volume is deleted with its PersistentVolumeClaim.'),
    volumeBindingMode: z
      .enum(['WaitForFirstConsumer', 'Immediate'])
      .default('WaitForFirstConsumer')
      .describe('Whether a volume is created when its first pod is scheduled, or immediately.'),
    allowVolumeExpansion: z.boolean().default(true).describe('Whether volumes can be expanded.'),
    fsType: z
      .enum(['ext2', 'ext3', 'ext4', 'xfs', 'btrfs'])
      .default('ext4')
      .describe('File system of volumes, except raw block volumes.'),
  })
  .describe('StorageClass in the clusters.');

/** `spec.storage` of a Plan. */
export const planStorage = z
  .object({
    classes: z
      .array(planStorageClass)
      .max(20)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .optional()
      .describe(
        'StorageClasses that Fairway maintains in the clusters. Default: one StorageClass named `default`, with the default volume type. Empty list: no StorageClasses.',
      ),
    accessModes: z
      .array(z.enum(ACCESS_MODES))
      .min(1)
      .max(4)
      .optional()
      .describe('Access modes that Cinder volumes can have. Default: all access modes.'),
    tenantClasses: z
      .enum(['Allowed', 'Refused'])
      .default('Allowed')
      .describe("Whether Fairway also provisions volumes for the tenant's own StorageClasses."),
  })
  .describe('Storage of clusters.');

export type PlanStorage = z.infer<typeof planStorage>;
export type PlanStorageClass = z.infer<typeof planStorageClass>;

/** The rules for `spec.storage`. */
export const PLAN_STORAGE_RULES = [
  crossFieldRule<Pick<PlanStorage, 'classes'>>({
    path: 'spec.storage',
    field: 'spec.storage.classes',
    cel: '!has(self.classes) || self.classes.filter(c, has(c.default) && c.default).size() <= 1',
    holds: ({ classes = [] }) => classes.filter((each) => each.default).length <= 1,
    message: 'must have at most one default',
  }),
];
