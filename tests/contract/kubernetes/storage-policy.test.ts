import type { AddonFacts } from '@fairway/addons/addon';
import { addonsOf } from '@fairway/addons/catalogue';
import { someFacts } from '@fairway/addons/testing/facts';
import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { PlanStorageClass } from '@fairway/api/kinds/plan-storage';
import { systemClock } from '@fairway/base/clock';
import { applyAddons } from '@fairway/controllers/addons/apply-addons';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import {
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
  ValidatingAdmissionPolicies,
} from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { beforeAll, expect, it, vi } from 'vitest';
import { describeServers } from './targets.ts';

const DRIVER = 'cinder.csi.openstack.org';
const { signal } = new AbortController();

const FAST: PlanStorageClass = {
  name: 'fast',
  volumeType: 'nvme',
  default: true,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
  fsType: 'ext4',
};
const DENIED = `is forbidden: ValidatingAdmissionPolicy 'limits.fairway.dev' with binding 'limits.fairway.dev' denied request: `;
const NO_SHARING = `spec.accessModes: ReadWriteMany is not allowed for volumes of ${DRIVER} by the cluster's plan: use ReadWriteOnce or ReadWriteOncePod, or a StorageClass for shares`;

function aClaim(accessModes: string[], storageClassName?: string): PersistentVolumeClaim {
  return {
    metadata: { name: 'data', namespace: 'default' },
    spec: {
      accessModes,
      resources: { requests: { storage: '1Gi' } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}

function aVolume(accessModes: string[], driver: string): PersistentVolume {
  return {
    metadata: { name: 'data' },
    spec: { accessModes, capacity: { storage: '1Gi' }, csi: { driver, volumeHandle: 'some' } },
  };
}

function aClass(name: string, fields: Partial<StorageClass> = {}): StorageClass {
  return { metadata: { name }, provisioner: DRIVER, ...fields };
}

describeServers('a plan’s rules for volumes', (server, target) => {
  // Fairway has no add-ons for earlier releases.
  const hasAddons = target.minor >= 31;

  const applyAndObserve = (facts: Partial<AddonFacts>) =>
    applyAddons({
      client: server().client,
      desiredAddons: addonsOf(someFacts({ version: `1.${target.minor}.2`, ...facts })),
      unmanaged: new Set(),
      workingAddons: new Set(),
      request: undefined,
      clock: systemClock,
      signal,
    });

  const dryRun = async (object: PersistentVolumeClaim | PersistentVolume | StorageClass): Promise<string> => {
    const { client } = server();
    try {
      if ('provisioner' in object) await client.resource(StorageClasses).create(object, { dryRun: true });
      else if ('namespace' in object.metadata) {
        await client.resource(PersistentVolumeClaims).create(object, { dryRun: true });
      } else await client.resource(PersistentVolumes).create(object, { dryRun: true });
      return '';
    } catch (error) {
      if (!isApiError(error, 'Invalid')) throw error;
      return error.message;
    }
  };

  beforeAll(async () => {
    if (!hasAddons) return;
    const storage = storageLimits({
      storage: { classes: [FAST], accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'], tenantClasses: 'Refused' },
    });
    await applyAndObserve({ storage });
    // A policy takes effect shortly after it is written.
    await vi.waitFor(
      async () => {
        const responses = [await dryRun(aClaim(['ReadWriteMany'], 'fast')), await dryRun(aClass('mine'))];
        if (responses.includes('')) throw new Error('it does not count yet');
      },
      { timeout: 300_000 },
    );
  });

  it.runIf(hasAddons).each([
    { reason: 'a claim for one node', object: aClaim(['ReadWriteOnce'], 'fast') },
    { reason: 'a claim for one pod', object: aClaim(['ReadWriteOncePod'], 'fast') },
    { reason: 'a claim in a share class', object: aClaim(['ReadWriteMany'], 'nfs') },
    { reason: 'a volume on a share', object: aVolume(['ReadWriteMany'], 'nfs.csi.example.org') },
    { reason: 'a volume for one node', object: aVolume(['ReadWriteOnce'], DRIVER) },
    { reason: 'a class of another driver', object: aClass('nfs', { provisioner: 'nfs.csi.example.org' }) },
    {
      reason: 'a claim for many nodes',
      object: aClaim(['ReadWriteOnce', 'ReadWriteMany'], 'fast'),
      expectedMessage: `persistentvolumeclaims "data" ${DENIED}${NO_SHARING}`,
    },
    {
      reason: 'a claim for many nodes without a class',
      object: aClaim(['ReadWriteMany']),
      expectedMessage: `persistentvolumeclaims "data" ${DENIED}${NO_SHARING}`,
    },
    {
      reason: 'a claim for many readers',
      object: aClaim(['ReadOnlyMany'], 'fast'),
      expectedMessage: `persistentvolumeclaims "data" ${DENIED}${NO_SHARING.replace('ReadWriteMany', 'ReadOnlyMany')}`,
    },
    {
      reason: 'a volume for many nodes',
      object: aVolume(['ReadWriteMany'], DRIVER),
      expectedMessage: `persistentvolumes "data" ${DENIED}${NO_SHARING}`,
    },
    {
      reason: 'a class of the tenant',
      object: aClass('mine'),
      expectedMessage: `storageclasses.storage.k8s.io "mine" ${DENIED}classes of the tenant's own with the provisioner ${DRIVER} are not allowed by the cluster's plan: use fast`,
    },
  ])('accept $reason, or refuse it: $expectedMessage', async ({ object, expectedMessage = '' }) => {
    expect(await dryRun(object)).toBe(expectedMessage);
  });

  it.runIf(hasAddons)('pass the type check', async () => {
    const policies = server().client.resource(ValidatingAdmissionPolicies);

    const status = await vi.waitFor(
      async () => {
        const policy = await policies.get('limits.fairway.dev');
        expect(policy.status?.observedGeneration).toBe(policy.metadata.generation);
        return policy.status;
      },
      { timeout: 300_000 },
    );

    expect(status?.typeChecking?.expressionWarnings ?? []).toEqual([]);
  });

  it.runIf(hasAddons)('are updated when they change: classes are recreated and removed', async () => {
    const classes = server().client.resource(StorageClasses);
    const namesOf = async () => (await classes.list()).items.map(({ metadata }) => metadata.name);
    const limits = (storage: PlanStorageClass[]) => ({
      storage: storageLimits({ storage: { classes: storage, tenantClasses: 'Allowed' } }),
    });
    const before = await classes.get('fast');

    const { outcomes } = await applyAndObserve(limits([{ ...FAST, volumeType: 'gold', reclaimPolicy: 'Retain' }]));
    const after = await classes.get('fast');
    await applyAndObserve(limits([{ ...FAST, name: 'other' }]));

    expect(outcomes.get('cinder-csi')).toEqual({ kind: 'applied', conflicts: [] });
    expect(after).toMatchObject({ parameters: { type: 'gold' }, reclaimPolicy: 'Retain' });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(await namesOf()).toEqual(['other']);
    await expect.poll(() => dryRun(aClass('mine'))).toBe('');
  });
});
