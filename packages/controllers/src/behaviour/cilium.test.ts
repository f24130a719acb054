import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, DaemonSets, Deployments } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonScenario } from '../testing/addon-scenario.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };
const STATUS = { namespace: TEAM, subresource: 'status' };
const CILIUM = { plan: 'standard', cni: {} };

const daemonSetsOf = async (tenant: KubeClient) =>
  (await tenant.resource(DaemonSets).list(KUBE_SYSTEM)).items.map(({ metadata }) => metadata.name);

function createNetwork(name: string, image: string): DaemonSet {
  const labels = { app: 'network' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } };
  return { metadata: { name, ...KUBE_SYSTEM }, spec: { selector: { matchLabels: labels }, template } };
}

/** Rewrites the status as another release would write it. */
async function rewriteStatus(scenario: AddonScenario, status: object): Promise<void> {
  await scenario.fairway.client.resource(clusters).patch('demo', { type: 'merge', value: { status } }, STATUS);
}

describe('a new cluster with Cilium', () => {
  test('installs it first, with its route to the API server, and no other implementation of Services', async () => {
    await using scenario = await AddonScenario.begin(CILIUM);
    await scenario.work();

    const { status } = await scenario.cluster();
    const { data } = await scenario.tenant.resource(ConfigMaps).get('cilium-config', KUBE_SYSTEM);
    const { spec } = await scenario.tenant.resource(DaemonSets).get('cilium', KUBE_SYSTEM);
    expect(status).toMatchObject({ cni: 'cilium', cniInstaller: 'Fairway', kubeProxyMode: 'none' });
    expect(data).toMatchObject({ 'kube-proxy-replacement': 'true', ipam: 'kubernetes', 'enable-hubble': 'false' });
    expect(spec.template.spec?.containers[0]?.env).toContainEqual({
      name: 'KUBERNETES_SERVICE_HOST',
      value: new URL(status?.url ?? '').hostname,
    });
    expect(await daemonSetsOf(scenario.tenant)).toEqual(['cilium', 'csi-cinder-nodeplugin']);
    expect(await scenario.addons()).toMatchObject([
      { name: 'cilium', version: '1.20.2', state: 'Ready' },
      { name: 'coredns', state: 'Ready' },
      { name: 'metrics-server', state: 'Ready' },
      { name: 'cinder-csi', state: 'Ready' },
      { name: 'volume-snapshots', state: 'Ready' },
    ]);
  });

  test('reports Cilium as Degraded while its operator is unavailable', async () => {
    await using scenario = await AddonScenario.begin(CILIUM);
    await scenario.work();
    const operators = scenario.tenant.resource(Deployments);
    const { generation } = (await operators.get('cilium-operator', KUBE_SYSTEM)).metadata;
    const conditions = [{ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: '' }];
    const value = { status: { observedGeneration: generation, updatedReplicas: 1, conditions } };
    await operators.patch('cilium-operator', { type: 'merge', value }, { ...KUBE_SYSTEM, subresource: 'status' });
    await scenario.clock.pass(3 * MINUTE_MS);

    expect(await scenario.addon('cilium')).toMatchObject({
      state: 'Degraded',
      message:
        'Deployment kube-system/cilium-operator is not ready on every node that should run it; to see why: kubectl -n kube-system describe pods -l name=cilium-operator',
    });
  });

  test('recreates deleted objects within a minute', async () => {
    await using scenario = await AddonScenario.begin(CILIUM);
    await scenario.work();

    await scenario.tenant.resource(Deployments).delete('cilium-operator', KUBE_SYSTEM);
    await scenario.tenant.resource(ConfigMaps).delete('cilium-config', KUBE_SYSTEM);
    await scenario.clock.pass(2 * MINUTE_MS);

    const { data } = await scenario.tenant.resource(ConfigMaps).get('cilium-config', KUBE_SYSTEM);
    const { items } = await scenario.tenant.resource(Deployments).list(KUBE_SYSTEM);
    expect(data).toMatchObject({ ipam: 'kubernetes' });
    expect(items.map(({ metadata }) => metadata.name)).toContain('cilium-operator');
  });

  test('follows its control plane, and the operator’s catalogue for that version', async () => {
    await using scenario = await AddonScenario.begin({ ...CILIUM, version: '1.34' });
    const components = { containerd: '2.2.7', pause: '3.10.1', cilium: '1.21.0' };
    await scenario.offer(aRelease('1.35', { components }));
    await scenario.work();
    const before = await scenario.addon('cilium');

    await scenario.patch({ spec: { version: '1.35' } });
    await scenario.clock.pass(10 * MINUTE_MS);

    const { spec } = await scenario.tenant.resource(DaemonSets).get('cilium', KUBE_SYSTEM);
    expect(before).toMatchObject({ version: '1.20.2', state: 'Ready' });
    expect(await scenario.addon('cilium')).toMatchObject({ version: '1.21.0', reason: 'Provisioning' });
    expect(spec.template.spec?.containers.map(({ image }) => image)).toEqual(['quay.io/cilium/cilium:v1.21.0']);
    expect(spec.updateStrategy?.rollingUpdate?.maxUnavailable).toBe('10%');
  });

  test('keeps the owner’s settings', async () => {
    await using scenario = await AddonScenario.begin(CILIUM);
    await scenario.work();
    const configs = scenario.tenant.resource(ConfigMaps);
    const value = { data: { 'enable-hubble': 'true' } };

    await configs.patch('cilium-config', { type: 'merge', value }, { ...KUBE_SYSTEM, fieldManager: 'kubectl-edit' });
    await scenario.clock.pass(2 * HOUR_MS);

    expect((await configs.get('cilium-config', KUBE_SYSTEM)).data?.['enable-hubble']).toBe('true');
    expect(await scenario.addon('cilium')).toMatchObject({
      state: 'Modified',
      message: expect.stringContaining('.data.enable-hubble of ConfigMap kube-system/cilium-config (by kubectl-edit)'),
    });
  });
});

describe('a cluster with a pod network', () => {
  test.each([
    { status: { cniInstaller: 'Tenant' }, reason: 'the previous release recorded it' },
    { status: { cniInstaller: null }, reason: 'releases before that did not record it' },
  ])('keeps its own network if its release installed no Cilium: $reason', async ({ status }) => {
    await using scenario = await AddonScenario.begin({ plan: 'standard', cni: { type: 'none' } });
    await scenario.work();
    await scenario.fairway.stopProcess();
    await rewriteStatus(scenario, { cni: 'cilium', ...status });

    await scenario.fairway.startProcess();
    await scenario.clock.pass(3 * HOUR_MS);

    expect((await scenario.cluster()).status).toMatchObject({ cni: 'cilium', cniInstaller: 'Tenant' });
    expect(await daemonSetsOf(scenario.tenant)).toEqual(['csi-cinder-nodeplugin']);
    expect(await scenario.addon('cilium')).toBeUndefined();
  });

  test('has Cilium installed after a reset', async () => {
    const clock = new SteppingClock();
    await using fairway = await TestFairway.start({ clock, random: () => 0.5 });
    const before = await clock.during(fairway.readyCluster({ replicas: 1 }, CILIUM));
    await fairway.stopProcess();
    await fairway.runtime.client(identityOf(before)).resource(DaemonSets).delete('cilium', KUBE_SYSTEM);
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
    expect(await daemonSetsOf(fairway.runtime.client(identityOf(cluster)))).toEqual([
      'cilium',
      'csi-cinder-nodeplugin',
    ]);
  });

  test.each([
    { name: 'cilium', image: 'quay.io/cilium/cilium:v1.17.3', of: 'the same' },
    { name: 'canal', image: 'quay.io/calico/node:v3.31.7', of: 'another' },
  ])('keeps its own network of $of kind', async ({ name, image }) => {
    await using scenario = await AddonScenario.begin(CILIUM, {
      before: (tenant) => tenant.resource(DaemonSets).create(createNetwork(name, image)),
    });
    await scenario.clock.pass(2 * HOUR_MS);

    const { spec } = await scenario.tenant.resource(DaemonSets).get(name, KUBE_SYSTEM);
    expect(spec.template.spec?.containers[0]?.image).toBe(image);
    expect(await daemonSetsOf(scenario.tenant)).toEqual([name, 'csi-cinder-nodeplugin']);
    expect(
      (await scenario.tenant.resource(Deployments).list(KUBE_SYSTEM)).items.map(({ metadata }) => metadata.name),
    ).toEqual(['coredns', 'metrics-server']);
    expect(await scenario.addon('cilium')).toMatchObject({
      state: 'NotManaged',
      message: expect.stringContaining(`the cluster has its own DaemonSet kube-system/${name}`),
    });
  });
});

test('a cluster’s own Cilium with the same names is not adopted when a user requests add-ons', async () => {
  const labels = { 'k8s-app': 'cilium' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'cilium-agent', image: 'quay.io/cilium/cilium:v1.17.3' }] },
  };
  await using scenario = await AddonScenario.begin(CILIUM, {
    before: async (tenant) => {
      const metadata = { name: 'cilium', ...KUBE_SYSTEM };
      await tenant.resource(DaemonSets).create({ metadata, spec: { selector: { matchLabels: labels }, template } });
      const config = { metadata: { name: 'cilium-config', ...KUBE_SYSTEM }, data: { ipam: 'cluster-pool' } };
      await tenant.resource(ConfigMaps).create(config);
    },
  });
  const found = await scenario.addon('cilium');

  await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
  await scenario.clock.pass(2 * HOUR_MS);

  const { data } = await scenario.tenant.resource(ConfigMaps).get('cilium-config', KUBE_SYSTEM);
  const { spec } = await scenario.tenant.resource(DaemonSets).get('cilium', KUBE_SYSTEM);
  expect(data).toEqual({ ipam: 'cluster-pool' });
  expect(spec.template.spec?.containers[0]?.image).toBe('quay.io/cilium/cilium:v1.17.3');
  expect(await scenario.addon('cilium')).toEqual(found);
  expect(found).toMatchObject({ state: 'NotManaged' });
});

test('a release without installers does not change Fairway’s Cilium, and neither does the next one', async () => {
  await using scenario = await AddonScenario.begin(CILIUM);
  await scenario.work();
  await scenario.fairway.stopProcess();
  await rewriteStatus(scenario, { cniInstaller: null });
  scenario.forgetRequests();

  await scenario.fairway.startProcess();
  await scenario.clock.pass(6 * MINUTE_MS);
  await scenario.tenant.resource(DaemonSets).delete('cilium', KUBE_SYSTEM);
  await scenario.clock.pass(2 * MINUTE_MS);

  expect(scenario.writes().filter((write) => write.startsWith('DELETE'))).toEqual([]);
  expect(await daemonSetsOf(scenario.tenant)).toEqual(['cilium', 'csi-cinder-nodeplugin']);
  expect((await scenario.cluster()).status).toMatchObject({ cni: 'cilium', cniInstaller: 'Fairway' });
});
