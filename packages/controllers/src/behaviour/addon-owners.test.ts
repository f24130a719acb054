import { volumeSnapshots } from '@fairway/addons/volume-snapshots/objects';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ConfigMaps, DaemonSets, Deployments, PodDisruptionBudgets } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonScenario } from '../testing/addon-scenario.ts';
import { TEAM } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };

describe("a tenant's own changes", () => {
  const edit = { fieldManager: 'kubectl-edit', namespace: 'kube-system' };
  const corefile = { type: 'merge' as const, value: { data: { Corefile: '.:53 {\n  errors\n}\n' } } };

  test('to an add-on’s settings are reported, not reverted, and overwritten once on request', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();

    await scenario.tenant.resource(ConfigMaps).patch('coredns', corefile, edit);
    await scenario.clock.pass(3 * HOUR_MS);
    const modified = await scenario.addon('coredns');
    const { message } = scenario.conditionOf(await scenario.cluster()) ?? {};
    const kept = await scenario.tenant.resource(ConfigMaps).get('coredns', KUBE_SYSTEM);
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * MINUTE_MS);
    const restored = await scenario.tenant.resource(ConfigMaps).get('coredns', KUBE_SYSTEM);
    const ready = await scenario.addon('coredns');
    await scenario.tenant.resource(ConfigMaps).patch('coredns', corefile, edit);
    await scenario.clock.pass(3 * HOUR_MS);

    expect(modified).toMatchObject({
      state: 'Modified',
      reason: 'AddonModified',
      message:
        "modified by others: .data.Corefile of ConfigMap kube-system/coredns (by kubectl-edit); Fairway does not revert this; a new value of the Cluster's annotation fairway.dev/adopt-addons, such as the current time, makes it do so",
    });
    expect(message).toBe(`coredns: ${modified?.message}`);
    expect(kept.data).toEqual(corefile.value.data);
    expect(restored.data?.['Corefile']).toContain('kubernetes cluster.local');
    expect(ready?.state).toBe('Ready');
    expect(await scenario.addon('coredns')).toMatchObject({ state: 'Modified' });
  });

  test('do not block the rest of the object', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    const deployments = scenario.tenant.resource(Deployments);

    await deployments.patch('coredns', { type: 'merge', value: { spec: { replicas: 5 } } }, edit);
    await scenario.work();
    await scenario.offer(aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', coredns: '1.13.9' } }));
    await scenario.clock.pass(61 * MINUTE_MS);
    await scenario.work();

    const { spec } = await deployments.get('coredns', KUBE_SYSTEM);
    expect(spec.replicas).toBe(5);
    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/coredns/coredns:v1.13.9');
    expect(await scenario.addon('coredns')).toMatchObject({ version: '1.13.9', state: 'Modified' });
  });

  test('do not override a version that the release pins for existing clusters', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    const deployments = scenario.tenant.resource(Deployments);

    await scenario.offer(
      aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', coredns: '1.13.9', 'core-dns': '1' } }),
    );
    await scenario.clock.pass(MINUTE_MS);

    const { spec } = await deployments.get('coredns', KUBE_SYSTEM);
    const { status } = await scenario.fairway.client.resource(kubernetesReleases).get('1.35');
    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/coredns/coredns:v1.13.9');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'FieldsApplied',
        status: 'False',
        reason: 'NotImplemented',
        message: expect.stringContaining('spec.components.core-dns (1): Fairway has no component of this name'),
      }),
    );

    await scenario.offer(aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', coredns: '1.13.9' } }));
    await scenario.fairway.patch(kubernetesReleases, '1.35', { spec: { components: { 'core-dns': null } } });
    await scenario.clock.pass(MINUTE_MS);
    const repairedRelease = await scenario.fairway.client.resource(kubernetesReleases).get('1.35');
    expect(repairedRelease.status?.conditions?.some(({ type }) => type === 'FieldsApplied')).toBe(false);
  });

  test('cost no more than an unchanged add-on', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    await scenario.tenant.resource(ConfigMaps).patch('coredns', corefile, edit);
    await scenario.clock.pass(5 * MINUTE_MS);
    const { resourceVersion } = (await scenario.cluster()).metadata;
    scenario.forgetRequests();

    await scenario.clock.pass(3 * HOUR_MS);

    // For an hour of refused applies, while the other add-ons are also checked, nothing changes.
    expect(scenario.writes().length).toBeLessThanOrEqual(2 * 4);
    expect((await scenario.cluster()).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('to fields that Fairway does not set are ignored', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    const env = [{ name: 'GOGC', value: '50' }];
    const value = { spec: { template: { spec: { containers: [{ name: 'coredns', env }] } } } };

    await scenario.tenant.resource(Deployments).patch('coredns', { type: 'strategic', value }, edit);
    await scenario.work();
    await scenario.clock.pass(2 * HOUR_MS);

    const { spec } = await scenario.tenant.resource(Deployments).get('coredns', KUBE_SYSTEM);
    expect(spec.template.spec?.containers[0]?.env).toEqual(env);
    expect(await scenario.addon('coredns')).toMatchObject({ state: 'Ready' });
  });
});

describe('a cluster with its own add-ons', () => {
  const config = { metadata: { name: 'kube-proxy', namespace: 'kube-system' }, data: { 'config.conf': 'mode: ipvs' } };

  test('keeps its add-ons; Fairway’s are installed only on request, even if the cluster’s own were deleted', async () => {
    await using scenario = await AddonScenario.begin(
      {},
      { before: (tenant) => tenant.resource(ConfigMaps).create(config) },
    );
    const configs = scenario.tenant.resource(ConfigMaps);

    const found = await scenario.addons();
    await configs.delete('kube-proxy', KUBE_SYSTEM);
    await scenario.clock.pass(2 * HOUR_MS);
    const later = await scenario.addon('kube-proxy');
    await configs.create(config);
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * MINUTE_MS);
    await scenario.work();

    expect(found.map(({ name, state }) => [name, state])).toEqual([
      ['kube-proxy', 'NotManaged'],
      ['coredns', 'Progressing'],
      ['metrics-server', 'Progressing'],
      ['cinder-csi', 'Progressing'],
      ['volume-snapshots', 'Ready'],
    ]);
    expect(later).toMatchObject({
      state: 'NotManaged',
      message:
        "the cluster has its own ConfigMap kube-system/kube-proxy, which Fairway does not manage; a new value of the Cluster's annotation fairway.dev/adopt-addons, such as the current time, makes Fairway take it over",
    });
    expect((await configs.get('kube-proxy', KUBE_SYSTEM)).data?.['config.conf']).toContain('mode: iptables');
    expect(await scenario.addon('kube-proxy')).toMatchObject({ state: 'Ready', version: '1.34.2' });
  });

  test('keeps all of its own snapshot CRDs until a user requests Fairway’s', async () => {
    const snapshotClass = volumeSnapshots().objects.find(({ name }) => name.startsWith('volumesnapshotclasses.'));
    const own = snapshotClass && {
      type: snapshotClass.type,
      object: { ...snapshotClass.object, metadata: { name: snapshotClass.name } },
    };
    const before = async (tenant: KubeClient) => own && tenant.resource(own.type).create(own.object);
    await using scenario = await AddonScenario.begin({}, { before });
    const definitions = async () =>
      (await scenario.tenant.resource(CustomResourceDefinitions).list()).items.map(({ metadata }) => metadata.name);

    const found = [await scenario.addon('volume-snapshots'), await definitions()];
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(found).toMatchObject([
      {
        state: 'NotManaged',
        message: expect.stringContaining(
          'the cluster has its own CustomResourceDefinition volumesnapshotclasses.snapshot.storage.k8s.io',
        ),
      },
      ['volumesnapshotclasses.snapshot.storage.k8s.io'],
    ]);
    expect(await scenario.addon('volume-snapshots')).toMatchObject({ state: 'Ready' });
    expect(await definitions()).toHaveLength(3);
  });

  test('keeps a kube-proxy with a different name until a user requests Fairway’s', async () => {
    const labels = { app: 'proxy' };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'a.example/kube-proxy:v1' }] },
    };
    const spec = { selector: { matchLabels: labels }, template };
    const own = { metadata: { name: 'proxy', namespace: 'kube-system' }, spec };
    await using scenario = await AddonScenario.begin(
      {},
      { before: (tenant) => tenant.resource(DaemonSets).create(own) },
    );

    const found = await scenario.addons();
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * MINUTE_MS);
    await scenario.work();

    expect(found).toMatchObject([
      {
        name: 'kube-proxy',
        state: 'NotManaged',
        message: expect.stringContaining('the cluster has its own DaemonSet kube-system/proxy'),
      },
      { name: 'coredns', state: 'Progressing' },
      { name: 'metrics-server', state: 'Progressing' },
      { name: 'cinder-csi', state: 'Progressing' },
      { name: 'volume-snapshots', state: 'Ready' },
    ]);
    expect(await scenario.addon('kube-proxy')).toMatchObject({ state: 'Ready' });
  });

  test('may have Cilium instead of Fairway’s kube-proxy, which is not recreated once deleted', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    const data = { 'kube-proxy-replacement': 'true' };

    await scenario.tenant.resource(ConfigMaps).create({ metadata: { name: 'cilium-config', ...KUBE_SYSTEM }, data });
    await scenario.clock.pass(2 * HOUR_MS);
    const before = await scenario.addon('kube-proxy');
    await scenario.tenant.resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM);
    await scenario.clock.pass(2 * HOUR_MS);
    await scenario.restart();

    expect(before).toMatchObject({ state: 'Ready' });
    expect(await scenario.addon('kube-proxy')).toMatchObject({ state: 'NotManaged' });
    await expect(scenario.tenant.resource(DaemonSets).get('kube-proxy', KUBE_SYSTEM)).rejects.toMatchObject({
      code: 404,
    });
  });

  test('has its add-ons adopted once, even if the process is killed before it records the adoption', async () => {
    await using scenario = await AddonScenario.begin(
      {},
      { before: (tenant) => tenant.resource(ConfigMaps).create(config) },
    );
    const before = await scenario.cluster();
    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * MINUTE_MS);
    await scenario.work();

    await scenario.fairway.stopProcess();
    const value = { status: { addons: before.status?.addons } };
    const status = { namespace: TEAM, subresource: 'status' };
    await scenario.fairway.client.resource(clusters).patch('demo', { type: 'merge', value }, status);
    await scenario.fairway.startProcess();
    await scenario.clock.pass(6 * MINUTE_MS);

    expect(before.status?.addons?.[0]).toMatchObject({ name: 'kube-proxy', state: 'NotManaged' });
    expect(await scenario.addon('kube-proxy')).toMatchObject({ state: 'Ready', version: '1.34.2' });
  });

  test('has all objects of an add-on adopted, or none if it refuses one', async () => {
    const own = { metadata: { name: 'coredns', namespace: 'kube-system' }, data: { Corefile: '.:53 { errors }' } };
    await using scenario = await AddonScenario.begin(
      {},
      { before: (tenant) => tenant.resource(ConfigMaps).create(own) },
    );
    const configs = scenario.tenant.resource(ConfigMaps);
    scenario.fault = ({ method, path }) =>
      method === 'PATCH' && path.includes('deployments/coredns') ? { kind: 'answer', status: 403 } : undefined;

    await scenario.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await scenario.clock.pass(2 * HOUR_MS);
    const refused = await scenario.addon('coredns');
    const kept = await configs.get('coredns', KUBE_SYSTEM);
    scenario.fault = undefined;
    await scenario.clock.pass(16 * MINUTE_MS);
    await scenario.work();

    expect(refused).toMatchObject({ state: 'Failed', reason: 'AddonRefused' });
    expect(kept.data).toEqual(own.data);
    expect((await configs.get('coredns', KUBE_SYSTEM)).data?.['Corefile']).toContain('kubernetes cluster.local');
    expect(await scenario.addon('coredns')).toMatchObject({ state: 'Ready' });
  });
});

describe('an object that is no longer desired', () => {
  test('is deleted: CoreDNS’s PodDisruptionBudget, once there is only one node', async () => {
    await using scenario = await AddonScenario.begin();
    const budgets = async () => (await scenario.tenant.resource(PodDisruptionBudgets).list()).items.length;

    const one = await budgets();
    await scenario.resize(2);
    const two = await budgets();
    await scenario.resize(1);

    expect([one, two, await budgets()]).toEqual([0, 1, 0]);
    expect(await scenario.recordedKinds()).not.toContain('PodDisruptionBudget');
  });

  test('is kept if it is not Fairway’s, regardless of its labels', async () => {
    await using scenario = await AddonScenario.begin();
    const { metadata } = await scenario.tenant.resource(ConfigMaps).get('coredns', KUBE_SYSTEM);
    const { labels = {} } = metadata;
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'mine' } } };
    const budgets = scenario.tenant.resource(PodDisruptionBudgets);

    await budgets.create({ metadata: { name: 'coredns', namespace: 'kube-system', labels }, spec });
    await scenario.tenant.resource(ConfigMaps).create({ metadata: { name: 'mine', namespace: 'kube-system', labels } });
    await scenario.annotate({ 'fairway.dev/retry-requested': 'now' });
    await scenario.clock.pass(2 * HOUR_MS);

    await expect(budgets.get('coredns', KUBE_SYSTEM)).resolves.toBeDefined();
    await expect(scenario.tenant.resource(ConfigMaps).get('mine', KUBE_SYSTEM)).resolves.toBeDefined();
  });
});
