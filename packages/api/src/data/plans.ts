import { API_VERSION } from '../group.ts';
import type { Plan } from '../kinds/plan.ts';
import type { PlanStorageClass } from '../kinds/plan-storage.ts';

/**
 * The node range for all clusters that do not specify a network. They can share it, because each cluster gets a
 * separate network.
 */
const NODES_CIDR = '10.1.0.0/20';
/** The address of the cloud's metadata service. */
const LINK_LOCAL = '169.254.0.0/16';
/** Docker's bridge network, which container host images may create. */
const DOCKER_BRIDGE = '172.17.0.0/16';

/**
 * Classes and volume types, named as at OVHcloud. `default` uses the cloud's own default type, so it works in any
 * cloud.
 */
const STORAGE_CLASSES: readonly PlanStorageClass[] = [
  storageClass({ name: 'csi-cinder-high-speed', volumeType: 'high-speed', default: true }),
  storageClass({ name: 'default' }),
  ...['high-speed-gen2', 'classic'].map((type) => storageClass({ name: `csi-cinder-${type}`, volumeType: type })),
  ...['high-speed', 'high-speed-gen2', 'classic'].map((type) =>
    storageClass({ name: `csi-cinder-${type}-luks`, volumeType: `${type}-luks` }),
  ),
];

/**
 * The plans that Fairway ships. Limits and SLAs are those of OVHcloud's plans with the same names, except that
 * `standard` has the same cluster limit as `free`; at OVHcloud, the project quota sets that limit.
 */
export const SHIPPED_PLANS: readonly Plan[] = [
  {
    apiVersion: API_VERSION,
    kind: 'Plan',
    metadata: { name: 'free' },
    spec: {
      displayName: 'Free',
      description: 'For development and small services: a control plane in one zone, free of charge.',
      controlPlane: { topology: 'SingleZone', replicas: 1, memoryMiB: 2048 },
      availability: { target: '99.5', kind: 'Objective' },
      etcd: { topology: 'Shared', baseMiB: 10, perNodeMiB: 25, maxMiB: 400, snapshots: { interval: '24h', keep: 7 } },
      maxNodes: 100,
      maxPodsPerNode: 110,
      maxClusters: 20,
      cni: { default: 'canal', allowed: ['canal', 'none'] },
      kubeProxy: { default: 'iptables', allowed: ['iptables', 'ipvs', 'nftables'] },
      network: {
        podCIDR: '10.2.0.0/16',
        serviceCIDR: '10.3.0.0/16',
        nodesCIDR: NODES_CIDR,
        customCIDRs: false,
        reservedCIDRs: [DOCKER_BRIDGE, LINK_LOCAL],
        gatewayRequired: false,
      },
      storage: { classes: [...STORAGE_CLASSES], tenantClasses: 'Allowed' },
      // Free clusters support only in-place upgrades, standard ones only rolling upgrades:
      // https://docs.ovhcloud.com/en/guides/public-cloud/containers-orchestration/managed-kubernetes/understanding-mks-architecture
      allowed: { upgradeStrategies: ['InPlace'] },
      upgradeStrategy: 'InPlace',
      drainTimeout: '10m',
      healing: { strategy: 'Reinstall', notReadyTimeout: '10m' },
    },
  },
  {
    apiVersion: API_VERSION,
    kind: 'Plan',
    metadata: { name: 'standard' },
    spec: {
      displayName: 'Standard',
      description: 'For production: a control plane across three zones with its own etcd.',
      controlPlane: { topology: 'MultiZone', replicas: 3, memoryMiB: 8192 },
      availability: { target: '99.99', kind: 'Agreement' },
      etcd: {
        topology: 'Dedicated',
        baseMiB: 8192,
        perNodeMiB: 0,
        maxMiB: 8192,
        snapshots: { interval: '6h', keep: 28 },
      },
      maxNodes: 500,
      maxPodsPerNode: 110,
      maxClusters: 20,
      cni: { default: 'cilium', allowed: ['cilium', 'none'] },
      kubeProxy: { default: 'none', allowed: ['none'] },
      network: {
        podCIDR: '10.240.0.0/13',
        serviceCIDR: '10.3.0.0/16',
        nodesCIDR: NODES_CIDR,
        customCIDRs: true,
        reservedCIDRs: [LINK_LOCAL],
        gatewayRequired: true,
      },
      storage: { classes: [...STORAGE_CLASSES], tenantClasses: 'Allowed' },
      allowed: { upgradeStrategies: ['Rolling'] },
      upgradeStrategy: 'Rolling',
      drainTimeout: '10m',
      healing: { strategy: 'Replace', notReadyTimeout: '10m' },
    },
  },
];

function storageClass(fields: Pick<PlanStorageClass, 'name'> & Partial<PlanStorageClass>): PlanStorageClass {
  return {
    ...(fields.volumeType !== undefined && { optional: true }),
    default: false,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
    fsType: 'ext4',
    ...fields,
  };
}
