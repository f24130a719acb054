import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CSINode,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  Pod,
} from '@fairway/kube/kinds/generated/types';
import {
  CSINodes,
  DaemonSets,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StorageClasses,
} from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { CAP_SYS_RESOURCE, hasCapability } from './hosts/requirements.ts';
import { testbed } from './hosts/testbed.ts';
import { isReady } from './real-nodes/nodes.ts';
import { realNodeTools } from './real-nodes/requirements.ts';
import { BUSYBOX } from './real-nodes/tenant-network.ts';
import { MountingCluster } from './real-volumes/mounting-cluster.ts';
import { missingForPlugin, publishPluginImages } from './real-volumes/plugin-images.ts';

const { offered, kubectl, title } = await realNodeTools();
const missingRequirements = missingForPlugin();
const described =
  missingRequirements.length === 0
    ? title
    : `(skipped: no ${missingRequirements.join(', no ')}; "testbed/cloud-provider-openstack/testbed build" makes them)`;

const DRIVER = 'cinder.csi.openstack.org';
const namespace = 'default';
const SHORT_WAIT = { deadlineMs: 240_000 };
/** In KiB. */
const GIB = 2 ** 20;
const [USER, GROUP] = [1000, 2000];
const FILE_SYSTEMS = ['ext4', 'xfs'];
const GROWABLE_FILE_SYSTEMS = [
  hasCapability(CAP_SYS_RESOURCE)
    ? { fsType: 'ext4', canGrow: true, growth: 'ext4 grows' }
    : { fsType: 'ext4', canGrow: false, growth: 'ext4 grows (skipped: no CAP_SYS_RESOURCE)' },
  { fsType: 'xfs', canGrow: true, growth: 'XFS grows' },
];

describe.skipIf(offered === undefined || missingRequirements.length > 0)(
  `volumes that kubelets mount ${described}`,
  () => {
    let folder: string;
    let cluster: MountingCluster;

    beforeAll(async () => {
      if (offered === undefined) return;
      folder = mkdtempSync(join(tmpdir(), 'fairway-real-volumes-'));
      process.env['KUBEBUILDER_ASSETS'] = offered.folder;
      publishPluginImages(offered.version);
      cluster = await MountingCluster.start(folder, offered, kubectl);
    });
    afterAll(async () => {
      await cluster?.[Symbol.asyncDispose]();
      if (folder) rmSync(folder, { recursive: true, force: true });
    });

    function diagnoseFailure(): void {
      onTestFailed(async () => void process.stderr.write(await cluster.diagnosis()));
    }

    const claims = () => cluster.client.resource<PersistentVolumeClaim>(PersistentVolumeClaims);
    const pods = () => cluster.client.resource<Pod>(Pods);

    /** Claims a file system volume with the tenant's own storage class. */
    async function claim(fsType: string): Promise<void> {
      await cluster.client.resource(StorageClasses).create({
        metadata: { name: fsType },
        provisioner: DRIVER,
        parameters: { 'csi.storage.k8s.io/fstype': fsType },
        volumeBindingMode: 'WaitForFirstConsumer',
        allowVolumeExpansion: true,
      });
      const resources = { requests: { storage: '1Gi' } };
      const spec = { accessModes: ['ReadWriteOnce'], storageClassName: fsType, resources };
      await claims().create({ metadata: { name: fsType, namespace }, spec });
    }

    /** Runs a pod with the volumes of all claims on a node, as a non-root user; resolves when it is ready. */
    async function runPod(name: string, node: number): Promise<void> {
      await pods().create({
        metadata: { name, namespace },
        spec: {
          nodeSelector: { 'kubernetes.io/hostname': cluster.nodes[node] ?? '' },
          securityContext: { runAsUser: USER, fsGroup: GROUP },
          containers: [
            {
              name: 'main',
              image: BUSYBOX,
              command: ['sh', '-c', 'trap exit TERM; tail -f /dev/null & wait'],
              volumeMounts: FILE_SYSTEMS.map((fsType) => ({ name: fsType, mountPath: `/${fsType}` })),
            },
          ],
          volumes: FILE_SYSTEMS.map((fsType) => ({ name: fsType, persistentVolumeClaim: { claimName: fsType } })),
        },
      });
      await eventuallyObject(pods(), { namespace, name }, isReady, SHORT_WAIT);
    }

    async function end(name: string): Promise<void> {
      await pods().delete(name, { namespace });
      await eventuallyDeleted(pods(), { namespace, name }, SHORT_WAIT);
    }

    /** Size of a file system in a pod, in KiB. */
    async function sizeIn(pod: string, fsType: string): Promise<number> {
      const lines = await cluster.runInPod(pod, `df -Pk /${fsType}`);
      return Number(/^\S+ +(\d+) /m.exec(lines.split('\n')[1] ?? '')?.[1]);
    }

    const disksOn = async (node: number) => (await cluster.cloud.disksOf(cluster.nodes[node] ?? '')).length;

    test("are served by upstream's node plugin, which registers with each kubelet", async () => {
      diagnoseFailure();
      const hasDriver = ({ spec }: CSINode) => spec.drivers?.some(({ name }) => name === DRIVER) ?? false;
      const found = await eventually(
        cluster.client.resource<CSINode>(CSINodes),
        {},
        (all) => all.length === 2 && all.every(hasDriver),
        SHORT_WAIT,
      );

      const servers = await cluster.cloud.servers();
      for (const { metadata, spec } of found) {
        expect(spec.drivers).toEqual([
          {
            name: DRIVER,
            nodeID: servers.get(metadata.name ?? ''),
            topologyKeys: ['topology.cinder.csi.openstack.org/zone'],
            allocatable: { count: 100 },
          },
        ]);
      }
    });

    test('have a Ready node plugin on all nodes', async () => {
      diagnoseFailure();
      await eventuallyObject(
        cluster.client.resource(DaemonSets),
        { namespace: 'kube-system', name: 'csi-cinder-nodeplugin' },
        ({ status }) => status?.numberReady === 2,
        SHORT_WAIT,
      );
      await expect.poll(() => cluster.described('{.status.addons[?(@.name=="cinder-csi")].state}')).toBe('Ready');
    });

    test("let a pod's user write into file systems that the plugin has created", async () => {
      diagnoseFailure();
      for (const fsType of FILE_SYSTEMS) await claim(fsType);
      await runPod('first', 0);

      for (const fsType of FILE_SYSTEMS) {
        await cluster.runInPod('first', `echo on ${fsType} > /${fsType}/file`);
        expect(await cluster.runInPod('first', `stat -c "%u %g" /${fsType}/file`)).toBe(`${USER} ${GROUP}\n`);
        const mounted = new RegExp(`^/dev/vd[b-z] /${fsType} ${fsType} rw`);
        expect(await cluster.runInPod('first', `grep " /${fsType} " /proc/mounts`)).toMatch(mounted);
        const kib = await sizeIn('first', fsType);
        expect(kib).toBeGreaterThan(0.9 * GIB);
        expect(kib).toBeLessThan(GIB);
      }
    });

    test('show the files to a pod on another node', async () => {
      diagnoseFailure();
      await end('first');
      await runPod('second', 1);

      for (const fsType of FILE_SYSTEMS) {
        expect(await cluster.runInPod('second', `cat /${fsType}/file`)).toBe(`on ${fsType}\n`);
      }
      await expect.poll(() => disksOn(0)).toBe(0);
      expect(await disksOn(1)).toBe(2);
    });

    for (const { fsType, canGrow, growth } of GROWABLE_FILE_SYSTEMS) {
      test.skipIf(!canGrow)(`grow while the pod runs: ${growth}`, async () => {
        diagnoseFailure();
        const name = { namespace, name: fsType };
        const value = { spec: { resources: { requests: { storage: '2Gi' } } } };
        await claims().patch(fsType, { type: 'merge', value }, { namespace });
        await eventuallyObject(claims(), name, ({ status }) => isPending(status?.conditions), SHORT_WAIT);
        const { spec } = await claims().get(fsType, { namespace });
        const { spec: created } = await cluster.client.resource(PersistentVolumes).get(spec.volumeName ?? '');
        const size = () => cluster.cloud.diskSize(cluster.nodes[1] ?? '', created.csi?.volumeHandle ?? '');
        await expect.poll(size).toBe(2 * GIB * 1024);
        // The kubelet checks the size of a volume when it syncs its pod: about once a minute, or when the pod changes.
        await cluster.kubectl('annotate', 'pod', 'second', `look=${fsType}`);
        const hasGrown = ({ status }: PersistentVolumeClaim) => status?.capacity?.['storage'] === '2Gi';
        const { status } = await eventuallyObject(claims(), name, hasGrown, SHORT_WAIT);

        expect(status?.conditions ?? []).toEqual([]);
        expect(await sizeIn('second', fsType)).toBeGreaterThan(1.9 * GIB);
        expect(await cluster.runInPod('second', `cat /${fsType}/file`)).toBe(`on ${fsType}\n`);
      });
    }

    test('return with their pod after their node loses power', async () => {
      diagnoseFailure();
      const starts = ({ status }: Pod) => status?.containerStatuses?.[0]?.restartCount ?? 0;
      testbed('reset', cluster.nodes[1] ?? '');
      await eventuallyObject(
        pods(),
        { namespace, name: 'second' },
        (pod) => starts(pod) > 0 && isReady(pod),
        SHORT_WAIT,
      );

      for (const fsType of FILE_SYSTEMS) {
        expect(await cluster.runInPod('second', `cat /${fsType}/file`)).toBe(`on ${fsType}\n`);
      }
    });

    test('leave nothing when the claims are deleted', async () => {
      diagnoseFailure();
      await end('second');
      for (const fsType of FILE_SYSTEMS) await claims().delete(fsType, { namespace });

      await eventually(cluster.client.resource(PersistentVolumes), {}, (all) => all.length === 0, SHORT_WAIT);
      await expect.poll(() => cluster.cloud.volumes()).toEqual([]);
      await expect.poll(() => disksOn(1)).toBe(0);
    });

    test('keep the plugin of the other node running without interruption', async () => {
      const { items } = await pods().list({ namespace: 'kube-system', labelSelector: 'app=csi-cinder-nodeplugin' });
      const kept = items.find(({ spec }) => spec.nodeName === cluster.nodes[0]);
      const plugin = kept?.status?.containerStatuses?.find(({ name }) => name === 'cinder-csi-plugin');

      expect(plugin).toMatchObject({ ready: true, restartCount: 0 });
    });
  },
);

function isPending(conditions: readonly PersistentVolumeClaimCondition[] = []): boolean {
  return conditions.some(({ type, status }) => type === 'FileSystemResizePending' && status === 'True');
}
