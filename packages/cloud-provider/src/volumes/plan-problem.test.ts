import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { PlanStorage } from '@fairway/api/kinds/plan-storage';
import { aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { problemWithPlan } from './plan-problem.ts';
import { aClaim, aClass } from './testing/objects.ts';

const fast = {
  name: 'fast',
  volumeType: 'nvme',
  default: true,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
  fsType: 'xfs',
} as const;
const FAST = { type: 'nvme', 'csi.storage.k8s.io/fstype': 'xfs' };

const ONCE = { accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'], tenantClasses: 'Allowed' } satisfies PlanStorage;
const PLANNED = { classes: [fast], tenantClasses: 'Refused' } satisfies PlanStorage;

test.each<{ reason: string; storage?: PlanStorage; modes?: string[]; of?: Parameters<typeof aClass>; says?: RegExp }>([
  { reason: 'anything, where the plan says nothing', modes: ['ReadWriteMany'] },
  { reason: 'a mode of the plan', storage: ONCE, modes: ['ReadWriteOncePod'] },
  {
    reason: 'files for many nodes',
    storage: ONCE,
    modes: ['ReadWriteOnce', 'ReadWriteMany'],
    says: /^accessModes contains ReadWriteMany, .*: use ReadWriteOnce or ReadWriteOncePod, or a StorageClass for shares$/,
  },
  {
    reason: 'many readers',
    storage: ONCE,
    modes: ['ReadOnlyMany'],
    says: /^accessModes contains ReadOnlyMany, .*StorageClass for shares$/,
  },
  {
    reason: 'one pod, where nodes alone are told apart',
    storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Allowed' },
    modes: ['ReadWriteOncePod'],
    says: /^accessModes contains ReadWriteOncePod, .*: use ReadWriteOnce$/,
  },
  { reason: 'a class of the plan', storage: PLANNED, of: [{ parameters: FAST }, 'fast'] },
  {
    reason: "a class of the tenant's own",
    storage: PLANNED,
    of: [{ parameters: FAST }, 'mine'],
    says: /^StorageClass mine is not in the cluster's plan, .*: use fast$/,
  },
  {
    reason: "a class of the tenant's own, where these count",
    storage: { ...PLANNED, tenantClasses: 'Allowed' },
    of: [{}, 'mine'],
  },
  {
    reason: "a class of the plan's name and another type",
    storage: PLANNED,
    of: [{ parameters: { ...FAST, type: 'gold' } }, 'fast'],
    says: /parameter "type" is "gold", but the cluster's plan has "nvme"/,
  },
  {
    reason: "a class of the plan's name with a zone of its own",
    storage: PLANNED,
    of: [{ parameters: { ...FAST, availability: 'az9' } }, 'fast'],
    says: /parameter "availability" is "az9", but the cluster's plan has none/,
  },
  {
    reason: 'a class where the plan has none',
    storage: { classes: [], tenantClasses: 'Refused' },
    says: /it has none$/,
  },
])('a claim for $reason', ({ storage, modes = ['ReadWriteOnce'], of = [], says }) => {
  const { spec } = aPlan(storage && { storage });

  const problem = problemWithPlan(aClaim({ accessModes: modes }), aClass(...of), storageLimits(spec));

  expect(problem ?? '').toMatch(says ?? /^$/);
});
