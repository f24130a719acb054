import { createHash } from 'node:crypto';
import type { CloudConfig, FlavorSpec, ImageSpec, LoadBalancerFlavorSpec, VolumeTypeSpec } from './config.ts';
import { NO_LATENCY } from './http/latency.ts';

/** Name, vCPUs, RAM in GiB and disk in GiB of flavors in OVHcloud's price list. */
const FLAVORS: readonly (readonly [name: string, vcpus: number, ramGiB: number, diskGiB: number])[] = [
  ['b3-8', 2, 8, 50],
  ['b3-16', 4, 16, 100],
  ['b3-32', 8, 32, 200],
  ['b3-64', 16, 64, 400],
  ['b3-128', 32, 128, 400],
  ['c3-4', 2, 4, 50],
  ['c3-8', 4, 8, 100],
  ['c3-16', 8, 16, 200],
  ['c3-32', 16, 32, 400],
  ['r3-16', 2, 16, 50],
  ['r3-32', 4, 32, 100],
  ['r3-64', 8, 64, 200],
  ['r3-128', 16, 128, 400],
  ['d2-2', 1, 2, 25],
  ['d2-4', 2, 4, 50],
  ['d2-8', 4, 8, 50],
  ['t1-45', 8, 45, 400],
];

/** Name, os_distro, os_version, size in MiB and default user of images. */
const IMAGES: readonly (readonly [name: string, distro: string, version: string, sizeMiB: number, user: string])[] = [
  ['Ubuntu 22.04', 'ubuntu', '22.04', 652, 'ubuntu'],
  ['Ubuntu 24.04', 'ubuntu', '24.04', 595, 'ubuntu'],
  ['Debian 12', 'debian', '12', 425, 'debian'],
];

/** OVHcloud's names for volume types. */
const VOLUME_TYPES = ['classic', 'high-speed', 'high-speed-gen2'];

/** OVHcloud's names for load balancer sizes, and the flavors of their servers. */
const LOAD_BALANCER_FLAVORS: readonly (readonly [name: string, computeFlavor: string])[] = [
  ['small', 'c3-4'],
  ['medium', 'c3-8'],
  ['large', 'c3-16'],
  ['xl', 'c3-32'],
];

const UNLIMITED = -1;

export const DEFAULT_CONFIG: CloudConfig = {
  region: 'RegionOne',
  entries: [
    { entry: 'simulator', user: 'demo', project: 'demo', role: 'member' },
    { entry: 'simulator-admin', user: 'admin', project: 'admin', role: 'admin' },
    { entry: 'simulator-reader', user: 'reader', project: 'demo', role: 'reader' },
    { entry: 'simulator-other', user: 'other', project: 'other', role: 'member' },
    { entry: 'simulator-service', user: 'fairway', project: 'service', role: 'service' },
  ],
  tokenLifetimeMs: 60 * 60 * 1000,
  flavors: FLAVORS.map(toFlavor),
  images: IMAGES.map(toImage),
  volumeTypes: [
    ...VOLUME_TYPES.map((name) => toVolumeType(name)),
    ...VOLUME_TYPES.map((name) => toVolumeType(`${name}-luks`, { isEncrypted: true })),
    toVolumeType('classic-multiattach', { extraSpecs: { multiattach: '<is> True' } }),
  ],
  shareTypes: [
    {
      id: '5a4e7e00-0000-4000-8000-000000000001',
      name: 'default',
      extraSpecs: {
        driver_handles_share_servers: 'False',
        snapshot_support: 'True',
        create_share_from_snapshot_support: 'True',
      },
    },
  ],
  zones: ['nova-a', 'nova-b', 'nova-c'].map((name) => ({
    name,
    hosts: 20,
    hostVcpus: 256,
    hostRamMiB: 1024 * 1024,
    hostDiskGiB: 20_000,
  })),
  externalNetwork: {
    name: 'public',
    cidr: '203.0.112.0/20',
    gatewayIp: '203.0.112.1',
    allocationPool: { start: '203.0.112.10', end: '203.0.127.250' },
  },
  loadBalancerProviders: ['amphora', 'ovn'],
  loadBalancerFlavors: LOAD_BALANCER_FLAVORS.map(toLoadBalancerFlavor),
  quotas: {
    compute: {
      instances: 500,
      cores: 4000,
      ram: 16 * 1024 * 1024,
      metadata_items: 128,
      key_pairs: 100,
      server_groups: 500,
      server_group_members: 100,
      injected_files: 5,
      injected_file_content_bytes: 10_240,
      injected_file_path_bytes: 255,
      fixed_ips: UNLIMITED,
      floating_ips: UNLIMITED,
      security_groups: UNLIMITED,
      security_group_rules: UNLIMITED,
    },
    network: {
      network: 200,
      subnet: 200,
      subnetpool: UNLIMITED,
      port: 2000,
      router: 200,
      floatingip: 500,
      security_group: 500,
      security_group_rule: 5000,
      rbac_policy: 10,
    },
    'load-balancer': {
      loadbalancer: 1000,
      listener: UNLIMITED,
      member: UNLIMITED,
      pool: UNLIMITED,
      healthmonitor: UNLIMITED,
      l7policy: UNLIMITED,
      l7rule: UNLIMITED,
    },
    'block-storage': {
      volumes: 1000,
      snapshots: 1000,
      gigabytes: 200_000,
      per_volume_gigabytes: UNLIMITED,
      backups: 10,
      backup_gigabytes: 1000,
      groups: 10,
    },
    'shared-file-system': {
      shares: 500,
      gigabytes: 100_000,
      snapshots: 500,
      snapshot_gigabytes: 100_000,
      share_networks: 0,
      share_groups: 0,
      share_group_snapshots: 0,
      share_replicas: 0,
      replica_gigabytes: 0,
      per_share_gigabytes: UNLIMITED,
    },
    'key-manager': {
      secrets: UNLIMITED,
      orders: UNLIMITED,
      containers: UNLIMITED,
      consumers: UNLIMITED,
      cas: UNLIMITED,
    },
  },
  latency: NO_LATENCY,
};

function toFlavor([name, vcpus, ramGiB, diskGiB]: (typeof FLAVORS)[number]): FlavorSpec {
  const gpu: Record<string, string> = name.startsWith('t1-') ? { 'pci_passthrough:alias': 'v100:1' } : {};
  return {
    id: fixedId('f1a0', name),
    name,
    vcpus,
    ramMiB: ramGiB * 1024,
    diskGiB,
    extraSpecs: { 'hw_rng:allowed': 'True', ...gpu },
  };
}

function toImage([name, distro, version, sizeMiB, user]: (typeof IMAGES)[number]): ImageSpec {
  return {
    id: fixedId('1a6e', name),
    name,
    sizeBytes: sizeMiB * 1024 * 1024,
    minDiskGiB: 3,
    minRamMiB: 0,
    properties: { os_distro: distro, os_version: version, os_type: 'linux', image_original_user: user },
  };
}

function toVolumeType(name: string, spec: Partial<VolumeTypeSpec> = {}): VolumeTypeSpec {
  const digits = createHash('md5').update(name).digest('hex');
  const id = `701e${digits.slice(0, 4)}-${digits.slice(4, 8)}-4${digits.slice(8, 11)}-8${digits.slice(11, 14)}-${digits.slice(14, 26)}`;
  return { id, name, extraSpecs: {}, isEncrypted: false, ...spec };
}

function toLoadBalancerFlavor([name, computeFlavor]: (typeof LOAD_BALANCER_FLAVORS)[number]): LoadBalancerFlavorSpec {
  return {
    id: fixedId('1bf1', name),
    profileId: fixedId('1bf0', name),
    name,
    description: `On servers of the flavor ${computeFlavor}`,
    data: { loadbalancer_topology: 'SINGLE', compute_flavor: fixedId('f1a0', computeFlavor) },
  };
}

/** An ID that is the same in every simulated cloud, so docs and examples can use it. */
function fixedId(kind: string, name: string): string {
  const digits = Buffer.from(name).toString('hex').padEnd(24, '0').slice(0, 24);
  return `${kind}${digits.slice(0, 4)}-${digits.slice(4, 8)}-4${digits.slice(8, 11)}-8${digits.slice(11, 14)}-${digits.slice(14, 24)}00`;
}
