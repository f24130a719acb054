import type { Row } from './row.ts';

export const PLAN_LIMITS_ROWS: readonly Row[] = [
  {
    name: 'an unknown default pod network',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { cni: { default: 'calico' } },
    refused: ['spec.cni.default: Unsupported value: "calico": supported values: "canal", "cilium", "none"'],
  },
  {
    name: 'no pod network allowed',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { cni: { allowed: [] } },
    refused: ['spec.cni.allowed: Invalid value: 0: spec.cni.allowed in body should have at least 1 items'],
    refusedByKubernetes: ['spec.cni.allowed: Invalid value: 0: spec.cni.allowed in body should have at least 1 items'],
  },
  {
    name: 'an unknown kube-proxy mode',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { kubeProxy: { allowed: ['ebpf'] } },
    refused: [
      'spec.kubeProxy.allowed[0]: Unsupported value: "ebpf": supported values: "iptables", "ipvs", "nftables", "none"',
    ],
  },
  {
    name: 'an unknown default kube-proxy mode',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { kubeProxy: { default: 'ebpf' } },
    refused: [
      'spec.kubeProxy.default: Unsupported value: "ebpf": supported values: "iptables", "ipvs", "nftables", "none"',
    ],
  },
  {
    name: 'a pod CIDR with host bits',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { podCIDR: '10.2.0.1/16' } },
    refused: [
      'spec.network.podCIDR: Invalid value: "10.2.0.1/16": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a service CIDR that is a word',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { serviceCIDR: 'any' } },
    refused: [
      'spec.network.serviceCIDR: Invalid value: "any": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a node CIDR without a prefix length',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { nodesCIDR: '10.1.0.0' } },
    refused: [
      'spec.network.nodesCIDR: Invalid value: "10.1.0.0": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'ranges of the user, by a word',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { customCIDRs: 'yes' } },
    refused: [
      'spec.network.customCIDRs: Invalid value: "string": spec.network.customCIDRs in body must be of type boolean: "string"',
    ],
  },
  {
    name: 'a reserved range that is a single address',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { reservedCIDRs: ['10.9.0.1'] } },
    refused: [
      'spec.network.reservedCIDRs[0]: Invalid value: "10.9.0.1": must be an IPv4 network with its host bits zero, such as 10.2.0.0/16',
    ],
  },
  {
    name: 'a gatewayRequired flag that is a word',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { gatewayRequired: 'no' } },
    refused: [
      'spec.network.gatewayRequired: Invalid value: "string": spec.network.gatewayRequired in body must be of type boolean: "string"',
    ],
  },
  {
    name: 'an unknown IP family',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { ipFamilies: ['IPv5'] } },
    refused: ['spec.network.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6", "DualStack"'],
  },
  {
    name: 'an IP family that Fairway does not build yet',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { network: { ipFamilies: ['IPv4', 'DualStack'] } },
    has: { 'spec.network.ipFamilies': ['IPv4', 'DualStack'] },
    warnings: ['spec.network.ipFamilies (DualStack): ignored by this release: all clusters are IPv4 only'],
  },
  {
    name: 'a list of no flavors',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { allowed: { flavors: [] } },
    refused: ['spec.allowed.flavors: Invalid value: 0: spec.allowed.flavors in body should have at least 1 items'],
    refusedByKubernetes: [
      'spec.allowed.flavors: Invalid value: 0: spec.allowed.flavors in body should have at least 1 items',
    ],
  },
  {
    name: 'an empty name of an image',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { allowed: { images: [''] } },
    refused: [
      'spec.allowed.images[0]: Invalid value: "": spec.allowed.images[0] in body should be at least 1 chars long',
    ],
  },
  {
    name: 'regions as a text',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { allowed: { regions: 'RegionOne' } },
    refused: [
      'spec.allowed.regions: Invalid value: "string": spec.allowed.regions in body must be of type array: "string"',
    ],
  },
  {
    name: 'networks by a pattern',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { allowed: { networks: ['team-*'] } },
    has: { 'spec.allowed.networks': ['team-*'] },
  },
  {
    name: 'an unknown upgrade strategy',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { allowed: { upgradeStrategies: ['Recreate'] } },
    refused: [
      'spec.allowed.upgradeStrategies[0]: Unsupported value: "Recreate": supported values: "InPlace", "Rolling"',
    ],
  },
  {
    name: 'an unknown default upgrade strategy',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { upgradeStrategy: 'Recreate' },
    refused: ['spec.upgradeStrategy: Unsupported value: "Recreate": supported values: "InPlace", "Rolling"'],
  },
  {
    name: 'a time to drain in words',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { drainTimeout: 'long' },
    refused: [
      'spec.drainTimeout: Invalid value: "long": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'a maximum drain timeout in words',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { maxDrainTimeout: 'long' },
    refused: [
      'spec.maxDrainTimeout: Invalid value: "long": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'healing by a reboot',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { healing: { strategy: 'Reboot' } },
    refused: ['spec.healing.strategy: Unsupported value: "Reboot": supported values: "Reinstall", "Replace"'],
  },
  {
    name: 'healing at once, in words',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { healing: { notReadyTimeout: 'now' } },
    refused: [
      'spec.healing.notReadyTimeout: Invalid value: "now": must be a duration such as 90s, 10m or 1h30m, of at most 99999h',
    ],
  },
  {
    name: 'a time to join below a minute',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { healing: { nodeStartupTimeout: '59s' } },
    refused: [
      'spec.healing.nodeStartupTimeout: Invalid value: "59s": must be a duration of at least one minute, such as 10m or 1h30m',
    ],
  },
  {
    name: 'a time to join',
    isUpdate: true,
    metadata: { name: 'canary' },
    spec: { healing: { nodeStartupTimeout: '20m' } },
    has: { 'spec.healing.nodeStartupTimeout': '20m' },
  },
  {
    name: 'a price',
    spec: {
      displayName: 'Mine',
      controlPlane: { topology: 'SingleZone', replicas: 1 },
      availability: { target: '99.5', kind: 'Objective' },
      etcd: { topology: 'Dedicated', baseMiB: 100, perNodeMiB: 0, maxMiB: 100 },
      maxNodes: 100,
      maxPodsPerNode: 110,
      cni: { default: 'canal', allowed: ['canal'] },
      kubeProxy: { default: 'iptables', allowed: ['iptables'] },
      network: {
        podCIDR: '10.2.0.0/16',
        serviceCIDR: '10.3.0.0/16',
        nodesCIDR: '10.1.0.0/20',
        customCIDRs: false,
        reservedCIDRs: [],
        gatewayRequired: false,
      },
      upgradeStrategy: 'Rolling',
      drainTimeout: '10m',
      healing: { strategy: 'Replace', notReadyTimeout: '10m' },
      price: 5,
    },
    refused: [
      'Plan in version "v1alpha1" cannot be handled as a Plan: strict decoding error: unknown field "spec.price"',
    ],
  },
  {
    name: 'all that a plan needs',
    spec: {
      displayName: 'Mine',
      controlPlane: { topology: 'SingleZone', replicas: 1 },
      availability: { target: '99.5', kind: 'Objective' },
      etcd: { topology: 'Dedicated', baseMiB: 100, perNodeMiB: 0, maxMiB: 100 },
      maxNodes: 100,
      maxPodsPerNode: 110,
      cni: { default: 'canal', allowed: ['canal'] },
      kubeProxy: { default: 'iptables', allowed: ['iptables'] },
      network: {
        podCIDR: '10.2.0.0/16',
        serviceCIDR: '10.3.0.0/16',
        nodesCIDR: '10.1.0.0/20',
        customCIDRs: false,
        reservedCIDRs: [],
        gatewayRequired: false,
      },
      upgradeStrategy: 'Rolling',
      drainTimeout: '10m',
      healing: { strategy: 'Replace', notReadyTimeout: '10m' },
    },
  },
];
