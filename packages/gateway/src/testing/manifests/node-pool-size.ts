import type { Row } from './row.ts';

export const NODE_POOL_SIZE_ROWS: readonly Row[] = [
  {
    name: 'cluster and flavor',
    spec: { clusterName: 'demo', flavor: 'b3-8' },
    has: {
      'spec.replicas': 1,
      'spec.minReplicas': 0,
      'spec.autoscaling.enabled': false,
      'spec.autoscaling.priority': 0,
      'spec.autoscaling.scaleDownUtilizationThreshold': '0.5',
      'spec.autoscaling.scaleDownUnneededTime': '10m',
      'spec.autoscaling.scaleDownUnreadyTime': '20m',
      'spec.antiAffinity': false,
      'spec.floatingIPs.enabled': false,
      'spec.upgradeStrategy.maxSurge': 1,
      'spec.upgradeStrategy.maxUnavailable': 0,
      'spec.template.spec.unschedulable': false,
    },
  },
  {
    name: 'no cluster',
    spec: { flavor: 'b3-8' },
    refused: ['spec.clusterName: Required value'],
  },
  {
    name: 'no flavor',
    spec: { clusterName: 'demo' },
    refused: ['spec.flavor: Required value'],
  },
  {
    name: 'nothing',
    spec: {},
    refused: ['spec.clusterName: Required value', 'spec.flavor: Required value'],
  },
  {
    name: 'a cluster that does not exist yet',
    spec: { clusterName: 'dmeo', flavor: 'b3-8' },
    warnings: [
      'spec.clusterName: the namespace has no cluster "dmeo" yet: the pool waits for it; did you mean "demo"?',
    ],
  },
  {
    name: 'an empty name of a cluster',
    spec: { clusterName: '', flavor: 'b3-8' },
    refused: ['spec.clusterName: Invalid value: "": spec.clusterName in body should be at least 1 chars long'],
  },
  {
    name: 'another cluster',
    isUpdate: true,
    metadata: { name: 'demo-general' },
    spec: { clusterName: 'small' },
    refused: [
      'spec.clusterName: Forbidden: cannot be changed after creation: the name is used by a pool of cluster "demo" and must be unique in the namespace: use "small-general", for example',
    ],
  },
  {
    name: 'a flavor that the cloud lacks',
    spec: { clusterName: 'demo', flavor: 'b3-9' },
    refused: [
      'spec.flavor: Not found: "b3-9": the cloud offers this project no such flavor; did you mean "b3-8" or "b3-16" or "b3-32"?',
    ],
  },
  {
    name: 'a flavor that the plan does not list',
    spec: { clusterName: 'listed', flavor: 'd2-4' },
    refused: [
      'spec.flavor: Invalid value: "d2-4": plan "listed" allows the flavors "b3-*": choose one of them, or another plan',
    ],
  },
  {
    name: 'an empty flavor',
    spec: { clusterName: 'demo', flavor: '' },
    refused: ['spec.flavor: Invalid value: "": spec.flavor in body should be at least 1 chars long'],
  },
  {
    name: 'another flavor',
    isUpdate: true,
    metadata: { name: 'demo-general' },
    spec: { flavor: 'b3-16' },
    has: { 'spec.flavor': 'b3-16' },
  },
  {
    name: 'a change to a flavor that the cloud does not have',
    isUpdate: true,
    metadata: { name: 'demo-general' },
    spec: { flavor: 'b3-9' },
    refused: [
      'spec.flavor: Not found: "b3-9": the cloud offers this project no such flavor; did you mean "b3-8" or "b3-16" or "b3-32"?',
    ],
  },
  {
    name: 'no nodes',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 0 },
  },
  {
    name: 'fewer nodes than none',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: -1 },
    refused: ['spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0'],
    refusedByCrd: [
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
      'spec.replicas: Invalid value: must not be less than minReplicas: raise it, or lower minReplicas',
    ],
    refusedByKubernetes: [
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
      '.spec.replicas: Invalid value: -1: should be a non-negative integer',
      'spec.replicas: Invalid value: must not be less than minReplicas: raise it, or lower minReplicas',
    ],
  },
  {
    name: 'half a node',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 1.5 },
    refused: ['spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"'],
    refusedByKubernetes: [
      'spec.replicas: Invalid value: "float64": spec.replicas in body must be of type int32: "float64"',
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas',
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64',
    ],
  },
  {
    name: 'nodes in words',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 'three' },
    refused: ['spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"'],
    refusedByKubernetes: [
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: three is of the type string, expected int64',
    ],
  },
  {
    name: 'a thousand nodes',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 1000 },
    refused: ['spec.replicas: Invalid value: 1000: spec.replicas in body should be less than or equal to 999'],
    refusedByCrd: [
      'spec.replicas: Invalid value: 1000: spec.replicas in body should be less than or equal to 999',
      'spec.replicas: Invalid value: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
  },
  {
    name: 'more nodes than maxReplicas',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 4, maxReplicas: 3 },
    refused: [
      'spec.replicas: Invalid value: 4: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      'spec.replicas: Invalid value: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
  },
  {
    name: 'more nodes than the default of maxReplicas',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 101 },
    refused: [
      'spec.replicas: Invalid value: 101: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      'spec.replicas: Invalid value: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
  },
  {
    name: 'fewer nodes than minReplicas',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 1, minReplicas: 2 },
    refused: ['spec.replicas: Invalid value: 1: must not be less than minReplicas: raise it, or lower minReplicas'],
    refusedByCrd: ['spec.replicas: Invalid value: must not be less than minReplicas: raise it, or lower minReplicas'],
  },
  {
    name: 'minReplicas above maxReplicas',
    spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 4, minReplicas: 4, maxReplicas: 3 },
    refused: [
      'spec.minReplicas: Invalid value: 4: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
      'spec.replicas: Invalid value: 4: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
    refusedByCrd: [
      'spec.minReplicas: Invalid value: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
      'spec.replicas: Invalid value: must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
    ],
  },
  {
    name: 'maxReplicas above 999',
    spec: { clusterName: 'demo', flavor: 'b3-8', maxReplicas: 1000 },
    refused: ['spec.maxReplicas: Invalid value: 1000: spec.maxReplicas in body should be less than or equal to 999'],
  },
  {
    name: 'more nodes than the plan still allows',
    spec: { clusterName: 'small', flavor: 'b3-8', replicas: 2 },
    refused: [
      'spec.replicas: Invalid value: 2: plan "small" allows 3 nodes per cluster, and the other pools of the cluster have 2: must be at most 1, or scale down those pools',
    ],
  },
  {
    name: 'a pool that grows beyond the plan',
    isUpdate: true,
    metadata: { name: 'small-general' },
    spec: { replicas: 4 },
    refused: ['spec.replicas: Invalid value: 4: plan "small" allows 3 nodes per cluster: must be at most 3'],
  },
  {
    name: 'more nodes than the node CIDR has addresses',
    spec: { clusterName: 'narrow', flavor: 'b3-8', replicas: 20 },
    refused: [
      "spec.replicas: Invalid value: 20: the nodes' CIDR 192.168.7.0/28 has room for 10 nodes, but the pools of the cluster have 20: ask for at most 10 here, or create a cluster with a larger spec.network.nodesCIDR",
    ],
  },
  {
    name: 'more nodes than the quota allows',
    spec: { clusterName: 'custom', flavor: 'b3-128', replicas: 130, maxReplicas: 200 },
    warnings: [
      "spec.replicas: 130 more nodes need 17039360 MiB of memory, but the project's quota of 16777216 has 16777216 left: some nodes will wait until there is room",
      "spec.replicas: 130 more nodes need 4160 cores, but the project's quota of 4000 has 4000 left: some nodes will wait until there is room",
    ],
  },
];
