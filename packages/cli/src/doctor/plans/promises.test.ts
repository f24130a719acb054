import { SHIPPED_RELEASES } from '@fairway/api/data/kubernetes-releases';
import { aPlan } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { FULL_CLOUD, withoutService } from '../../testing/full-cloud.ts';
import type { CloudObservation } from '../cloud-observation.ts';
import { planFindings } from './promises.ts';
import type { StoredPlan } from './stated-limits.ts';

const NOW_MS = Date.UTC(2026, 10, 22);
const CLASS = {
  name: 'fast',
  default: false,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
  fsType: 'ext4',
} as const;
const EMPTY = { classes: [], tenantClasses: 'Allowed' } as const;

type Spec = Partial<StoredPlan['spec']>;

function findings(change: Partial<CloudObservation>, spec: Spec) {
  const plan = { metadata: { name: 'free' }, spec: { ...aPlan().spec, ...spec } } as StoredPlan;
  return planFindings({ ...FULL_CLOUD, ...change }, [plan], SHIPPED_RELEASES, NOW_MS);
}

test('the shipped plan promises nothing that a complete cloud lacks', () => {
  expect(findings({}, {})).toEqual([]);
});

test.each<{ change: Partial<CloudObservation>; spec: Spec; detail: string; advice: string }>([
  {
    change: withoutService('load-balancer'),
    spec: { services: { types: ['ClusterIP', 'LoadBalancer'] } },
    detail: 'spec.services.types: LoadBalancer: the cloud has no load balancers',
    advice: 'remove it from the list, or install Octavia',
  },
  {
    change: withoutService('shared-file-system'),
    spec: { storage: { ...EMPTY, classes: [], accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } },
    detail: 'spec.storage.accessModes: ReadWriteMany: the cloud has no shared file systems',
    advice: 'remove it from the list, or install Manila',
  },
  {
    change: { externalNetworks: { value: [] } },
    spec: { allowed: { features: ['FloatingIPs', 'Reset'] } },
    detail: 'spec.allowed.features: FloatingIPs: the cloud has no floating IPs',
    advice: 'remove it from the list, or create an external network',
  },
  {
    change: { ipv6Sources: { value: [] } },
    spec: { network: { ...aPlan().spec.network, ipFamilies: ['IPv4', 'DualStack'] } },
    detail: 'spec.network.ipFamilies: DualStack: the cloud has no IPv6 addresses',
    advice: 'remove it from the list, or create an IPv6 subnet pool, or an IPv6 subnet of an external network',
  },
  {
    change: { loadBalancerProviders: { value: ['amphora'] } },
    spec: { services: { loadBalancerProviders: ['amphora', 'ovn'] } },
    detail: 'spec.services.loadBalancerProviders: ovn: Octavia has amphora',
    advice: 'remove it from the list, or enable the provider',
  },
  {
    change: { ...withoutService('load-balancer'), loadBalancerProviders: { problem: 'notFound' } },
    spec: { services: { loadBalancerProviders: ['amphora', 'ovn'] } },
    detail: 'spec.services.loadBalancerProviders: amphora, ovn: the cloud has no load balancers',
    advice: 'remove the list and exclude LoadBalancer from spec.services.types, or install Octavia',
  },
  {
    change: {},
    spec: { allowed: { flavors: ['b3-*', 'c3-*'] } },
    detail: 'spec.allowed.flavors: c3-*: matches no flavor; the cloud has b3-8',
    advice: 'correct the entry, or remove it from the list',
  },
  {
    change: { flavors: { value: [{ id: 'f1', name: 'b3-8', vcpus: 1, memoryMiB: 1024, diskGiB: 10 }] } },
    spec: { allowed: { flavors: ['b3-*'] } },
    detail:
      'spec.allowed.flavors: b3-*: matches no flavor for nodes: b3-8 has 1024 MiB of memory: a node needs at least 2048 MiB, of which it reserves 1590 MB',
    advice: 'correct the entry, or remove it from the list',
  },
  {
    change: { images: { value: [{ id: 'i1', name: 'Ubuntu', distro: 'windows', version: '11' }] } },
    spec: { allowed: { images: ['Ubuntu'] } },
    detail:
      'spec.allowed.images: Ubuntu: matches no image for nodes: Ubuntu contains windows: nodes need ubuntu or debian',
    advice: 'correct the entry, or remove it from the list',
  },
  {
    change: {},
    spec: { allowed: { networks: ['n1', 'tenant-*'] } },
    detail: 'spec.allowed.networks: tenant-*: matches no network; the cloud has public',
    advice: 'correct the entry, or remove it from the list',
  },
  {
    change: {},
    spec: { allowed: { regions: ['R', 'east'] } },
    detail: 'spec.allowed.regions: east: matches no region; the cloud has R',
    advice: 'correct the entry, or remove it from the list',
  },
  {
    change: {},
    spec: {
      storage: {
        ...EMPTY,
        classes: [
          { ...CLASS, volumeType: 'v1' },
          { ...CLASS, name: 'b', volumeType: 'ssd' },
        ],
      },
    },
    detail:
      'spec.storage.classes: b: volumeType ssd: the cloud has the volume types classic, so cinder-csi is Degraded in each cluster',
    advice: 'correct volumeType, set "optional: true", or create the type',
  },
  {
    change: withoutService('block-storage'),
    spec: { storage: { ...EMPTY, classes: [{ ...CLASS, volumeType: 'ssd' }] } },
    detail: 'spec.storage.classes: fast: the cloud has no volumes',
    advice: 'set classes to [], or install Cinder',
  },
  {
    change: { externalNetworks: { value: [] } },
    spec: { network: { ...aPlan().spec.network, gatewayRequired: true } },
    detail: 'spec.network.gatewayRequired: true: the cloud has no external network, so routers have no gateway',
    advice: 'set it to false, or create an external network',
  },
  {
    change: {},
    spec: { controlPlane: { topology: 'MultiZone', replicas: 3 } },
    detail: 'spec.controlPlane.topology: MultiZone: the cloud has one zone, a, so nodes are not spread',
    advice: 'choose SingleZone, or add zones',
  },
  {
    change: {},
    spec: { kubernetes: { newest: '1.27' } },
    detail:
      'spec.kubernetes: newest 1.27: no KubernetesRelease within it is supported; the catalog has 1.31, 1.32, 1.33, 1.34, 1.35, 1.36',
    advice: 'change the window, or add a KubernetesRelease',
  },
])('$detail', ({ change, spec, detail, advice }) => {
  expect(findings(change, spec)).toEqual([{ check: 'plan free', status: 'warning', detail, advice }]);
});

describe('nothing is reported', () => {
  test.each<{ reason: string; change: Partial<CloudObservation>; spec: Spec }>([
    {
      reason: 'about optional classes',
      change: {},
      spec: { storage: { ...EMPTY, classes: [{ ...CLASS, volumeType: 'ssd', optional: true }] } },
    },
    {
      reason: 'about names whose lists do not arrive',
      change: {
        loadBalancerProviders: { problem: 'unavailable (500)' },
        computeZones: { problem: 'unavailable (500)' },
        externalNetworks: { problem: 'unavailable (500)' },
        ipv6Sources: { problem: 'unavailable (500)' },
        regions: [],
        choices: {
          flavors: { problem: 'unavailable (500)' },
          images: { problem: 'unavailable (500)' },
          networks: { problem: 'unavailable (500)' },
          volumeTypes: { problem: 'unavailable (500)' },
          maxVolumeSnapshots: { problem: 'unavailable (500)' },
        },
      },
      spec: {
        allowed: { flavors: ['x'], images: ['x'], networks: ['x'], regions: ['x'] },
        services: { loadBalancerProviders: ['x'], types: ['LoadBalancer'] },
        storage: { ...EMPTY, classes: [{ ...CLASS, volumeType: 'x' }] },
        network: { ...aPlan().spec.network, gatewayRequired: true, ipFamilies: ['IPv6'] },
        controlPlane: { topology: 'MultiZone', replicas: 3 },
      },
    },
    {
      reason: 'about an image of the project that does not state its distribution',
      change: { images: { value: [] } },
      spec: { allowed: { images: ['Ubuntu'] } },
    },
    {
      reason: 'about names with IDs',
      change: {},
      spec: { allowed: { flavors: ['f1'], images: ['i1'], networks: ['n1'] } },
    },
    { reason: 'about a window with supported versions', change: {}, spec: { kubernetes: { oldest: '1.35' } } },
  ])('$reason', ({ change, spec }) => {
    expect(findings(change, spec)).toEqual([]);
  });
});
