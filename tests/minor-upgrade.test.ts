import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import type { UpgradePlanRequest } from '@fairway/api/kinds/upgrade-plan-request';
import type { DaemonSet, Deployment, Event, Node, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { DaemonSets, Deployments, Events, Nodes, PodDisruptionBudgets } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testUpgrade } from './process-runtime/releases.ts';
import { allowAllStrategies } from './session/all-strategies.ts';
import { PodWatch } from './session/pod-watch.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';

const upgrade = await testUpgrade();
const { from = '', to = '' } = upgrade ?? {};
const minorOf = (version: string) => version.split('.').slice(0, 2).join('.');
const where = { namespace: 'default' };
const deadlineMs = 240_000;
const REPLICAS = 3;
const AVAILABLE = 2;
const labels = { app: 'web' };

const MANIFEST = `
apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: demo }
spec: { plan: free, version: "${from}" }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: rolling }
spec:
  clusterName: demo
  flavor: b3-8
  replicas: 2
  upgradeStrategy: { type: Rolling, maxSurge: 1, maxUnavailable: 0 }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: in-place }
spec:
  clusterName: demo
  flavor: b3-8
  replicas: 2
  upgradeStrategy: { type: InPlace }
`;

const described =
  upgrade === undefined
    ? '(skipped: no programs of two minor versions in a row, of 1.31 or later, are found)'
    : `from Kubernetes ${from} to ${to}`;

/** A complete cluster, with binaries of both releases. Each case continues from the previous one. */
describe.skipIf(upgrade === undefined)(`an upgrade ${described}`, () => {
  let cluster: ProvisionedCluster;
  let podWatch: PodWatch | undefined;
  let upgradePlan: UpgradePlanRequest['status'];
  let before: readonly Machine[];

  const ofPool = (all: readonly Machine[], pool: string) => all.filter(({ spec }) => spec.nodePoolName === pool);
  const serverIDs = (all: readonly Machine[], pool: string) =>
    new Set(ofPool(all, pool).map(({ status }) => status?.serverID));
  const images = async () => {
    const inKubeSystem = { namespace: 'kube-system' };
    const proxy = await cluster.tenant.resource<DaemonSet>(DaemonSets).get('kube-proxy', inKubeSystem);
    const dns = await cluster.tenant.resource<Deployment>(Deployments).get('coredns', inKubeSystem);
    const volumes = await cluster.tenant.resource<DaemonSet>(DaemonSets).get('csi-cinder-nodeplugin', inKubeSystem);
    return [proxy, dns, volumes].map(({ spec }) => spec?.template.spec?.containers[0]?.image?.split(':').at(-1));
  };
  const kubelets = async () => {
    const { items } = await cluster.tenant.resource<Node>(Nodes).list();
    return items.map(({ status }) => status?.nodeInfo?.kubeletVersion);
  };
  const runs = (version: string) => (all: readonly Machine[]) =>
    all.length === 4 &&
    all.every(
      ({ spec, status }) => spec.version === version && status?.phase === 'Ready' && status.version === version,
    );

  beforeAll(async () => {
    const options = ['--cloud-check', '3s'];
    cluster = await ProvisionedCluster.create({
      manifest: MANIFEST,
      controlPlane: 'process',
      options,
      prepare: allowAllStrategies,
      deadlineMs,
    });
    before = await cluster.waitForMachines(runs(from));
    const spec = { containers: [{ name: 'main', image: 'nginx' }], terminationGracePeriodSeconds: 1 };
    await cluster.tenant.resource<Deployment>(Deployments).create({
      metadata: { name: 'web', ...where },
      spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    const budgets = cluster.tenant.resource<PodDisruptionBudget>(PodDisruptionBudgets);
    await budgets.create({
      metadata: { name: 'web', ...where },
      spec: { minAvailable: AVAILABLE, selector: { matchLabels: labels } },
    });
    const isHealthy = ([budget]: readonly PodDisruptionBudget[]) => budget?.status?.currentHealthy === REPLICAS;
    await eventually(budgets, where, isHealthy, { deadlineMs });
  });
  afterAll(async () => {
    await podWatch?.end().catch(() => undefined);
    await cluster?.[Symbol.asyncDispose]();
  });

  test('is previewed by the command and by the API: steps, add-ons, and no failed checks', async () => {
    const text = await cluster.cli('cluster', 'upgrade', 'demo', '--plan', '--to', minorOf(to));
    const json = await cluster.cli('cluster', 'upgrade', 'demo', '--plan', '-o', 'json');
    const request = {
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'UpgradePlanRequest',
      metadata: {},
      spec: { version: minorOf(to) },
    };
    const response = await cluster.own
      .resource<Cluster>(clusters)
      .createSubresource<UpgradePlanRequest>('demo', 'upgradeplan', request, cluster.where);

    expect(text).toMatchObject({ code: 0, stdout: expect.stringContaining(to) });
    upgradePlan = (JSON.parse(json.stdout) as UpgradePlanRequest).status;
    expect(upgradePlan).toMatchObject({
      from,
      to,
      steps: [
        { order: 1, type: 'ControlPlane' },
        { order: 2, type: 'NodePool', pool: 'in-place', nodes: 2, strategy: 'InPlace', parallel: 1 },
        { order: 2, type: 'NodePool', pool: 'rolling', nodes: 2, strategy: 'Rolling', parallel: 1 },
      ],
      quotas: expect.arrayContaining([expect.objectContaining({ name: 'instances', needed: 1, isEnough: true })]),
      addons: [
        { name: 'kube-proxy', from, to },
        { name: 'coredns', from: expect.any(String), to: expect.any(String) },
        { name: 'cinder-csi', from: expect.any(String), to: expect.any(String) },
      ],
      findings: [],
    });
    expect({ ...response.status, time: '' }).toEqual({ ...upgradePlan, time: '' });
    expect((await cluster.waitForCluster(() => true)).spec.version).toBe(from);
  });

  test('upgrades the control plane, then the nodes by pool, within PodDisruptionBudgets, even if killed', async () => {
    // One store counts the changes of all kinds.
    const changeOf = (object: KubeObject | undefined) => Number(object?.metadata.resourceVersion);
    const ownClusters = cluster.own.resource<Cluster>(clusters);
    const controlPlane = eventually(ownClusters, cluster.where, ([found]) => found?.status?.version === to, {
      deadlineMs,
    });
    const isNext = ({ spec }: Machine) => spec.version === to;
    const ownMachines = cluster.own.resource<Machine>(machines);
    const firstNode = eventually(ownMachines, cluster.where, (all) => all.some(isNext), { deadlineMs });

    expect(await cluster.cli('cluster', 'upgrade', 'demo', '--to', minorOf(to))).toMatchObject({ code: 0 });
    const [upgraded] = await controlPlane;
    podWatch = await PodWatch.begin(cluster.tenant, { ...where, labelSelector: 'app=web' });
    expect(changeOf(upgraded)).toBeLessThan(changeOf((await firstNode).find(isNext)));
    const { status: statusDuringUpgrade } = await cluster.waitForCluster(
      ({ status }) => status?.lastOperation?.type === 'Upgrade',
    );
    expect(statusDuringUpgrade?.lastOperation).toMatchObject({ state: 'Processing', steps: { total: 5 } });

    await cluster.fairway.kill();
    await cluster.up();
    const after = await cluster.waitForMachines(runs(to));
    const { status: done } = await cluster.waitForCluster(
      ({ status }) =>
        status?.lastOperation?.state === 'Succeeded' &&
        upgradePlan?.addons?.every(({ name, to: next }) =>
          status.addons?.some((addon) => addon.name === name && addon.version === next && addon.state === 'Ready'),
        ) === true,
    );

    expect(await podWatch.end()).toBe(AVAILABLE);
    expect(serverIDs(after, 'in-place')).toEqual(serverIDs(before, 'in-place'));
    const old = serverIDs(before, 'rolling');
    expect([...serverIDs(after, 'rolling')].filter((id) => old.has(id))).toEqual([]);
    expect(await kubelets()).toEqual(Array(4).fill(`v${to}`));
    expect((await cluster.tenant.version()).gitVersion).toBe(`v${to}`);
    expect(await images()).toEqual(upgradePlan?.addons?.map((addon) => `v${addon.to}`));
    const { startTime } = statusDuringUpgrade?.lastOperation ?? {};
    expect(done?.lastOperation).toMatchObject({ type: 'Upgrade', progress: 100, startTime });
    const eventOf = (kind: string, reason: string) =>
      eventually(
        cluster.own.resource<Event>(Events),
        cluster.where,
        (all) => all.some((event) => event.involvedObject.kind === kind && event.reason === reason),
        { deadlineMs },
      );
    await eventOf('Cluster', 'UpgradeStarted');
    await eventOf('NodePool', 'UpgradeComplete');
    await eventOf('Cluster', 'UpgradeComplete');
  });
});
