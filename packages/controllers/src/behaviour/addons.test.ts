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
import { AddonScenario } from '../testing/addon-scenario.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KUBE_SYSTEM = { namespace: 'kube-system' };

describe('a new cluster', () => {
  test('has kube-proxy, CoreDNS, metrics-server and the CSI driver installed, each with a Ready condition', async () => {
    await using scenario = await AddonScenario.begin();

    const before = await scenario.cluster();
    await scenario.work();

    expect(before.status?.phase).toBe('Ready');
    expect(scenario.conditionOf(before)).toMatchObject({ status: 'False', reason: 'Provisioning' });
    expect(await scenario.addons()).toEqual([
      { name: 'kube-proxy', version: '1.34.2', state: 'Ready', reason: 'AsExpected' },
      { name: 'coredns', version: '1.13.1', state: 'Ready', reason: 'AsExpected' },
      { name: 'metrics-server', version: '0.9.0', state: 'Ready', reason: 'AsExpected' },
      { name: 'cinder-csi', version: '1.35.0', state: 'Ready', reason: 'AsExpected' },
      { name: 'volume-snapshots', version: '1', state: 'Ready', reason: 'AsExpected' },
    ]);
    expect(scenario.conditionOf(await scenario.cluster())).toMatchObject({ status: 'True', message: '' });
    const { spec } = await scenario.tenant.resource(Services).get('kube-dns', KUBE_SYSTEM);
    expect(spec.clusterIP).toBe('10.3.0.10');
  });

  test('has only the other add-ons if it uses no kube-proxy', async () => {
    await using scenario = await AddonScenario.begin({ plan: 'standard' });

    expect((await scenario.addons()).map(({ name }) => name)).toEqual([
      'coredns',
      'metrics-server',
      'cinder-csi',
      'volume-snapshots',
    ]);
    expect(await daemonSetsOf(scenario)).toEqual(['csi-cinder-nodeplugin']);
  });

  test.each([
    { field: 'mode', kubeProxy: { mode: 'nftables' }, expectedText: 'mode: nftables' },
    {
      field: 'iptables.minSyncPeriod',
      kubeProxy: { iptables: { minSyncPeriod: '2s' } },
      expectedText: 'minSyncPeriod: 2s',
    },
    {
      field: 'iptables.syncPeriod',
      kubeProxy: { iptables: { syncPeriod: '31s' } },
      expectedText: ' syncPeriod: 31s',
    },
    {
      field: 'ipvs.minSyncPeriod',
      kubeProxy: { mode: 'ipvs', ipvs: { minSyncPeriod: '3s' } },
      expectedText: 'minSyncPeriod: 3s',
    },
    {
      field: 'ipvs.syncPeriod',
      kubeProxy: { mode: 'ipvs', ipvs: { syncPeriod: '32s' } },
      expectedText: ' syncPeriod: 32s',
    },
    {
      field: 'ipvs.scheduler',
      kubeProxy: { mode: 'ipvs', ipvs: { scheduler: 'lc' } },
      expectedText: 'scheduler: lc',
    },
    {
      field: 'ipvs.tcpTimeout',
      kubeProxy: { mode: 'ipvs', ipvs: { tcpTimeout: '9m' } },
      expectedText: 'tcpTimeout: 9m',
    },
    {
      field: 'ipvs.tcpFinTimeout',
      kubeProxy: { mode: 'ipvs', ipvs: { tcpFinTimeout: '1m' } },
      expectedText: 'tcpFinTimeout: 1m',
    },
    {
      field: 'ipvs.udpTimeout',
      kubeProxy: { mode: 'ipvs', ipvs: { udpTimeout: '5m' } },
      expectedText: 'udpTimeout: 5m',
    },
  ] satisfies { field: string; kubeProxy: NewCluster['spec']['kubeProxy']; expectedText: string }[])(
    'configures kube-proxy with its $field',
    async ({ kubeProxy, expectedText }) => {
      await using scenario = await AddonScenario.begin({ kubeProxy });

      const { data } = await scenario.tenant.resource(ConfigMaps).get('kube-proxy', KUBE_SYSTEM);

      expect(data?.['config.conf']).toContain(expectedText);
    },
  );
});

describe('an idle cluster', () => {
  test('costs no writes, and one read per object an hour', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    await scenario.clock.pass(5 * MINUTE_MS);
    const { resourceVersion } = (await scenario.cluster()).metadata;
    scenario.forgetRequests();

    await scenario.clock.pass(3 * HOUR_MS);

    expect(scenario.writes()).toEqual([]);
    expect(scenario.reads().length).toBeGreaterThanOrEqual(3 * 28);
    expect(scenario.reads().length).toBeLessThanOrEqual(4 * 28);
    expect((await scenario.cluster()).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('costs the same while hibernated, and reports nothing', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.work();
    await scenario.patch({ spec: { hibernation: { enabled: true } } });
    await scenario.clock.pass(5 * MINUTE_MS);
    scenario.forgetRequests();

    await scenario.clock.pass(3 * HOUR_MS);
    const requests = [...scenario.writes(), ...scenario.reads()];
    const hibernatedState = scenario.conditionOf(await scenario.cluster());
    await scenario.patch({ spec: { hibernation: { enabled: false } } });
    await scenario.clock.pass(5 * MINUTE_MS);

    expect(requests).toEqual([]);
    expect(hibernatedState).toBeUndefined();
    expect(scenario.conditionOf(await scenario.cluster())).toBeDefined();
  });
});

describe('an object that is no longer desired', () => {
  test('is deleted even if it changes between reads, as a budget’s status does with each eviction', async () => {
    await using scenario = await AddonScenario.begin();
    const [pool] = (await scenario.fairway.client.resource(nodePools).list()).items;
    await scenario.fairway.patch(nodePools, pool?.metadata.name ?? '', { spec: { replicas: 2 } });
    await scenario.clock.pass(5 * MINUTE_MS);
    const before = (await scenario.tenant.resource(PodDisruptionBudgets).list(KUBE_SYSTEM)).items;
    let changes = 0;
    scenario.fault = ({ method, path }) =>
      method === 'DELETE' && path.includes('/poddisruptionbudgets/coredns') && changes++ < 3
        ? { kind: 'answer', status: 409 }
        : undefined;

    await scenario.fairway.patch(nodePools, pool?.metadata.name ?? '', { spec: { replicas: 1 } });
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(before.map(({ metadata }) => metadata.name)).toContain('coredns');
    expect((await scenario.tenant.resource(PodDisruptionBudgets).list(KUBE_SYSTEM)).items).toEqual([]);
    expect(changes).toBe(4);
  });
});

describe('a missing object', () => {
  test.each([DaemonSets, Services, ConfigMaps])('is recreated within a minute: $plural', async (type) => {
    await using scenario = await AddonScenario.begin();
    const name = type === Services ? 'kube-dns' : 'kube-proxy';

    await scenario.tenant.resource<{ metadata: { name?: string } }>(type).delete(name, KUBE_SYSTEM);
    await scenario.clock.pass(MINUTE_MS);

    await expect(scenario.tenant.resource(type).get(name, KUBE_SYSTEM)).resolves.toBeDefined();
  });

  test('is recreated within the hour if its kind is not watched', async () => {
    await using scenario = await AddonScenario.begin();

    await scenario.tenant.resource(ClusterRoleBindings).delete('fairway:kube-proxy');
    await scenario.clock.pass(61 * MINUTE_MS);

    await expect(scenario.tenant.resource(ClusterRoleBindings).get('fairway:kube-proxy')).resolves.toBeDefined();
  });

  test('is checked at most twice a minute, regardless of how often it is deleted', async () => {
    await using scenario = await AddonScenario.begin();
    await scenario.clock.pass(2 * MINUTE_MS);
    scenario.forgetRequests();

    for (let second = 0; second < 600; second += 5) {
      await scenario.tenant
        .resource(DaemonSets)
        .delete('kube-proxy', KUBE_SYSTEM)
        .catch(() => {});
      await scenario.clock.pass(5_000);
    }

    const maxChecks = 21;
    const objectsPerCheck = new Set(scenario.reads()).size;
    expect(scenario.writes().length).toBeLessThanOrEqual(maxChecks);
    expect(scenario.reads().length).toBeLessThanOrEqual(maxChecks * objectsPerCheck);
  });
});

test('CoreDNS follows the control plane’s version, and kube-proxy the oldest node’s', async () => {
  await using scenario = await AddonScenario.begin({ version: '1.34' });
  await scenario.work();
  await scenario.fairway.patch(nodePools, 'general', { spec: { upgradeStrategy: { paused: true } } });

  await scenario.patch({ spec: { version: '1.35' } });
  await scenario.clock.pass(5 * MINUTE_MS);
  await scenario.work();

  const versions = Object.fromEntries((await scenario.addons()).map(({ name, version }) => [name, version]));
  const { status } = await scenario.cluster();
  expect(status?.version).toMatch(/^1\.35\./);
  expect(versions).toEqual({
    'kube-proxy': '1.34.2',
    coredns: '1.13.1',
    'metrics-server': '0.9.0',
    'cinder-csi': '1.35.0',
    'volume-snapshots': '1',
  });
});

test('a version is reported once the cluster has it, even if the next check is delayed', async () => {
  await using scenario = await AddonScenario.begin({ version: '1.34' });
  await scenario.work();
  const reportedVersion = async () => `v${(await scenario.addon('coredns'))?.version}`;
  const installed = async () => {
    const { spec } = await scenario.tenant.resource(Deployments).get('coredns', KUBE_SYSTEM);
    return spec.template.spec?.containers[0]?.image?.split(':').at(-1);
  };
  await scenario.tenant.resource(ConfigMaps).delete('kube-proxy', KUBE_SYSTEM);
  await scenario.clock.pass(5_000);

  await scenario.patch({ spec: { version: '1.35' } });
  const seen: (string | undefined)[][] = [];
  for (let second = 0; second < 120; second += 5) {
    await scenario.clock.pass(5_000);
    seen.push([await reportedVersion(), await installed()]);
  }

  expect(seen[0]).toEqual(['v1.12.1', 'v1.12.1']);
  expect(seen.at(-1)).toEqual(['v1.13.1', 'v1.13.1']);
  expect(seen.filter(([reported, is]) => reported !== is)).toEqual([]);
});

test('a paused cluster is not changed', async () => {
  await using scenario = await AddonScenario.begin();
  await scenario.annotate({ 'fairway.dev/paused': '' });
  await scenario.tenant.resource(DaemonSets).delete('kube-proxy', KUBE_SYSTEM);

  await scenario.clock.pass(2 * HOUR_MS);

  expect(await daemonSetsOf(scenario)).toEqual(['csi-cinder-nodeplugin']);
});

async function daemonSetsOf({ tenant }: AddonScenario): Promise<(string | undefined)[]> {
  return (await tenant.resource(DaemonSets).list()).items.map(({ metadata }) => metadata.name);
}
