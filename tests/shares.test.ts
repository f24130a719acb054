import { machines } from '@fairway/api/kinds/machine';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { Share } from '@fairway/openstack/types/shared-file-system';
import { storageOwner } from '@fairway/tenancy/cloud/ownership';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FairwayOnCloud } from './main-job/fairway-on-cloud.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { TenantScenario } from './main-job/tenant-scenario.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };
const pollOptions = { timeout: 200_000, interval: 250 };

/** The same scenario on the simulated cloud and on a real one. Each step builds on the previous one. */
describe.each(JOB_TARGETS)('shares on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of a claim', () => {
    let scenario: TenantScenario;
    let fairway: FairwayOnCloud;
    let tenant: KubeClient;

    beforeAll(async () => {
      scenario = await TenantScenario.begin(target, 'files', 1);
      ({ fairway, tenant } = scenario);
    });

    afterAll(() => scenario?.end());

    const shares = async (): Promise<readonly Share[]> => {
      const all = await Array.fromAsync(fairway.member.sharedFileSystem.shares.list());
      return all.filter((share) => storageOwner(share) !== undefined);
    };

    /** Addresses with access, and their pending state in Manila. */
    async function access(): Promise<readonly string[]> {
      const [share] = await shares();
      if (share === undefined) return [];
      const rules = await fairway.member.sharedFileSystem.accessRules.list(share.id);
      return rules.map((rule) => `${rule.access_to} ${rule.access_level} ${rule.state}`).toSorted();
    }

    async function accessOfNodes(): Promise<readonly string[]> {
      const { items } = await fairway.api.resource(machines).list({ namespace });
      const internalAddresses = items
        .flatMap(({ status }) => status?.addresses ?? [])
        .filter(({ type }) => type === 'InternalIP');
      return internalAddresses.map(({ address }) => `${address} rw active`).toSorted();
    }

    it('creates a share for a claim, which pods use concurrently', async () => {
      const storageClass = {
        metadata: { name: 'shared' },
        provisioner: 'manila.csi.openstack.org',
        reclaimPolicy: 'Delete',
        allowVolumeExpansion: true,
      };
      await tenant.resource(StorageClasses).create(storageClass);
      const spec = {
        accessModes: ['ReadWriteMany'],
        storageClassName: 'shared',
        resources: { requests: { storage: '1Gi' } },
      };
      await tenant.resource(PersistentVolumeClaims).create({ metadata: { name: 'files', namespace }, spec });
      const isBound = ({ status }: { status?: { phase?: string } }) => status?.phase === 'Bound';
      await eventuallyObject(
        tenant.resource(PersistentVolumeClaims),
        { namespace, name: 'files' },
        isBound,
        waitOptions,
      );
      for (const name of ['first', 'second']) {
        const containers = [{ name: 'app', image: 'busybox' }];
        const volumes = [{ name: 'files', persistentVolumeClaim: { claimName: 'files' } }];
        await tenant.resource(Pods).create({ metadata: { name, namespace }, spec: { containers, volumes } });
        const isRunning = ({ status }: { status?: { phase?: string } }) => status?.phase === 'Running';
        await eventuallyObject(tenant.resource(Pods), { namespace, name }, isRunning, waitOptions);
      }

      const [share, ...others] = await shares();
      const [volume] = (await tenant.resource(PersistentVolumes).list()).items;
      expect(others).toEqual([]);
      expect(share).toMatchObject({ status: 'available', size: 1, share_proto: 'NFS' });
      expect(volume?.spec.nfs?.path).toMatch(/^\//);
      expect(volume?.metadata.annotations?.['fairway.dev/share']).toBe(share?.id);
    });

    it("gives access only to the node's address", async () => {
      expect(await access()).toEqual(await accessOfNodes());
      expect(await access()).toHaveLength(1);
    });

    it('gives access to a new node, and revokes it for a deleted one', async () => {
      await scenario.scale(2);
      const two = await accessOfNodes();
      await expect.poll(access, pollOptions).toEqual(two);

      await scenario.scale(1);
      await expect.poll(access, pollOptions).toEqual(await accessOfNodes());
      expect(two).toHaveLength(2);
    });

    it('expands the share with its claim', async () => {
      const value = { spec: { resources: { requests: { storage: '2Gi' } } } };
      const claims = tenant.resource(PersistentVolumeClaims);
      await claims.patch('files', { type: 'merge', value }, { namespace });

      const hasGrown = (claim: { status?: { capacity?: Record<string, string> } }) =>
        claim.status?.capacity?.['storage'] === '2Gi';
      await eventuallyObject(claims, { namespace, name: 'files' }, hasGrown, waitOptions);
      expect(await shares()).toMatchObject([{ size: 2, status: 'available' }]);
    });

    it('leaves nothing behind', async () => {
      for (const name of ['first', 'second']) await tenant.resource(Pods).delete(name, { namespace });
      await tenant.resource(PersistentVolumeClaims).delete('files', { namespace });

      await eventuallyDeleted(tenant.resource(PersistentVolumeClaims), { namespace, name: 'files' }, waitOptions);
      await eventually(tenant.resource(PersistentVolumes), {}, (all) => all.length === 0, waitOptions);
      expect(await shares()).toEqual([]);
    });
  });
});
