import { type Machine, machines } from '@fairway/api/kinds/machine';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import {
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
  VolumeAttachments,
} from '@fairway/kube/kinds/resources';
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import type { VolumeSnapshot as CinderSnapshot, Volume } from '@fairway/openstack/types/block-storage';
import { storageOwner } from '@fairway/tenancy/cloud/ownership';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FairwayOnCloud } from '../main-job/fairway-on-cloud.ts';
import { JOB_TARGETS } from '../main-job/job-clouds.ts';
import { TenantScenario } from '../main-job/tenant-scenario.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };

/** The same scenario on the simulated cloud and on a real one. Each step builds on the previous one. */
describe.each(JOB_TARGETS)('volumes on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of a claim', () => {
    let scenario: TenantScenario;
    let fairway: FairwayOnCloud;
    let tenant: KubeClient;

    beforeAll(async () => {
      scenario = await TenantScenario.begin(target, 'data', 2);
      ({ fairway, tenant } = scenario);
    });

    afterAll(() => scenario?.end());

    const volumes = async (): Promise<readonly Volume[]> => {
      const all = await Array.fromAsync(fairway.member.blockStorage.volumes.list());
      return all.filter((volume) => storageOwner(volume) !== undefined);
    };

    const snapshots = async (): Promise<readonly CinderSnapshot[]> => {
      const all = await Array.fromAsync(fairway.member.blockStorage.snapshots.list());
      return all.filter((snapshot) => storageOwner(snapshot) !== undefined);
    };

    async function runPod(name: string, nodeName?: string): Promise<void> {
      const spec = {
        containers: [{ name: 'app', image: 'busybox' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        ...(nodeName && { nodeSelector: { 'kubernetes.io/hostname': nodeName } }),
      };
      await tenant.resource(Pods).create({ metadata: { name, namespace }, spec });
    }

    const isRunning = ({ status }: Pod) => status?.phase === 'Running';
    const nodeOf = async (name: string) => (await tenant.resource(Pods).get(name, { namespace })).spec.nodeName ?? '';
    const serverOf = async (node: string): Promise<string | undefined> => {
      const machine: Machine = await fairway.api.resource(machines).get(node, { namespace });
      return machine.status?.serverID;
    };

    it('creates a claim’s volume once its pod has a node, and attaches it so that the pod runs', async () => {
      const storageClass = {
        metadata: { name: 'standard' },
        provisioner: 'cinder.csi.openstack.org',
        reclaimPolicy: 'Delete',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      };
      await tenant.resource(StorageClasses).create(storageClass);
      const spec = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'standard',
        resources: { requests: { storage: '1Gi' } },
      };
      const claim = { metadata: { name: 'data', namespace }, spec };
      await tenant.resource(PersistentVolumeClaims).create(claim);

      await runPod('first');
      await eventuallyObject(tenant.resource(Pods), { namespace, name: 'first' }, isRunning, waitOptions);

      const [volume, ...others] = await volumes();
      const serverID = await serverOf(await nodeOf('first'));
      expect(others).toEqual([]);
      expect(volume).toMatchObject({ status: 'in-use', size: 1 });
      expect(volume?.attachments.map(({ server_id: id }) => id)).toEqual([serverID]);
    });

    it('reports on the node that the volume is attached and in use', async () => {
      const node = await tenant.resource(Nodes).get(await nodeOf('first'));
      const [volume] = await volumes();
      const name = `kubernetes.io/csi/cinder.csi.openstack.org^${volume?.id}`;

      expect(node.status?.volumesInUse).toEqual([name]);
      expect(node.status?.volumesAttached?.map((each) => each.name)).toEqual([name]);
    });

    it('moves the volume to another node with its pod', async () => {
      const from = await nodeOf('first');
      const { items } = await tenant.resource(Nodes).list();
      const to = items.map(({ metadata }) => metadata.name ?? '').find((each) => each !== from) ?? '';
      await tenant.resource(Pods).delete('first', { namespace });
      await runPod('second', to);

      await eventuallyObject(tenant.resource(Pods), { namespace, name: 'second' }, isRunning, waitOptions);

      const [volume] = await volumes();
      expect(volume?.attachments.map(({ server_id: id }) => id)).toEqual([await serverOf(to)]);
    });

    it('creates a snapshot of a volume in use, and a volume from the snapshot', async () => {
      const names = { volumeSnapshotClassName: 'fast', source: { persistentVolumeClaimName: 'data' } };
      const driver = 'cinder.csi.openstack.org';
      // The snapshot controller is an add-on, like DNS.
      await eventually(tenant.resource(VolumeSnapshotClasses), {}, () => true, waitOptions);
      await tenant
        .resource(VolumeSnapshotClasses)
        .create({ metadata: { name: 'fast' }, driver, deletionPolicy: 'Delete' });
      await tenant.resource(VolumeSnapshots).create({ metadata: { name: 'first', namespace }, spec: names });
      const ready = await eventuallyObject(
        tenant.resource(VolumeSnapshots),
        { namespace, name: 'first' },
        ({ status }) => status?.readyToUse === true,
        waitOptions,
      );
      await tenant
        .resource(StorageClasses)
        .create({ metadata: { name: 'immediate' }, provisioner: driver, reclaimPolicy: 'Delete' });
      const spec = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'immediate',
        resources: { requests: { storage: '2Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'first' },
      };
      await tenant.resource(PersistentVolumeClaims).create({ metadata: { name: 'restored', namespace }, spec });
      await eventuallyObject(
        tenant.resource(PersistentVolumeClaims),
        { namespace, name: 'restored' },
        ({ status }) => status?.phase === 'Bound',
        waitOptions,
      );

      const [snapshot, ...others] = await snapshots();
      const created = await volumes();
      expect(others).toEqual([]);
      expect(ready.status).toMatchObject({ restoreSize: '1Gi' });
      expect(snapshot).toMatchObject({ status: 'available', size: 1 });
      expect(Object.fromEntries(created.map(({ size, snapshot_id: id }) => [size, id ?? 'none']))).toEqual({
        1: 'none',
        2: snapshot?.id,
      });
    });

    it('deletes the snapshot along with its VolumeSnapshot', async () => {
      await tenant.resource(PersistentVolumeClaims).delete('restored', { namespace });
      await eventuallyDeleted(tenant.resource(PersistentVolumeClaims), { namespace, name: 'restored' }, waitOptions);
      await eventually(tenant.resource(PersistentVolumes), {}, (all) => all.length === 1, waitOptions);
      await tenant.resource(VolumeSnapshots).delete('first', { namespace });
      await eventuallyDeleted(tenant.resource(VolumeSnapshots), { namespace, name: 'first' }, waitOptions);

      expect((await tenant.resource(VolumeSnapshotContents).list()).items).toEqual([]);
      expect(await snapshots()).toEqual([]);
    });

    it('leaves nothing behind', async () => {
      await tenant.resource(Pods).delete('second', { namespace });
      await tenant.resource(PersistentVolumeClaims).delete('data', { namespace });

      await eventuallyDeleted(tenant.resource(PersistentVolumeClaims), { namespace, name: 'data' }, waitOptions);
      await eventually(tenant.resource(PersistentVolumes), {}, (all) => all.length === 0, waitOptions);
      await eventually(tenant.resource(VolumeAttachments), {}, (all) => all.length === 0, waitOptions);
      expect(await volumes()).toEqual([]);
    });
  });
});
