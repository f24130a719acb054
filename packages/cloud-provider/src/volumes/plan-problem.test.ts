import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { FeatureName } from '@fairway/api/kinds/plan-limits';
import type { PlanStorage } from '@fairway/api/kinds/plan-storage';
import { aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { claimExcesses } from './plan-problem.ts';
import { aClaim, aClass } from './testing/objects.ts';

const fastClass = {
  name: 'fast',
  volumeType: 'nvme',
  default: true,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
  fsType: 'xfs',
} as const;
const FAST_PARAMETERS = { type: 'nvme', 'csi.storage.k8s.io/fstype': 'xfs' };

const ONCE_MODES = {
  accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'],
  tenantClasses: 'Allowed',
} satisfies PlanStorage;
const PLANNED_CLASSES = { classes: [fastClass], tenantClasses: 'Refused' } satisfies PlanStorage;

test.each<{
  reason: string;
  storage?: PlanStorage;
  features?: FeatureName[];
  modes?: string[];
  of?: Parameters<typeof aClass>;
  message?: RegExp;
}>([
  { reason: 'any access mode, because the plan has no limits', modes: ['ReadWriteMany'] },
  { reason: 'an access mode of the plan', storage: ONCE_MODES, modes: ['ReadWriteOncePod'] },
  {
    reason: 'an access mode for many nodes',
    storage: ONCE_MODES,
    modes: ['ReadWriteOnce', 'ReadWriteMany'],
    message:
      /^accessModes contains ReadWriteMany, .*: use ReadWriteOnce or ReadWriteOncePod, or a StorageClass for shares$/,
  },
  {
    reason: 'many readers',
    storage: ONCE_MODES,
    modes: ['ReadOnlyMany'],
    message: /^accessModes contains ReadOnlyMany, .*StorageClass for shares$/,
  },
  {
    reason: 'many readers in a plan without shares',
    storage: ONCE_MODES,
    features: [],
    modes: ['ReadOnlyMany'],
    message: /^accessModes contains ReadOnlyMany, .*: use ReadWriteOnce or ReadWriteOncePod$/,
  },
  {
    reason: 'an access mode for one pod, although the plan allows one node',
    storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' },
    modes: ['ReadWriteOncePod'],
    message: /^accessModes contains ReadWriteOncePod, .*: use ReadWriteOnce$/,
  },
  { reason: 'a class of the plan', storage: PLANNED_CLASSES, of: [{ parameters: FAST_PARAMETERS }, 'fast'] },
  {
    reason: "a class of the tenant's own",
    storage: PLANNED_CLASSES,
    of: [{ parameters: FAST_PARAMETERS }, 'mine'],
    message: /^StorageClass mine is not in the cluster's plan, .*: use fast$/,
  },
  {
    reason: "a class of the tenant's own, if these are allowed",
    storage: { ...PLANNED_CLASSES, tenantClasses: 'Allowed' },
    of: [{}, 'mine'],
  },
  {
    reason: "a class with the plan's name and another type",
    storage: PLANNED_CLASSES,
    of: [{ parameters: { ...FAST_PARAMETERS, type: 'gold' } }, 'fast'],
    message: /parameter "type" is "gold", but the cluster's plan has "nvme"/,
  },
  {
    reason: "a class with the plan's name and a zone of its own",
    storage: PLANNED_CLASSES,
    of: [{ parameters: { ...FAST_PARAMETERS, availability: 'az9' } }, 'fast'],
    message: /parameter "availability" is "az9", but the cluster's plan has none/,
  },
  {
    reason: 'a class, although the plan allows no classes',
    storage: { classes: [], tenantClasses: 'Refused' },
    message: /it has none$/,
  },
])('checks a claim against the plan: $reason', ({ storage, features, modes = ['ReadWriteOnce'], of = [], message }) => {
  const { spec } = aPlan({ ...(storage && { storage }), ...(features && { allowed: { features } }) });

  const excesses = claimExcesses(aClaim({ accessModes: modes }), aClass(...of), storageLimits(spec));

  expect(excesses.map(({ problem }) => problem).join('\n')).toMatch(message ?? /^$/);
});
