import { API_VERSION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { kubernetesReleases, type ReleasePhase } from '@fairway/api/kinds/kubernetes-release';
import { type NewNodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { aCluster, aNodePool, aPlan } from '@fairway/api/testing/objects';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** The values of `{name}` in a row. */
export type Ids = Readonly<Record<string, string>>;

export const NAMESPACE = 'team';

const ALLOWED = {
  flavors: ['b3-*'],
  images: ['Ubuntu *'],
  regions: ['RegionOne'],
  networks: ['office'],
  upgradeStrategies: ['InPlace' as const],
};

const PLANS: Readonly<Record<string, Partial<PlanSpec>>> = {
  small: { maxNodes: 3, maxClusters: 1, maxDrainTimeout: '30m' },
  listed: { allowed: ALLOWED },
  elsewhere: { allowed: { regions: ['RegionTwo'] } },
  canary: {
    cni: { default: 'cilium', allowed: ['cilium', 'canal'] },
    kubeProxy: { default: 'none', allowed: ['none'] },
  },
  custom: {
    maxNodes: 300,
    cni: { default: 'cilium', allowed: ['cilium', 'none'] },
    network: {
      podCIDR: '10.240.0.0/13',
      serviceCIDR: '10.3.0.0/16',
      nodesCIDR: '10.1.0.0/20',
      customCIDRs: true,
      reservedCIDRs: ['172.17.0.0/16'],
      gatewayRequired: false,
    },
  },
  broken: { etcd: { topology: 'Shared', baseMiB: 10, perNodeMiB: 25, maxMiB: 5 } },
};

/** Independent of the current date. */
const RELEASES: Readonly<Record<string, { readonly phase: ReleasePhase; readonly patches: readonly string[] }>> = {
  '1.34': { phase: 'EndOfLife', patches: ['1.34.1'] },
  '1.35': { phase: 'Deprecated', patches: ['1.35.1'] },
  '1.36': { phase: 'Supported', patches: ['1.36.0', '1.36.1'] },
  '1.37': { phase: 'Supported', patches: ['1.37.0', '1.37.1'] },
  '1.38': { phase: 'Preview', patches: ['1.38.0'] },
};
const WITHDRAWN_PATCH = '1.37.1';

const CLUSTERS: Readonly<Record<string, { readonly spec: NewCluster['spec']; readonly version: string }>> = {
  demo: { spec: { version: '1.36.0' }, version: '1.36.0' },
  small: { spec: { plan: 'small' }, version: '1.37.0' },
  listed: { spec: { plan: 'listed', region: 'RegionOne' }, version: '1.37.0' },
  custom: {
    spec: { plan: 'custom', region: 'RegionOne', podCIDR: '10.32.0.0/16', serviceCIDR: '10.33.0.0/16' },
    version: '1.37.0',
  },
  alone: { spec: { network: { gateway: { mode: 'None' } } }, version: '1.37.0' },
  narrow: { spec: { network: { nodesCIDR: '192.168.7.0/28' } }, version: '1.37.0' },
};

const POOLS: Readonly<Record<string, Partial<NewNodePool['spec']>>> = {
  'demo-general': { floatingIPs: { enabled: true }, availabilityZones: ['nova-a'] },
  'small-general': { clusterName: 'small', replicas: 2 },
};

/**
 * Creates the objects that the rows assume, as an operator; the clusters are running, and the shipped releases are
 * replaced.
 */
export async function createTestObjects(operator: KubeClient, project: ProjectCloud): Promise<Ids> {
  const ids = await createNetworks(project);
  const releases = operator.resource(kubernetesReleases);
  for (const { metadata } of (await releases.list()).items) await releases.delete(metadata.name ?? '');
  for (const [minor, { phase, patches }] of Object.entries(RELEASES)) {
    const components = { containerd: '2.2.7', pause: '3.10.1' };
    const offeredPatches = patches.map((version) => ({ version, withdrawn: version === WITHDRAWN_PATCH }));
    const spec = { minor, phaseOverride: phase, source: 'a test', patches: offeredPatches, components };
    await releases.create({ apiVersion: API_VERSION, kind: kubernetesReleases.kind, metadata: { name: minor }, spec });
  }
  for (const [name, spec] of Object.entries(PLANS)) {
    await operator.resource(plans).create(aPlan(spec, { name }));
  }
  for (const [name, { spec, version }] of Object.entries(CLUSTERS)) {
    const cluster = { apiVersion: API_VERSION, kind: clusters.kind, ...aCluster(spec, { name, namespace: NAMESPACE }) };
    await operator.resource(clusters).create(cluster);
    const value = { status: { version } };
    await operator
      .resource(clusters)
      .patch(name, { type: 'merge', value }, { namespace: NAMESPACE, subresource: 'status' });
  }
  for (const [name, spec] of Object.entries(POOLS)) {
    const pool = aNodePool(spec, { name, namespace: NAMESPACE });
    await operator.resource(nodePools).create({ apiVersion: API_VERSION, kind: nodePools.kind, ...pool });
  }
  await operator.resource(cloudCredentials).create({
    apiVersion: API_VERSION,
    kind: cloudCredentials.kind,
    metadata: { name: 'own', namespace: NAMESPACE },
    spec: { cloud: 'simulator', secretRef: { name: 'own' }, reclaimPolicy: 'Retain' },
  });
  return ids;
}

async function createNetworks({ client: { network } }: ProjectCloud): Promise<Ids> {
  const make = async (name: string, ...cidrs: readonly string[]) => {
    const { id } = await network.networks.create({ name });
    const subnets: string[] = [];
    for (const [index, cidr] of cidrs.entries()) {
      const subnet = {
        name: `${name}-${index}`,
        network_id: id,
        ip_version: cidr.includes(':') ? 6 : 4,
        cidr,
      } as const;
      subnets.push((await network.subnets.create(subnet)).id);
    }
    return { id, subnets };
  };
  const officeNetwork = await make('office', '10.91.0.0/24');
  const duplicateNetwork = await make('twin', '10.92.0.0/24', '10.93.0.0/24', 'fd00:93::/64');
  const bare = await make('bare');
  const internalRouter = await make('inside', '10.2.8.0/24');
  const router = await network.routers.create({ name: 'closed' });
  await network.routers.addInterface(router.id, { subnet_id: officeNetwork.subnets[0] ?? '' });
  const [external] = await Array.fromAsync(network.networks.list({ 'router:external': true }));
  return {
    office: officeNetwork.id,
    'office-0': officeNetwork.subnets[0] ?? '',
    twin: duplicateNetwork.id,
    'twin-0': duplicateNetwork.subnets[0] ?? '',
    'twin-1': duplicateNetwork.subnets[1] ?? '',
    'twin-v6': duplicateNetwork.subnets[2] ?? '',
    bare: bare.id,
    inside: internalRouter.id,
    'inside-0': internalRouter.subnets[0] ?? '',
    closed: router.id,
    public: external?.id ?? '',
  };
}
