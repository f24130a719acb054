import { maxPodsOf } from '@fairway/api/domain/kubelet-settings';
import { nodeSettingsOf } from '@fairway/api/domain/node-settings';
import type { NewCluster } from '@fairway/api/kinds/cluster';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { withoutBlindField } from '@fairway/api/testing/blind';
import { aCluster, aNodePool, aPlan } from '@fairway/api/testing/objects';
import { tenantAuditPolicy } from '@fairway/control-plane/audit/tenant-audit-policy';
import { withClusterSettings } from '@fairway/control-plane/bootstrap/cluster-node-settings';
import { kubeletConfiguration } from '@fairway/control-plane/bootstrap/kubelet';
import type { NodeConfig } from '@fairway/control-plane/bootstrap/node-config';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { COMPONENTS } from '@fairway/control-plane/process/components';
import { authenticationConfiguration } from '@fairway/control-plane/process/configuration';
import { componentFlags } from '@fairway/control-plane/process/flags';
import { componentLimits } from '@fairway/control-plane/process/limits';
import { describe, expect, test } from 'vitest';
import { controlPlaneSpec, desiredNetwork } from '../cluster/desired-state.ts';
import { serverRequest } from '../machine/server-request.ts';
import { TestFairway } from '../testing/test-fairway.ts';

/** The arguments of a control plane's binaries, as text: flags, token checks, limits, and database settings. */
function binariesOf(spec: NewCluster['spec'], plan = aPlan()): string {
  const inputs = { version: '1.35.2', pki: {} as unknown as ClusterPki, desiredNodes: 3, machines: [] };
  const desired = controlPlaneSpec(aCluster(spec), plan.spec, inputs);
  const process = {
    endpoint: { host: '127.0.0.1', port: 6443 },
    dataFolder: 'etcd',
    hasOwnUser: false,
    usesPolicyFiles: false,
  };
  const { oidc, audit } = desired.apiServer;
  return JSON.stringify([
    COMPONENTS.map((component) => componentFlags(component, { ...desired, ...process })),
    COMPONENTS.map((component) => componentLimits(component, desired.topology.memoryMiB)),
    oidc && authenticationConfiguration(oidc),
    audit && tenantAuditPolicy(audit),
    desired.snapshots,
    desired.restore,
  ]);
}

describe('the binaries of a control plane get', () => {
  const oidc = {
    issuerURL: 'https://id.example.org',
    clientID: 'my-client',
    usernameClaim: 'email',
    usernamePrefix: 'who:',
    groupsClaims: ['teams'],
    groupsPrefix: 'team:',
    requiredClaims: { tenant: 'acme' },
    certificateAuthority: 'PEM of theirs',
  };
  const apiServer = { admissionPlugins: { enabled: ['NodeRestriction' as const], disabled: [] }, oidc };
  const etcd = {
    snapshotRequestedAt: '2026-11-21T16:30:00Z',
    restore: { snapshot: '20261121-163000-000', requestedAt: '2026-11-22T00:00:00Z' },
  };

  test.each<{ field: string; spec: NewCluster['spec']; expectedText: string }>([
    { field: 'spec.podCIDR', spec: { podCIDR: '10.64.0.0/14' }, expectedText: '--cluster-cidr=10.64.0.0/14' },
    { field: 'spec.serviceCIDR', spec: { serviceCIDR: '10.99.0.0/16' }, expectedText: '=10.99.0.0/16' },
    { field: 'enabled', spec: { apiServer }, expectedText: '--enable-admission-plugins=NodeRestriction"' },
    {
      field: 'disabled',
      spec: { apiServer: { admissionPlugins: { disabled: ['AlwaysPullImages'] } } },
      expectedText: '--enable-admission-plugins=NodeRestriction"',
    },
    {
      field: 'audit.level',
      spec: { apiServer: { audit: { level: 'RequestResponse' } } },
      expectedText:
        '{"level":"RequestResponse","userGroups":["system:authenticated"],"verbs":["create","update","patch"]}',
    },
    {
      field: 'audit.reads',
      spec: { apiServer: { audit: { reads: true } } },
      expectedText: '{"level":"Metadata","userGroups":["system:authenticated"],"verbs":["get","list","watch"]}',
    },
    { field: 'issuerURL', spec: { apiServer }, expectedText: '"url":"https://id.example.org"' },
    { field: 'clientID', spec: { apiServer }, expectedText: '"audiences":["my-client"]' },
    { field: 'usernameClaim', spec: { apiServer }, expectedText: '"claim":"email"' },
    { field: 'usernamePrefix', spec: { apiServer }, expectedText: '"prefix":"who:"' },
    { field: 'groupsClaims', spec: { apiServer }, expectedText: '"claim":"teams"' },
    { field: 'groupsPrefix', spec: { apiServer }, expectedText: '"prefix":"team:"' },
    { field: 'requiredClaims', spec: { apiServer }, expectedText: '{"claim":"tenant","requiredValue":"acme"}' },
    { field: 'certificateAuthority', spec: { apiServer }, expectedText: '"certificateAuthority":"PEM of theirs"' },
    {
      field: 'snapshotRequestedAt',
      spec: { etcd },
      expectedText: `"requestedAtMs":${Date.parse(etcd.snapshotRequestedAt)}`,
    },
    { field: 'restore.snapshot', spec: { etcd }, expectedText: '"snapshot":"20261121-163000-000"' },
    { field: 'restore.requestedAt', spec: { etcd }, expectedText: '"requestedAt":"2026-11-22T00:00:00Z"' },
  ])('$field of a cluster', ({ spec, expectedText }) => {
    expect(binariesOf(spec)).toContain(expectedText);
  });

  const planned = aPlan().spec;
  const quota = (baseMiB: number, perNodeMiB: number, maxMiB: number) => () =>
    aPlan({ etcd: { ...planned.etcd, baseMiB, perNodeMiB, maxMiB, snapshots: { interval: '3h', keep: 77 } } });
  const flag = (mib: number) => `--quota-backend-bytes=${mib * 2 ** 20}`;

  test.each([
    {
      field: 'memoryMiB',
      plan: () => aPlan({ controlPlane: { topology: 'SingleZone', replicas: 1, memoryMiB: 4096 } }),
      shows: `"memoryBytes":${componentLimits('etcd', 4096).memoryBytes}`,
    },
    { field: 'baseMiB', plan: quota(50, 10, 1000), shows: flag(80) },
    { field: 'perNodeMiB', plan: quota(50, 10, 1000), shows: flag(80) },
    { field: 'maxMiB', plan: quota(50, 500, 1000), shows: flag(1000) },
    { field: 'snapshots.interval', plan: quota(50, 10, 1000), shows: '"intervalMs":10800000' },
    { field: 'snapshots.keep', plan: quota(50, 10, 1000), shows: '"keep":77' },
    {
      field: 'network.podCIDR',
      plan: () => aPlan({ network: { ...planned.network, podCIDR: '10.80.0.0/14' } }),
      shows: '--cluster-cidr=10.80.0.0/14',
    },
    {
      field: 'network.serviceCIDR',
      plan: () => aPlan({ network: { ...planned.network, serviceCIDR: '10.98.0.0/16' } }),
      shows: '=10.98.0.0/16',
    },
  ])('$field of a plan', ({ plan, shows }) => {
    expect(binariesOf({}, plan())).toContain(shows);
  });
});

test("the nodes' range is the cluster's, or otherwise the plan's", () => {
  const { network } = aPlan().spec;
  const plan = aPlan({ network: { ...network, nodesCIDR: '10.55.0.0/20' } }).spec;

  expect(desiredNetwork(aCluster(), plan, []).nodesCIDR).toBe('10.55.0.0/20');
  const own = aCluster({ network: { nodesCIDR: '10.56.0.0/20' } });
  expect(desiredNetwork(own, plan, []).nodesCIDR).toBe('10.56.0.0/20');
});

describe('a server is requested with', () => {
  const machine: Machine = {
    metadata: { name: 'm', uid: 'u' },
    spec: {
      clusterName: 'demo',
      nodePoolName: 'web',
      flavor: 'b3-8',
      image: 'image-id',
      version: '1.35.2',
      floatingIP: false,
      rootVolume: { sizeGiB: 44, type: 'fast' },
    },
  };
  const inputs = {
    clusterUid: 'c',
    clusterName: 'demo',
    flavorID: 'f',
    networking: { networkID: 'n', securityGroupIDs: ['s'] },
    userData: '',
    configDrive: false,
    labels: { tags: [], metadata: {} },
  };

  test.each([
    { field: 'image', shows: '"uuid":"image-id"' },
    { field: 'rootVolume.sizeGiB', shows: '"volume_size":44' },
    { field: 'rootVolume.type', shows: '"volume_type":"fast"' },
    { field: 'nodePoolName', shows: '"fairway.dev.node-pool":"web"' },
  ])('$field of its machine', ({ shows }) => {
    expect(JSON.stringify(serverRequest(withoutBlindField(machines.kind, machine), inputs).server)).toContain(shows);
  });
});

describe('registries and proxies', () => {
  const settings = {
    registryMirrors: [
      { registry: 'docker.io', mirrors: [{ url: 'https://m.example.com', certificateAuthority: 'PEM' }] },
    ],
    proxy: { httpProxy: 'http://a:3128', httpsProxy: 'http://b:3128', noProxy: ['.corp.test'] },
  };
  const fields = [
    { field: 'registryMirrors[].registry', shows: 'docker.io' },
    { field: 'registryMirrors[].mirrors[].url', shows: 'https://m.example.com' },
    { field: 'registryMirrors[].mirrors[].certificateAuthority', shows: 'PEM' },
    { field: 'proxy.httpProxy', shows: 'http://a:3128' },
    { field: 'proxy.httpsProxy', shows: 'http://b:3128' },
    { field: 'proxy.noProxy', shows: '.corp.test' },
  ];

  test.each(fields)('$field of a cluster is set on its nodes', ({ shows }) => {
    const cluster = withoutBlindField(clusters.kind, aCluster(structuredClone(settings)));

    expect(JSON.stringify(nodeSettingsOf(aNodePool({}), cluster))).toContain(shows);
  });

  test.each(fields)('$field of a machine is set on its node', ({ shows }) => {
    const machine = withoutBlindField(machines.kind, {
      metadata: {},
      spec: { nodeSettings: structuredClone(settings) },
    } as unknown as Machine);

    expect(JSON.stringify(withClusterSettings(undefined, machine.spec.nodeSettings))).toContain(shows);
  });
});

describe('settings of kubelet', () => {
  const kubelet = {
    maxPods: 64,
    podPidsLimit: 4096,
    cpuManagerPolicy: 'static',
    cpuCFSQuota: false,
    topologyManagerPolicy: 'best-effort',
    topologyManagerScope: 'pod',
    kubeReserved: { cpu: '333m' },
    systemReserved: { memory: '512Mi' },
    evictionHard: { 'memory.available': '222Mi' },
    evictionSoft: { 'memory.available': '444Mi' },
    evictionSoftGracePeriod: { 'memory.available': '90s' },
    evictionMaxPodGracePeriod: 60,
    imageGCHighThresholdPercent: 70,
    imageGCLowThresholdPercent: 60,
    containerLogMaxSize: '50Mi',
    containerLogMaxFiles: 3,
    serializeImagePulls: false,
    maxParallelImagePulls: 4,
    seccompDefault: true,
    allowedUnsafeSysctls: ['net.core.somaxconn'],
    shutdownGracePeriod: '120s',
    shutdownGracePeriodCriticalPods: '20s',
  } as const satisfies NonNullable<NewNodePool['spec']['kubelet']>;
  const names = Object.keys(kubelet) as (keyof typeof kubelet)[];
  const size = { vcpus: 4, memoryMiB: 16_384, diskGiB: 100 };

  test.each(names)('kubelet.%s of a pool is set on its nodes', (name) => {
    const pool = withoutBlindField(nodePools.kind, aNodePool({ kubelet: structuredClone(kubelet) as never }));

    expect(nodeSettingsOf(pool, undefined).nodeSettings?.kubelet?.[name]).toEqual(kubelet[name]);
  });

  test.each(names)('kubelet.%s of a machine is set on its node', (name) => {
    const spec = { nodeSettings: { kubelet: structuredClone(kubelet) } };
    const machine = withoutBlindField(machines.kind, { metadata: {}, spec } as unknown as Machine);
    const { kubelet: settings } = machine.spec.nodeSettings ?? {};
    const config = {
      kubelet: settings,
      maxPods: maxPodsOf(settings, aPlan()),
      size,
      taints: [],
      serviceCIDR: '10.3.0.0/16',
    };
    const configured = kubeletConfiguration(config as unknown as NodeConfig);

    const value = kubelet[name];
    expect(configured).toMatchObject({ [name]: Array.isArray(value) ? [...value] : value });
  });

  test('are applied to nodes in place, and again after their removal', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1, upgradeStrategy: { type: 'InPlace' } });
    const [before] = await fairway.machines();
    const { servers } = fairway.process.project.client.compute;
    const isInstalled = (machine: Machine | undefined, isExpected: boolean) =>
      machine?.status?.phase === 'Ready' &&
      machine.status.reinstall === undefined &&
      (machine.status.installed?.settingsDigest !== undefined) === isExpected;

    await fairway.patch(nodePools, 'general', { spec: { kubelet: { podPidsLimit: 2048, maxPods: 50 } } });
    const [first] = await fairway.until(machines, ([each]) => isInstalled(each, true));
    await fairway.patch(nodePools, 'general', { spec: { kubelet: { podPidsLimit: null, maxPods: 40 } } });
    const [second] = await fairway.until(
      machines,
      ([each]) =>
        isInstalled(each, true) && each?.status?.installed?.settingsDigest !== first?.status?.installed?.settingsDigest,
    );
    await fairway.patch(nodePools, 'general', { spec: { kubelet: null } });
    const [third] = await fairway.until(machines, ([each]) => isInstalled(each, false));

    expect(first?.spec.nodeSettings).toEqual({ kubelet: { podPidsLimit: 2048, maxPods: 50 } });
    expect(second?.spec.nodeSettings).toEqual({ kubelet: { maxPods: 40 } });
    expect(third?.spec.nodeSettings).toBeUndefined();
    expect(third?.status?.serverID).toBe(before?.status?.serverID);
    const server = await servers.get(third?.status?.serverID ?? '');
    expect(server.metadata).not.toHaveProperty('fairway.dev.settings');
  });
});

describe('in a running Fairway', () => {
  test('a cluster uses the plan, version and image that it specifies', async () => {
    await using fairway = await TestFairway.start();
    await fairway.createCluster({ plan: 'standard', version: '1.35', image: 'Debian 12' });
    await fairway.createPool({ replicas: 1 });
    const cluster = await fairway.clusterReady();
    const [machine] = await fairway.until(machines, ([each]) => each?.spec.image !== undefined);

    expect(fairway.runtime.requestedSpecs.at(-1)?.topology).toMatchObject({ topology: 'MultiZone' });
    expect(cluster.status?.version).toMatch(/^1\.35\.[0-9]+$/);
    expect(await imageName(fairway, machine)).toBe('Debian 12');
  });

  test("machines use their pool's image and root volume", async () => {
    await using fairway = await TestFairway.start();
    const rootVolume = { sizeGiB: 44, type: 'high-speed' };
    await fairway.createCluster({ image: 'Ubuntu 24.04' });
    await fairway.createPool({ replicas: 1, image: 'Debian 12', rootVolume });
    const [machine] = await fairway.until(machines, (all) => all.length === 1);

    expect(await imageName(fairway, machine)).toBe('Debian 12');
    expect(machine?.spec.rootVolume).toEqual(rootVolume);
  });

  test('a node is installed according to plan, release and machine', async () => {
    await using fairway = await TestFairway.start();
    await fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxPodsPerNode: 77 } } });
    const releases = fairway.client.resource(kubernetesReleases);
    const { spec } = await releases.get('1.35');
    const patches = spec.patches.map((patch) => ({ ...patch, components: { pause: '3.99' } }));
    const components = { ...spec.components, containerd: '2.9.9' };
    await releases.patch('1.35', { type: 'merge', value: { spec: { components, patches } } });
    await fairway.readyCluster({ replicas: 1 }, { version: '1.35' });
    const [machine] = await fairway.machines();
    const [cluster] = await fairway.until(clusters, ([each]) => each !== undefined);
    const [pool] = await fairway.until(nodePools, ([each]) => each !== undefined);
    const flavors = await Array.fromAsync(fairway.process.project.client.compute.flavors.list());
    const flavor = flavors.find(({ name }) => name === 'b3-8');
    if (!(machine && cluster && pool && flavor)) throw new Error('there is no node to install');

    const { bootstrapper } = fairway.process;
    const cached = fairway.process.controllers.cache.machines.get(`team/${machine.metadata.name}`);
    const text = await bootstrapper.userData(cluster, pool, cached ?? machine, flavor);
    const plain = Buffer.from(text, 'base64');
    const { gunzipSync } = await import('node:zlib');
    const script = plain[0] === 0x1f ? gunzipSync(plain).toString() : plain.toString();

    expect(script).toContain('maxPods: 77');
    expect(script).toContain('containerd.io=2.9.*');
    expect(script).toContain('pause:3.99');
    expect(script).toMatch(/kubelet=1\.35\.[0-9]+-/);
  });
});

async function imageName(fairway: TestFairway, machine: Machine | undefined): Promise<string | null | undefined> {
  for await (const { id, name } of fairway.process.project.client.images.list()) {
    if (id === machine?.spec.image) return name;
  }
  return undefined;
}
