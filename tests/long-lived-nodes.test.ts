import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { ConfigMap, Deployment, Node, Pod, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Deployments, Nodes, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testReleases } from './process-runtime/releases.ts';
import { allowAllStrategies } from './session/all-strategies.ts';
import { clientOf } from './session/client-of.ts';
import { RunningFairway, run } from './session/running-fairway.ts';

const { offered } = await testReleases();
const LONG_WAIT = { deadlineMs: 150_000 };
/** The namespace and labels of the pods in the cluster. */
const where = { namespace: 'default' };
const REPLICAS = 2;
const labels = { app: 'web' };

/**
 * Nodes and their pods with a real kube-apiserver, controllers and scheduler. Each case continues from the previous
 * one.
 */
describe.skipIf(offered === undefined)(
  `long-lived nodes with Kubernetes ${offered?.version ?? '(skipped: no binaries of 1.31 or later are found)'}`,
  () => {
    let folder: string;
    let fairway: RunningFairway;
    let own: KubeClient;
    let tenant: KubeClient;

    /** The namespace in Fairway. */
    const atFairway = () => ({ namespace: fairway.namespace });
    const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
    const waitForMachines = (check: (all: readonly Machine[]) => boolean) =>
      eventually(own.resource<Machine>(machines), atFairway(), check, LONG_WAIT);
    const waitForPool = (check: (pool: NodePool) => boolean) =>
      eventually(
        own.resource<NodePool>(nodePools),
        atFairway(),
        ([pool]) => pool !== undefined && check(pool),
        LONG_WAIT,
      );
    const waitForCluster = (check: (cluster: Cluster) => boolean) =>
      eventually(
        own.resource<Cluster>(clusters),
        atFairway(),
        ([cluster]) => cluster !== undefined && check(cluster),
        LONG_WAIT,
      );
    const patchPool = async (spec: object) => {
      const [pool] = await waitForPool(() => true);
      const value = { spec };
      await own.resource<NodePool>(nodePools).patch(pool?.metadata.name ?? '', { type: 'merge', value }, atFairway());
    };
    const runsImage = (image: string) => (machine: Machine) =>
      machine.status?.phase === 'Ready' &&
      machine.status.installed?.image === machine.spec.image &&
      machine.spec.image === image;
    const allRun = (pods: readonly Pod[]) =>
      pods.filter(({ metadata, status }) => status?.phase === 'Running' && !metadata.deletionTimestamp).length ===
      REPLICAS;
    const waitUntilPodsRun = () => eventually(tenant.resource<Pod>(Pods), where, allRun, LONG_WAIT);
    const allowMissing = (minAvailable: number) =>
      tenant
        .resource<PodDisruptionBudget>(PodDisruptionBudgets)
        .patch('web', { type: 'merge', value: { spec: { minAvailable } } }, where);
    const imageIDs = async () => {
      const cloud = openCloud(readCloudsYaml(fairway.cloudsYaml), 'simulator', {
        clock: systemClock,
        random: Math.random,
        log: silentLogger,
      });
      try {
        const all = await Array.fromAsync(cloud.client().images.list());
        return new Map(all.map(({ id, name }) => [name, id]));
      } finally {
        await cloud.close();
      }
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fairway-nodes-'));
      const options = ['--listen', '127.0.0.1:0', '--control-plane', 'process', '--cloud-check', '3s'];
      fairway = await RunningFairway.start(join(folder, 'home'), ...options);
      own = await clientOf(fairway.kubeconfig);
      await allowAllStrategies(own);
      const created = await cli('cluster', 'create', 'demo', '--flavor', 'b3-8', '--nodes', '2');
      if (created.code !== 0) throw new Error(`the cluster was not made: ${created.stderr}`);
      const kubeconfig = join(folder, 'demo.kubeconfig');
      await writeFile(kubeconfig, (await cli('kubeconfig', 'demo')).stdout);
      tenant = await clientOf(kubeconfig);
      const spec = { containers: [{ name: 'main', image: 'nginx' }], terminationGracePeriodSeconds: 1 };
      await tenant.resource<Deployment>(Deployments).create({
        metadata: { name: 'web', ...where },
        spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      await tenant.resource<PodDisruptionBudget>(PodDisruptionBudgets).create({
        metadata: { name: 'web', ...where },
        spec: { minAvailable: REPLICAS, selector: { matchLabels: labels } },
      });
      await waitUntilPodsRun();
    });
    afterAll(async () => {
      tenant?.close();
      own?.close();
      await fairway?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('Rolling: keeps a node while a budget allows no disruptions, then replaces the nodes', async () => {
      const before = await waitForMachines((all) => all.length === 2);
      const image = (await imageIDs()).get('Debian 12') ?? '';

      await patchPool({ image: 'Debian 12', upgradeStrategy: { type: 'Rolling', maxSurge: 1, maxUnavailable: 0 } });

      const held = await waitForMachines((all) =>
        all.some(({ status }) => findCondition(status?.conditions, 'Ready')?.reason === 'PodDisruptionBudget'),
      );
      expect(held.filter(runsImage(image))).toHaveLength(1);
      expect(
        (await tenant.resource<Pod>(Pods).list(where)).items.filter(({ metadata }) => metadata.deletionTimestamp),
      ).toEqual([]);

      await allowMissing(1);
      const after = await waitForMachines((all) => all.length === 2 && all.every(runsImage(image)));
      await waitUntilPodsRun();
      const names = before.map(({ metadata }) => metadata.name);
      expect(after.filter(({ metadata }) => names.includes(metadata.name))).toEqual([]);
    });

    test('InPlace: rebuilds the same servers one by one with a different image, and moves their pods', async () => {
      const before = await waitForMachines((all) => all.length === 2);
      const bootIDs = (nodes: readonly Node[]) => nodes.map(({ status }) => status?.nodeInfo?.bootID);
      const booted = bootIDs((await tenant.resource<Node>(Nodes).list()).items);
      const image = (await imageIDs()).get('Ubuntu 22.04') ?? '';

      await patchPool({ image: 'Ubuntu 22.04', upgradeStrategy: { type: 'InPlace' } });

      const after = await waitForMachines((all) => all.length === 2 && all.every(runsImage(image)));
      const serverIDs = (all: readonly Machine[]) => all.map(({ status }) => status?.serverID ?? '').sort();
      expect(serverIDs(after)).toEqual(serverIDs(before));
      const now = bootIDs((await tenant.resource<Node>(Nodes).list()).items);
      expect(now.filter((id) => booted.includes(id))).toEqual([]);
      await waitUntilPodsRun();
    });

    test('healing: replaces a node whose server was deleted, and its pods run elsewhere', async () => {
      const [targetNode] = await waitForMachines(
        (all) => all.length === 2 && all.every(({ status }) => status?.phase === 'Ready'),
      );
      const cloud = openCloud(readCloudsYaml(fairway.cloudsYaml), 'simulator', {
        clock: systemClock,
        random: Math.random,
        log: silentLogger,
      });
      await cloud.client().compute.servers.delete(targetNode?.status?.serverID ?? '');
      await cloud.close();

      const after = await waitForMachines(
        (all) =>
          all.length === 2 &&
          all.every(({ metadata, status }) => status?.phase === 'Ready' && metadata.name !== targetNode?.metadata.name),
      );

      await waitUntilPodsRun();
      const nodes = await eventually(tenant.resource<Node>(Nodes), {}, (all) => all.length === 2, LONG_WAIT);
      expect(nodes.map(({ metadata }) => metadata.name ?? '').sort()).toEqual(
        after.map(({ metadata }) => metadata.name ?? '').sort(),
      );
    });

    test('hibernation: stops all nodes and the API server, and restores everything after waking', async () => {
      await tenant
        .resource<ConfigMap>(ConfigMaps)
        .create({ metadata: { name: 'kept', ...where }, data: { answer: '42' } });
      const hibernate = (enabled: boolean) =>
        own
          .resource<Cluster>(clusters)
          .patch('demo', { type: 'merge', value: { spec: { hibernation: { enabled } } } }, atFairway());

      await hibernate(true);
      await waitForCluster(({ status }) => status?.phase === 'Hibernated');
      expect((await own.resource<Machine>(machines).list(atFairway())).items).toEqual([]);

      await hibernate(false);
      await waitForCluster(({ status }) => status?.phase === 'Ready' && status.nodes?.ready === 2);
      await waitUntilPodsRun();
      const kept = await tenant.resource<ConfigMap>(ConfigMaps).get('kept', where);
      expect(kept.data).toEqual({ answer: '42' });
    });
  },
);
