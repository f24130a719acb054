import type { NewCluster } from '@fairway/api/kinds/cluster';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { blinded } from '@fairway/api/testing/blind';
import { aCluster, aPlan } from '@fairway/api/testing/objects';
import { tenantAuditPolicy } from '@fairway/control-plane/audit/tenant-audit-policy';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { COMPONENTS } from '@fairway/control-plane/process/components';
import { authenticationConfiguration } from '@fairway/control-plane/process/configuration';
import { componentFlags } from '@fairway/control-plane/process/flags';
import { componentLimits } from '@fairway/control-plane/process/limits';
import { describe, expect, test } from 'vitest';
import { controlPlaneSpec, desiredNetwork } from '../cluster/desired-state.ts';
import { serverRequest } from '../machine/server-request.ts';
import { TestFairway } from '../testing/test-fairway.ts';

/** The programs of a control plane, as text: flags, how tokens are checked, limits, and what becomes of the database. */
function programsOf(spec: NewCluster['spec'], plan = aPlan()): string {
  const inputs = { version: '1.35.2', pki: {} as unknown as ClusterPki, desiredNodes: 3, machines: [] };
  const desired = controlPlaneSpec(aCluster(spec), plan.spec, inputs);
  const process = { endpoint: { host: '127.0.0.1', port: 6443 }, dataFolder: 'etcd', hasOwnUser: false };
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

describe('the programs of a control plane know', () => {
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

  test.each<{ field: string; spec: NewCluster['spec']; shows: string }>([
    { field: 'spec.podCIDR', spec: { podCIDR: '10.64.0.0/14' }, shows: '--cluster-cidr=10.64.0.0/14' },
    { field: 'spec.serviceCIDR', spec: { serviceCIDR: '10.99.0.0/16' }, shows: '=10.99.0.0/16' },
    { field: 'enabled', spec: { apiServer }, shows: '--enable-admission-plugins=NodeRestriction"' },
    {
      field: 'disabled',
      spec: { apiServer: { admissionPlugins: { disabled: ['AlwaysPullImages'] } } },
      shows: '--enable-admission-plugins=NodeRestriction"',
    },
    {
      field: 'audit.level',
      spec: { apiServer: { audit: { level: 'RequestResponse' } } },
      shows: '{"level":"RequestResponse","userGroups":["system:authenticated"],"verbs":["create","update","patch"]}',
    },
    {
      field: 'audit.reads',
      spec: { apiServer: { audit: { reads: true } } },
      shows: '{"level":"Metadata","userGroups":["system:authenticated"],"verbs":["get","list","watch"]}',
    },
    { field: 'issuerURL', spec: { apiServer }, shows: '"url":"https://id.example.org"' },
    { field: 'clientID', spec: { apiServer }, shows: '"audiences":["my-client"]' },
    { field: 'usernameClaim', spec: { apiServer }, shows: '"claim":"email"' },
    { field: 'usernamePrefix', spec: { apiServer }, shows: '"prefix":"who:"' },
    { field: 'groupsClaims', spec: { apiServer }, shows: '"claim":"teams"' },
    { field: 'groupsPrefix', spec: { apiServer }, shows: '"prefix":"team:"' },
    { field: 'requiredClaims', spec: { apiServer }, shows: '{"claim":"tenant","requiredValue":"acme"}' },
    { field: 'certificateAuthority', spec: { apiServer }, shows: '"certificateAuthority":"PEM of theirs"' },
    { field: 'snapshotRequestedAt', spec: { etcd }, shows: `"requestedAtMs":${Date.parse(etcd.snapshotRequestedAt)}` },
    { field: 'restore.snapshot', spec: { etcd }, shows: '"snapshot":"20261121-163000-000"' },
    { field: 'restore.requestedAt', spec: { etcd }, shows: '"requestedAt":"2026-11-22T00:00:00Z"' },
  ])('$field of a cluster', ({ spec, shows }) => {
    expect(programsOf(spec)).toContain(shows);
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
    expect(programsOf({}, plan())).toContain(shows);
  });
});

test("the nodes' range is the cluster's, else the plan's", () => {
  const { network } = aPlan().spec;
  const plan = aPlan({ network: { ...network, nodesCIDR: '10.55.0.0/20' } }).spec;

  expect(desiredNetwork(aCluster(), plan, []).nodesCIDR).toBe('10.55.0.0/20');
  const own = aCluster({ network: { nodesCIDR: '10.56.0.0/20' } });
  expect(desiredNetwork(own, plan, []).nodesCIDR).toBe('10.56.0.0/20');
});

describe('a server is asked for with', () => {
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
    networking: { networkID: 'n', securityGroupID: 's' },
    userData: '',
  };

  test.each([
    { field: 'image', shows: '"uuid":"image-id"' },
    { field: 'rootVolume.sizeGiB', shows: '"volume_size":44' },
    { field: 'rootVolume.type', shows: '"volume_type":"fast"' },
    { field: 'nodePoolName', shows: '"fairway.dev.node-pool":"web"' },
  ])('$field of its machine', ({ shows }) => {
    expect(JSON.stringify(serverRequest(blinded(machines.kind, machine), inputs).server)).toContain(shows);
  });
});

describe('in a running Fairway', () => {
  test('a cluster gets the plan, the version and the image that it names', async () => {
    await using fairway = await TestFairway.start();
    await fairway.createCluster({ plan: 'standard', version: '1.35', image: 'Debian 12' });
    await fairway.createPool({ replicas: 1 });
    const cluster = await fairway.clusterReady();
    const [machine] = await fairway.until(machines, ([each]) => each?.spec.image !== undefined);

    expect(fairway.runtime.asked.at(-1)?.topology).toMatchObject({ topology: 'MultiZone' });
    expect(cluster.status?.version).toMatch(/^1\.35\.[0-9]+$/);
    expect(await imageName(fairway, machine)).toBe('Debian 12');
  });

  test("a pool's image and root volume are its machines'", async () => {
    await using fairway = await TestFairway.start();
    const rootVolume = { sizeGiB: 44, type: 'high-speed' };
    await fairway.createCluster({ image: 'Ubuntu 24.04' });
    await fairway.createPool({ replicas: 1, image: 'Debian 12', rootVolume });
    const [machine] = await fairway.until(machines, (all) => all.length === 1);

    expect(await imageName(fairway, machine)).toBe('Debian 12');
    expect(machine?.spec.rootVolume).toEqual(rootVolume);
  });

  test('a node is installed as plan, release and machine say', async () => {
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
