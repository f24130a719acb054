import { volumeSnapshots } from '@fairway/addons/volume-snapshots/objects';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ConfigMaps, DaemonSets, Deployments, PodDisruptionBudgets } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonStory } from '../testing/addon-story.ts';
import { TEAM } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };

describe("a tenant's own changes", () => {
  const edit = { fieldManager: 'kubectl-edit', namespace: 'kube-system' };
  const corefile = { type: 'merge' as const, value: { data: { Corefile: '.:53 {\n  errors\n}\n' } } };

  test('to its own settings are reported, not reverted, and replaced once on request', async () => {
    await using story = await AddonStory.begin();
    await story.work();

    await story.tenant.resource(ConfigMaps).patch('coredns', corefile, edit);
    await story.clock.pass(3 * HOUR_MS);
    const modified = await story.addon('coredns');
    const { message } = story.conditionOf(await story.cluster()) ?? {};
    const kept = await story.tenant.resource(ConfigMaps).get('coredns', KUBE_SYSTEM);
    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * MINUTE_MS);
    const back = await story.tenant.resource(ConfigMaps).get('coredns', KUBE_SYSTEM);
    const ready = await story.addon('coredns');
    await story.tenant.resource(ConfigMaps).patch('coredns', corefile, edit);
    await story.clock.pass(3 * HOUR_MS);

    expect(modified).toMatchObject({
      state: 'Modified',
      reason: 'AddonModified',
      message:
        "modified by others: .data.Corefile of ConfigMap kube-system/coredns (by kubectl-edit); Fairway does not revert this; a new value of the Cluster's annotation fairway.dev/adopt-addons, such as the current time, makes it do so",
    });
    expect(message).toBe(`coredns: ${modified?.message}`);
    expect(kept.data).toEqual(corefile.value.data);
    expect(back.data?.['Corefile']).toContain('kubernetes cluster.local');
    expect(ready?.state).toBe('Ready');
    expect(await story.addon('coredns')).toMatchObject({ state: 'Modified' });
  });

  test('do not block the rest of the object', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    const deployments = story.tenant.resource(Deployments);

    await deployments.patch('coredns', { type: 'merge', value: { spec: { replicas: 5 } } }, edit);
    await story.work();
    await story.offer(aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', coredns: '1.13.9' } }));
    await story.clock.pass(61 * MINUTE_MS);
    await story.work();

    const { spec } = await deployments.get('coredns', KUBE_SYSTEM);
    expect(spec.replicas).toBe(5);
    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/coredns/coredns:v1.13.9');
    expect(await story.addon('coredns')).toMatchObject({ version: '1.13.9', state: 'Modified' });
  });

  test('do not keep a version that the release pins from an existing cluster', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    const deployments = story.tenant.resource(Deployments);

    await story.offer(
      aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', coredns: '1.13.9', 'core-dns': '1' } }),
    );
    await story.clock.pass(MINUTE_MS);

    const { spec } = await deployments.get('coredns', KUBE_SYSTEM);
    const { status } = await story.fairway.client.resource(kubernetesReleases).get('1.35');
    expect(spec.template.spec?.containers[0]?.image).toBe('registry.k8s.io/coredns/coredns:v1.13.9');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'FieldsApplied',
        status: 'False',
        reason: 'NotImplemented',
        message: expect.stringContaining('spec.components.core-dns (1): Fairway has no component of this name'),
      }),
    );

    await story.offer(aRelease('1.35', { components: { containerd: '2.2.7', pause: '3.10.1', coredns: '1.13.9' } }));
    await story.fairway.patch(kubernetesReleases, '1.35', { spec: { components: { 'core-dns': null } } });
    await story.clock.pass(MINUTE_MS);
    const mended = await story.fairway.client.resource(kubernetesReleases).get('1.35');
    expect(mended.status?.conditions?.some(({ type }) => type === 'FieldsApplied')).toBe(false);
  });

  test('cost no more than an unchanged add-on', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    await story.tenant.resource(ConfigMaps).patch('coredns', corefile, edit);
    await story.clock.pass(5 * MINUTE_MS);
    const { resourceVersion } = (await story.cluster()).metadata;
    story.forgetRequests();

    await story.clock.pass(3 * HOUR_MS);

    // An hour of refused applies and everything else: neither changes anything.
    expect(story.writes().length).toBeLessThanOrEqual(2 * 4);
    expect((await story.cluster()).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('to other fields are ignored', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    const env = [{ name: 'GOGC', value: '50' }];
    const value = { spec: { template: { spec: { containers: [{ name: 'coredns', env }] } } } };

    await story.tenant.resource(Deployments).patch('coredns', { type: 'strategic', value }, edit);
    await story.work();
    await story.clock.pass(2 * HOUR_MS);

    const { spec } = await story.tenant.resource(Deployments).get('coredns', KUBE_SYSTEM);
    expect(spec.template.spec?.containers[0]?.env).toEqual(env);
    expect(await story.addon('coredns')).toMatchObject({ state: 'Ready' });
  });
});

describe('a cluster that has add-ons of its own', () => {
  const config = { metadata: { name: 'kube-proxy', namespace: 'kube-system' }, data: { 'config.conf': 'mode: ipvs' } };

  test('keeps them, even after their deletion, until a person asks for Fairway’s', async () => {
    await using story = await AddonStory.begin({}, { before: (tenant) => tenant.resource(ConfigMaps).create(config) });
    const configs = story.tenant.resource(ConfigMaps);

    const found = await story.addons();
    await configs.delete('kube-proxy', KUBE_SYSTEM);
    await story.clock.pass(2 * HOUR_MS);
    const later = await story.addon('kube-proxy');
    await configs.create(config);
    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * MINUTE_MS);
    await story.work();

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
    expect(await story.addon('kube-proxy')).toMatchObject({ state: 'Ready', version: '1.34.2' });
  });

  test('keeps all of its own kinds of snapshots, and gets Fairway’s on request', async () => {
    const wanted = volumeSnapshots().objects.find(({ name }) => name.startsWith('volumesnapshotclasses.'));
    const own = wanted && { type: wanted.type, object: { ...wanted.object, metadata: { name: wanted.name } } };
    const before = async (tenant: KubeClient) => own && tenant.resource(own.type).create(own.object);
    await using story = await AddonStory.begin({}, { before });
    const definitions = async () =>
      (await story.tenant.resource(CustomResourceDefinitions).list()).items.map(({ metadata }) => metadata.name);

    const found = [await story.addon('volume-snapshots'), await definitions()];
    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * MINUTE_MS);

    expect(found).toMatchObject([
      {
        state: 'NotManaged',
        message: expect.stringContaining(
          'the cluster has its own CustomResourceDefinition volumesnapshotclasses.snapshot.storage.k8s.io',
        ),
      },
      ['volumesnapshotclasses.snapshot.storage.k8s.io'],
    ]);
    expect(await story.addon('volume-snapshots')).toMatchObject({ state: 'Ready' });
    expect(await definitions()).toHaveLength(3);
  });

  test('keeps a kube-proxy with another name, and gets Fairway’s on request', async () => {
    const labels = { app: 'proxy' };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'main', image: 'a.example/kube-proxy:v1' }] },
    };
    const spec = { selector: { matchLabels: labels }, template };
    const own = { metadata: { name: 'proxy', namespace: 'kube-system' }, spec };
    await using story = await AddonStory.begin({}, { before: (tenant) => tenant.resource(DaemonSets).create(own) });

    const found = await story.addons();
    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * MINUTE_MS);
    await story.work();

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
    expect(await story.addon('kube-proxy')).toMatchObject({ state: 'Ready' });
  });

  test('may have Cilium instead of Fairway’s kube-proxy, which is not recreated after its deletion', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    const data = { 'kube-proxy-replacement': 'true' };

    await story.tenant.resource(ConfigMaps).create({ metadata: { name: 'cilium-config', ...KUBE_SYSTEM }, data });
    await story.clock.pass(2 * HOUR_MS);
    const before = await story.addon('kube-proxy');
    await story.tenant.resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM);
    await story.clock.pass(2 * HOUR_MS);
    await story.restart();

    expect(before).toMatchObject({ state: 'Ready' });
    expect(await story.addon('kube-proxy')).toMatchObject({ state: 'NotManaged' });
    await expect(story.tenant.resource(DaemonSets).get('kube-proxy', KUBE_SYSTEM)).rejects.toMatchObject({ code: 404 });
  });

  test('has them taken over once, even by a process that dies before it records it', async () => {
    await using story = await AddonStory.begin({}, { before: (tenant) => tenant.resource(ConfigMaps).create(config) });
    const before = await story.cluster();
    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * MINUTE_MS);
    await story.work();

    await story.fairway.stopProcess();
    const value = { status: { addons: before.status?.addons } };
    const status = { namespace: TEAM, subresource: 'status' };
    await story.fairway.client.resource(clusters).patch('demo', { type: 'merge', value }, status);
    await story.fairway.startProcess();
    await story.clock.pass(6 * MINUTE_MS);

    expect(before.status?.addons?.[0]).toMatchObject({ name: 'kube-proxy', state: 'NotManaged' });
    expect(await story.addon('kube-proxy')).toMatchObject({ state: 'Ready', version: '1.34.2' });
  });

  test('has all of one taken over, or nothing if the cluster refuses a part', async () => {
    const own = { metadata: { name: 'coredns', namespace: 'kube-system' }, data: { Corefile: '.:53 { errors }' } };
    await using story = await AddonStory.begin({}, { before: (tenant) => tenant.resource(ConfigMaps).create(own) });
    const configs = story.tenant.resource(ConfigMaps);
    story.fault = ({ method, path }) =>
      method === 'PATCH' && path.includes('deployments/coredns') ? { kind: 'answer', status: 403 } : undefined;

    await story.annotate({ 'fairway.dev/adopt-addons': 'now' });
    await story.clock.pass(2 * HOUR_MS);
    const refused = await story.addon('coredns');
    const kept = await configs.get('coredns', KUBE_SYSTEM);
    story.fault = undefined;
    await story.clock.pass(16 * MINUTE_MS);
    await story.work();

    expect(refused).toMatchObject({ state: 'Failed', reason: 'AddonRefused' });
    expect(kept.data).toEqual(own.data);
    expect((await configs.get('coredns', KUBE_SYSTEM)).data?.['Corefile']).toContain('kubernetes cluster.local');
    expect(await story.addon('coredns')).toMatchObject({ state: 'Ready' });
  });
});

describe('what is no longer wanted', () => {
  test('is deleted: the budget of CoreDNS with the second node', async () => {
    await using story = await AddonStory.begin();
    const budgets = async () => (await story.tenant.resource(PodDisruptionBudgets).list()).items.length;

    const one = await budgets();
    await story.resize(2);
    const two = await budgets();
    await story.resize(1);

    expect([one, two, await budgets()]).toEqual([0, 1, 0]);
    expect(await story.recordedKinds()).not.toContain('PodDisruptionBudget');
  });

  test('is kept if it is not Fairway’s, whatever its labels say', async () => {
    await using story = await AddonStory.begin();
    const { metadata } = await story.tenant.resource(ConfigMaps).get('coredns', KUBE_SYSTEM);
    const { labels = {} } = metadata;
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'mine' } } };
    const budgets = story.tenant.resource(PodDisruptionBudgets);

    await budgets.create({ metadata: { name: 'coredns', namespace: 'kube-system', labels }, spec });
    await story.tenant.resource(ConfigMaps).create({ metadata: { name: 'mine', namespace: 'kube-system', labels } });
    await story.annotate({ 'fairway.dev/retry-requested': 'now' });
    await story.clock.pass(2 * HOUR_MS);

    await expect(budgets.get('coredns', KUBE_SYSTEM)).resolves.toBeDefined();
    await expect(story.tenant.resource(ConfigMaps).get('mine', KUBE_SYSTEM)).resolves.toBeDefined();
  });
});
