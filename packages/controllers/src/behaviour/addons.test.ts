import type { NewCluster } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import {
  ClusterRoleBindings,
  ConfigMaps,
  DaemonSets,
  Deployments,
  PodDisruptionBudgets,
  Services,
} from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { AddonStory } from '../testing/addon-story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };

describe('a new cluster', () => {
  test('gets kube-proxy, CoreDNS, metrics-server and volumes, with a Ready condition of their own', async () => {
    await using story = await AddonStory.begin();

    const before = await story.cluster();
    await story.work();

    expect(before.status?.phase).toBe('Ready');
    expect(story.conditionOf(before)).toMatchObject({ status: 'False', reason: 'Provisioning' });
    expect(await story.addons()).toEqual([
      { name: 'kube-proxy', version: '1.34.2', state: 'Ready', reason: 'AsExpected' },
      { name: 'coredns', version: '1.13.1', state: 'Ready', reason: 'AsExpected' },
      { name: 'metrics-server', version: '0.9.0', state: 'Ready', reason: 'AsExpected' },
      { name: 'cinder-csi', version: '1.35.0', state: 'Ready', reason: 'AsExpected' },
      { name: 'volume-snapshots', version: '1', state: 'Ready', reason: 'AsExpected' },
    ]);
    expect(story.conditionOf(await story.cluster())).toMatchObject({ status: 'True', message: '' });
    const { spec } = await story.tenant.resource(Services).get('kube-dns', KUBE_SYSTEM);
    expect(spec.clusterIP).toBe('10.3.0.10');
  });

  test('without kube-proxy has only the others', async () => {
    await using story = await AddonStory.begin({ plan: 'standard' });

    expect((await story.addons()).map(({ name }) => name)).toEqual([
      'coredns',
      'metrics-server',
      'cinder-csi',
      'volume-snapshots',
    ]);
    expect(await daemonSetsOf(story)).toEqual(['csi-cinder-nodeplugin']);
  });

  test.each([
    { field: 'mode', kubeProxy: { mode: 'nftables' }, shows: 'mode: nftables' },
    { field: 'iptables.minSyncPeriod', kubeProxy: { iptables: { minSyncPeriod: '2s' } }, shows: 'minSyncPeriod: 2s' },
    { field: 'iptables.syncPeriod', kubeProxy: { iptables: { syncPeriod: '31s' } }, shows: ' syncPeriod: 31s' },
    {
      field: 'ipvs.minSyncPeriod',
      kubeProxy: { mode: 'ipvs', ipvs: { minSyncPeriod: '3s' } },
      shows: 'minSyncPeriod: 3s',
    },
    { field: 'ipvs.syncPeriod', kubeProxy: { mode: 'ipvs', ipvs: { syncPeriod: '32s' } }, shows: ' syncPeriod: 32s' },
    { field: 'ipvs.scheduler', kubeProxy: { mode: 'ipvs', ipvs: { scheduler: 'lc' } }, shows: 'scheduler: lc' },
    { field: 'ipvs.tcpTimeout', kubeProxy: { mode: 'ipvs', ipvs: { tcpTimeout: '9m' } }, shows: 'tcpTimeout: 9m' },
    {
      field: 'ipvs.tcpFinTimeout',
      kubeProxy: { mode: 'ipvs', ipvs: { tcpFinTimeout: '1m' } },
      shows: 'tcpFinTimeout: 1m',
    },
    { field: 'ipvs.udpTimeout', kubeProxy: { mode: 'ipvs', ipvs: { udpTimeout: '5m' } }, shows: 'udpTimeout: 5m' },
  ] satisfies { field: string; kubeProxy: NewCluster['spec']['kubeProxy']; shows: string }[])(
    'its kube-proxy has $field of the cluster',
    async ({ kubeProxy, shows }) => {
      await using story = await AddonStory.begin({ kubeProxy });

      const { data } = await story.tenant.resource(ConfigMaps).get('kube-proxy', KUBE_SYSTEM);

      expect(data?.['config.conf']).toContain(shows);
    },
  );
});

describe('an idle cluster', () => {
  test('costs no writes, and one read of each object an hour', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    await story.clock.pass(5 * MINUTE_MS);
    const { resourceVersion } = (await story.cluster()).metadata;
    story.forgetRequests();

    await story.clock.pass(3 * HOUR_MS);

    expect(story.writes()).toEqual([]);
    expect(story.reads().length).toBeGreaterThanOrEqual(3 * 28);
    expect(story.reads().length).toBeLessThanOrEqual(4 * 28);
    expect((await story.cluster()).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('costs the same while hibernated, and reports nothing', async () => {
    await using story = await AddonStory.begin();
    await story.work();
    await story.patch({ spec: { hibernation: { enabled: true } } });
    await story.clock.pass(5 * MINUTE_MS);
    story.forgetRequests();

    await story.clock.pass(3 * HOUR_MS);
    const requests = [...story.writes(), ...story.reads()];
    const asleep = story.conditionOf(await story.cluster());
    await story.patch({ spec: { hibernation: { enabled: false } } });
    await story.clock.pass(5 * MINUTE_MS);

    expect(requests).toEqual([]);
    expect(asleep).toBeUndefined();
    expect(story.conditionOf(await story.cluster())).toBeDefined();
  });
});

describe('what is no longer wanted', () => {
  test('is deleted even if it changes between reads, as the status of a budget does with each eviction', async () => {
    await using story = await AddonStory.begin();
    const [pool] = (await story.fairway.client.resource(nodePools).list()).items;
    await story.fairway.patch(nodePools, pool?.metadata.name ?? '', { spec: { replicas: 2 } });
    await story.clock.pass(5 * MINUTE_MS);
    const before = (await story.tenant.resource(PodDisruptionBudgets).list(KUBE_SYSTEM)).items;
    let changes = 0;
    story.fault = ({ method, path }) =>
      method === 'DELETE' && path.includes('/poddisruptionbudgets/coredns') && changes++ < 3
        ? { kind: 'answer', status: 409 }
        : undefined;

    await story.fairway.patch(nodePools, pool?.metadata.name ?? '', { spec: { replicas: 1 } });
    await story.clock.pass(2 * MINUTE_MS);

    expect(before.map(({ metadata }) => metadata.name)).toContain('coredns');
    expect((await story.tenant.resource(PodDisruptionBudgets).list(KUBE_SYSTEM)).items).toEqual([]);
    expect(changes).toBe(4);
  });
});

describe('what is missing', () => {
  test.each([DaemonSets, Services, ConfigMaps])('is recreated within a minute: $plural', async (type) => {
    await using story = await AddonStory.begin();
    const name = type === Services ? 'kube-dns' : 'kube-proxy';

    await story.tenant.resource<{ metadata: { name?: string } }>(type).delete(name, KUBE_SYSTEM);
    await story.clock.pass(MINUTE_MS);

    await expect(story.tenant.resource(type).get(name, KUBE_SYSTEM)).resolves.toBeDefined();
  });

  test('is recreated within the hour if it is not watched', async () => {
    await using story = await AddonStory.begin();

    await story.tenant.resource(ClusterRoleBindings).delete('fairway:kube-proxy');
    await story.clock.pass(61 * MINUTE_MS);

    await expect(story.tenant.resource(ClusterRoleBindings).get('fairway:kube-proxy')).resolves.toBeDefined();
  });

  test('is checked twice a minute at most, however often it is deleted', async () => {
    await using story = await AddonStory.begin();
    await story.clock.pass(2 * MINUTE_MS);
    story.forgetRequests();

    for (let second = 0; second < 600; second += 5) {
      await story.tenant
        .resource(DaemonSets)
        .delete('kube-proxy', KUBE_SYSTEM)
        .catch(() => {});
      await story.clock.pass(5_000);
    }

    expect(story.writes().length).toBeLessThanOrEqual(21);
    expect(story.reads().length).toBeLessThanOrEqual(21 * 28);
  });
});

test('CoreDNS follows the control plane, kube-proxy the oldest node', async () => {
  await using story = await AddonStory.begin({ version: '1.34' });
  await story.work();
  await story.fairway.patch(nodePools, 'general', { spec: { upgradeStrategy: { paused: true } } });

  await story.patch({ spec: { version: '1.35' } });
  await story.clock.pass(5 * MINUTE_MS);
  await story.work();

  const versions = Object.fromEntries((await story.addons()).map(({ name, version }) => [name, version]));
  const { status } = await story.cluster();
  expect(status?.version).toMatch(/^1\.35\./);
  expect(versions).toEqual({
    'kube-proxy': '1.34.2',
    coredns: '1.13.1',
    'metrics-server': '0.9.0',
    'cinder-csi': '1.35.0',
    'volume-snapshots': '1',
  });
});

test('a version is reported once the cluster has it, even if the next check of it has to wait', async () => {
  await using story = await AddonStory.begin({ version: '1.34' });
  await story.work();
  const told = async () => `v${(await story.addon('coredns'))?.version}`;
  const installed = async () => {
    const { spec } = await story.tenant.resource(Deployments).get('coredns', KUBE_SYSTEM);
    return spec.template.spec?.containers[0]?.image?.split(':').at(-1);
  };
  await story.tenant.resource(ConfigMaps).delete('kube-proxy', KUBE_SYSTEM);
  await story.clock.pass(5_000);

  await story.patch({ spec: { version: '1.35' } });
  const seen: (string | undefined)[][] = [];
  for (let second = 0; second < 120; second += 5) {
    await story.clock.pass(5_000);
    seen.push([await told(), await installed()]);
  }

  expect(seen[0]).toEqual(['v1.12.1', 'v1.12.1']);
  expect(seen.at(-1)).toEqual(['v1.13.1', 'v1.13.1']);
  expect(seen.filter(([said, is]) => said !== is)).toEqual([]);
});

test('a paused cluster is left alone', async () => {
  await using story = await AddonStory.begin();
  await story.annotate({ 'fairway.dev/paused': '' });
  await story.tenant.resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM);

  await story.clock.pass(2 * HOUR_MS);

  expect(await daemonSetsOf(story)).toEqual(['csi-cinder-nodeplugin']);
});

async function daemonSetsOf({ tenant }: AddonStory): Promise<(string | undefined)[]> {
  return (await tenant.resource(DaemonSets).list()).items.map(({ metadata }) => metadata.name);
}
