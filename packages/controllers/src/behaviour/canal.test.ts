import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { aRelease } from '@fairway/api/testing/releases';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, DaemonSets, Nodes } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonScenario } from '../testing/addon-scenario.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };
const CANAL = { cni: { type: 'canal' as const } };
const STATUS = { namespace: TEAM, subresource: 'status' };

const canalExists = async (tenant: KubeClient) =>
  (await tenant.resource(DaemonSets).list()).items.some(({ metadata }) => metadata.name === 'canal');

function installOtherNetwork(): DaemonSet {
  const labels = { app: 'network' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'quay.io/cilium/cilium:v1' }] },
  };
  return { metadata: { name: 'cilium', ...KUBE_SYSTEM }, spec: { selector: { matchLabels: labels }, template } };
}

/** Rewrites the status as a release that does not install pod networks would have written it. */
async function clearInstaller(scenario: AddonScenario): Promise<void> {
  const value = { status: { cniInstaller: null } };
  await scenario.fairway.client.resource(clusters).patch('demo', { type: 'merge', value }, STATUS);
}

describe('a new cluster', () => {
  test.each([
    { spec: {}, plan: 'free', has: true, installer: 'Fairway' },
    { spec: CANAL, plan: 'free', has: true, installer: 'Fairway' },
    { spec: { cni: { type: 'none' as const } }, plan: 'free', has: false, installer: 'Tenant' },
    { spec: {}, plan: 'standard', has: false, installer: 'Fairway' },
  ])('has Canal for plan $plan with $spec: $has', async ({ spec, plan, has, installer }) => {
    await using scenario = await AddonScenario.begin({ plan, cni: {}, ...spec });

    expect((await scenario.cluster()).status?.cniInstaller).toBe(installer);
    expect(await canalExists(scenario.tenant)).toBe(has);
    expect((await scenario.addons()).some(({ name }) => name === 'canal')).toBe(has);
  });

  test('installs it first, with its own address range and route to its API server', async () => {
    await using scenario = await AddonScenario.begin({ ...CANAL, podCIDR: '10.44.0.0/16' });
    await scenario.work();

    const config = await scenario.tenant.resource(ConfigMaps).get('canal-config', KUBE_SYSTEM);
    const { spec } = await scenario.tenant.resource(DaemonSets).get('canal', KUBE_SYSTEM);
    const { url = '' } = (await scenario.cluster()).status ?? {};
    expect(JSON.parse(config.data?.['net-conf.json'] ?? '')).toEqual({
      Network: '10.44.0.0/16',
      Backend: { Type: 'vxlan' },
    });
    for (const { env = [] } of [
      ...(spec.template.spec?.initContainers ?? []),
      ...(spec.template.spec?.containers ?? []),
    ]) {
      expect(env).toContainEqual({ name: 'KUBERNETES_SERVICE_HOST', value: new URL(url).hostname });
    }
    expect(await scenario.addons()).toMatchObject([
      { name: 'canal', version: '3.31.7', state: 'Ready' },
      { name: 'kube-proxy', state: 'Ready' },
      { name: 'coredns', state: 'Ready' },
      { name: 'metrics-server', state: 'Ready' },
      { name: 'cinder-csi', state: 'Ready' },
      { name: 'volume-snapshots', state: 'Ready' },
    ]);
  });

  test('reports only the network as the cause if nodes still lack a pod network after ten minutes', async () => {
    await using scenario = await AddonScenario.begin(CANAL);
    const [node] = (await scenario.tenant.resource(Nodes).list()).items;
    const message = 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady';
    const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
    await scenario.fairway.stopProcess();
    await scenario.tenant.resource(Nodes).patch(
      node?.metadata.name ?? '',
      { type: 'strategic', value: { status: { conditions: [condition] } } },
      {
        subresource: 'status',
      },
    );
    await scenario.fairway.startProcess();
    await scenario.clock.pass(6 * MINUTE_MS);
    const daemonSets = scenario.tenant.resource(DaemonSets);
    for (const { metadata } of (await daemonSets.list(KUBE_SYSTEM)).items) {
      const counts = { currentNumberScheduled: 1, desiredNumberScheduled: 1, updatedNumberScheduled: 1 };
      const status = { ...counts, observedGeneration: metadata.generation, numberReady: 0, numberMisscheduled: 0 };
      const patch = { type: 'merge' as const, value: { status } };
      await daemonSets.patch(metadata.name ?? '', patch, { ...KUBE_SYSTEM, subresource: 'status' });
    }
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(await scenario.addon('canal')).toMatchObject({
      state: 'Degraded',
      message: expect.stringContaining('kubectl -n kube-system describe pods -l k8s-app=canal'),
    });
    expect(await scenario.addon('kube-proxy')).toMatchObject({
      state: 'Progressing',
      reason: 'WaitingForNode',
      message: 'waiting for the pod network: no node has one yet',
    });
  });

  test('follows the operator’s catalogue', async () => {
    await using scenario = await AddonScenario.begin({ ...CANAL, version: '1.35' });
    await scenario.offer(
      aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', calico: '3.31.9', flannel: '0.28.11' } }),
    );
    await scenario.clock.pass(61 * MINUTE_MS);

    const { spec } = await scenario.tenant.resource(DaemonSets).get('canal', KUBE_SYSTEM);
    expect(spec.template.spec?.containers.map(({ image }) => image)).toEqual([
      'ghcr.io/flannel-io/flannel:v0.28.11',
      'quay.io/calico/node:v3.31.9',
    ]);
    expect(spec.updateStrategy?.rollingUpdate?.maxUnavailable).toBe('10%');
    expect(await scenario.addon('canal')).toMatchObject({ version: '3.31.9' });
  });
});

describe('a cluster with a pod network', () => {
  test('keeps the network installed by an earlier release, and does not get a second one', async () => {
    await using scenario = await AddonScenario.begin({ cni: { type: 'none' } });
    await scenario.work();
    await scenario.fairway.stopProcess();
    await clearInstaller(scenario);
    const value = { status: { cni: 'canal' } };
    await scenario.fairway.client.resource(clusters).patch('demo', { type: 'merge', value }, STATUS);

    await scenario.fairway.startProcess();
    await scenario.clock.pass(3 * HOUR_MS);

    expect((await scenario.cluster()).status).toMatchObject({ cni: 'canal', cniInstaller: 'Tenant' });
    expect(await canalExists(scenario.tenant)).toBe(false);
  });

  test('has Canal installed after a reset', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, random: () => 0.5 });
    const before = await clock.during(fairway.readyCluster({ replicas: 1 }, CANAL));
    await fairway.stopProcess();
    await fairway.runtime.client(identityOf(before)).resource(DaemonSets).delete('canal', KUBE_SYSTEM);
    const value = { status: { cniInstaller: 'Tenant' } };
    await fairway.client.resource(clusters).patch('demo', { type: 'merge', value }, STATUS);
    await fairway.startProcess();
    await clock.pass(6 * MINUTE_MS);

    await fairway.patch(clusters, 'demo', {
      spec: { reset: { requestedAt: formatTime(clock.now()), confirm: 'demo', nodes: 'Delete' } },
    });
    await clock.pass(30 * MINUTE_MS);

    const cluster = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
    expect(cluster.status).toMatchObject({ cniInstaller: 'Fairway', reset: { phase: 'Complete' } });
    expect(await canalExists(fairway.runtime.client(identityOf(cluster)))).toBe(true);
  });

  test('keeps its own network until that is deleted, even if a user requests Fairway’s', async () => {
    await using scenario = await AddonScenario.begin(CANAL, {
      before: (tenant) => tenant.resource(DaemonSets).create(installOtherNetwork()),
    });
    const found = await scenario.addon('canal');

    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * HOUR_MS);
    const isCanalRunning = [await scenario.addon('canal'), await canalExists(scenario.tenant)];
    await scenario.tenant.resource(DaemonSets).delete('cilium', KUBE_SYSTEM);
    await scenario.clock.pass(2 * HOUR_MS);
    const deleted = await canalExists(scenario.tenant);
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'again' });
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(found).toMatchObject({
      state: 'NotManaged',
      reason: 'AddonNotManaged',
      message:
        "the cluster has its own DaemonSet kube-system/cilium, which Fairway does not manage; delete it, and a new value of the Cluster's annotation fairway.dev/adopt-addons, such as the current time, makes Fairway install canal",
    });
    expect(isCanalRunning).toEqual([found, false]);
    expect(deleted).toBe(false);
    expect(await canalExists(scenario.tenant)).toBe(true);
  });

  test('can replace Fairway’s network with its own', async () => {
    await using scenario = await AddonScenario.begin(CANAL);
    await scenario.work();

    await scenario.tenant.resource(DaemonSets).create(installOtherNetwork());
    await scenario.tenant.resource(DaemonSets).delete('canal', KUBE_SYSTEM);
    await scenario.clock.pass(2 * HOUR_MS);
    await scenario.restart();

    expect(await canalExists(scenario.tenant)).toBe(false);
    expect(await scenario.addon('canal')).toMatchObject({ state: 'NotManaged' });
  });
});

describe('a cluster that was managed by an earlier release in the meantime', () => {
  test('keeps Canal, which Fairway continues to install', async () => {
    await using scenario = await AddonScenario.begin(CANAL);
    await scenario.work();
    const daemonSets = scenario.tenant.resource(DaemonSets);
    const { uid } = (await daemonSets.get('canal', KUBE_SYSTEM)).metadata;
    await scenario.fairway.stopProcess();
    await clearInstaller(scenario);
    scenario.forgetRequests();

    await scenario.fairway.startProcess();
    await scenario.clock.pass(6 * MINUTE_MS);
    await daemonSets.delete('canal', KUBE_SYSTEM);
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(scenario.writes().filter((write) => write.startsWith('DELETE'))).toEqual([]);
    expect(await canalExists(scenario.tenant)).toBe(true);
    expect((await daemonSets.get('canal', KUBE_SYSTEM)).metadata.uid).not.toBe(uid);
    expect((await scenario.cluster()).status).toMatchObject({ cni: 'canal', cniInstaller: 'Fairway' });
    expect(await scenario.addon('canal')).toBeDefined();
  });

  test('keeps the network that its tenant installed instead', async () => {
    await using scenario = await AddonScenario.begin(CANAL);
    await scenario.fairway.stopProcess();
    await clearInstaller(scenario);
    await scenario.tenant.resource(DaemonSets).delete('canal', KUBE_SYSTEM);

    await scenario.fairway.startProcess();
    await scenario.clock.pass(2 * HOUR_MS);

    const { items } = await scenario.tenant.resource(CustomResourceDefinitions).list();
    expect(await canalExists(scenario.tenant)).toBe(false);
    expect((await scenario.cluster()).status).toMatchObject({ cniInstaller: 'Tenant' });
    expect(items.map(({ spec }) => spec.names.kind)).toContain('NetworkPolicy');
  });
});
