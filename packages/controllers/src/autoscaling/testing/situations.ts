import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { Situation } from './situation.ts';

type PodSpec = Pod['spec'];

const ZONE_LABEL = 'topology.kubernetes.io/zone';
const HOSTNAME_LABEL = 'kubernetes.io/hostname';
const SAFE_TO_EVICT_ANNOTATION = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const SCALE_DOWN_DISABLED_ANNOTATION = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';

/** Forbids two pods of the app from having the same value of `topologyKey`. */
function antiAffinity(app: string, topologyKey: string): Partial<PodSpec> {
  const term = { topologyKey, labelSelector: { matchLabels: { app } } };
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

function topologySpread(app: string, topologyKey: string): Partial<PodSpec> {
  const constraint = { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' };
  return { topologySpreadConstraints: [{ ...constraint, labelSelector: { matchLabels: { app } } }] };
}

/** More than half of a b3-8 node, so that the node is needed. */
const BUSY_CPU = '1200m';
/** A pool with one needed node; whether the other node is needed depends on its pods. */
const TWO_NODES = { general: { size: 2, canShrink: true } };
const busyNode = { busy: { on: ['general/0'], cpu: BUSY_CPU } };

const UP: readonly Situation[] = [
  {
    key: 'cpu',
    name: 'Pods request more CPU than is left',
    pools: { general: { size: 1 } },
    workloads: { busy: { on: ['general/0'], cpu: BUSY_CPU }, web: { waiting: 3, cpu: '800m' } },
    expectedSizes: { general: 3 },
  },
  {
    key: 'memory',
    name: 'Pods request more memory than is left',
    pools: { general: { size: 1, flavor: 'c3-4' } },
    workloads: {
      busy: { on: ['general/0'], cpu: '100m', memory: '1500Mi' },
      web: { waiting: 2, cpu: '100m', memory: '1400Mi' },
    },
    expectedSizes: { general: 3 },
  },
  {
    key: 'huge',
    name: 'A pod is larger than any node',
    pools: { general: {}, large: { flavor: 'b3-16' } },
    workloads: { web: { waiting: 1, cpu: '64' } },
  },
  {
    key: 'max',
    name: 'More pods are pending than maxReplicas allows nodes',
    pools: { general: { size: 1, max: 2 } },
    workloads: { busy: { on: ['general/0'], cpu: BUSY_CPU }, web: { waiting: 4, cpu: '1500m' } },
    expectedSizes: { general: 2 },
  },
  {
    key: 'label',
    name: 'From zero: the pod selects a label of one pool',
    pools: { plain: {}, ssd: { labels: { disk: 'ssd' } } },
    workloads: { web: { waiting: 1, cpu: '500m', spec: { nodeSelector: { disk: 'ssd' } } } },
    expectedSizes: { ssd: 1 },
  },
  {
    key: 'taint',
    name: 'From zero: the pod does not tolerate the taint of the better pool',
    pools: { batch: { taints: [{ key: 'batch', value: 'yes', effect: 'NoSchedule' }] }, plain: { flavor: 'b3-16' } },
    workloads: { web: { waiting: 1, cpu: '1500m' } },
    expectedSizes: { plain: 1 },
  },
  {
    key: 'waste',
    name: 'From zero: either a small or a large node would suffice',
    pools: { large: { flavor: 'b3-16' }, small: {} },
    workloads: { web: { waiting: 1, cpu: '1500m' } },
    expectedSizes: { small: 1 },
  },
  {
    key: 'priority',
    name: 'The large pool has the higher priority',
    pools: { large: { flavor: 'b3-16', priority: 10 }, small: {} },
    workloads: { web: { waiting: 1, cpu: '1500m' } },
    expectedSizes: { large: 1 },
  },
  {
    key: 'zones',
    name: 'A pool over three zones gets three nodes',
    pools: { general: { zones: ['nova-a', 'nova-b', 'nova-c'] } },
    workloads: { web: { waiting: 3, cpu: '1500m' } },
    expectedSizes: { general: 3 },
  },
  {
    key: 'alike',
    name: 'Three equal pools, one in each zone, and three pods',
    pools: { a: { zones: ['nova-a'] }, b: { zones: ['nova-b'] }, c: { zones: ['nova-c'] } },
    workloads: { web: { waiting: 3, cpu: '1500m' } },
    expectedSizes: { a: 3 },
    difference:
      'Fairway balances the zones of one pool, and does not treat pools as similar: give one pool all zones (`availabilityZones`). Without `--balance-similar-node-groups` cluster-autoscaler also picks one of the three.',
  },
  {
    key: 'spread',
    name: 'Pods spread over zones that are full',
    pools: { a: { size: 1, zones: ['nova-a'] }, b: { size: 1, zones: ['nova-b'] } },
    workloads: {
      busy: { on: ['a/0', 'b/0'], cpu: BUSY_CPU },
      web: { waiting: 2, cpu: '1500m', spec: topologySpread('spread-web', ZONE_LABEL) },
    },
    expectedSizes: { a: 2, b: 2 },
  },
  {
    key: 'apart',
    name: 'Pods that must not share a node',
    pools: { general: { size: 1 } },
    workloads: { web: { on: ['general/0'], waiting: 2, cpu: '100m', spec: antiAffinity('apart-web', HOSTNAME_LABEL) } },
    expectedSizes: { general: 3 },
  },
  {
    key: 'volume',
    name: 'The volume of the pod is in a zone',
    pools: { a: { zones: ['nova-a'] }, b: { zones: ['nova-b'] } },
    workloads: { database: { waiting: 1, cpu: '500m', volumeIn: 'nova-b' } },
    expectedSizes: { b: 1 },
  },
  {
    key: 'daemon',
    name: 'A DaemonSet requests half of each node',
    pools: { general: {} },
    daemonCpu: '900m',
    workloads: { web: { waiting: 2, cpu: '600m' } },
    expectedSizes: { general: 2 },
  },
  {
    key: 'idle',
    name: 'A pod with a priority below -10 is pending',
    pools: { general: {} },
    workloads: { batch: { waiting: 1, cpu: '500m', priority: -20 } },
  },
  {
    key: 'deleted',
    name: 'A pending pod is being deleted',
    pools: { general: {} },
    workloads: { web: { waiting: 1, cpu: '500m', isBare: true, isBeingDeleted: true } },
  },
  {
    key: 'stock',
    name: 'The cloud has no capacity for the preferred flavor',
    pools: { large: { flavor: 'c3-32', priority: 10 }, small: {} },
    outOfStock: 'c3-32',
    workloads: { web: { waiting: 1, cpu: '1500m' } },
    expectedSizes: { small: 1 },
  },
];

const SCALE_DOWN_SITUATIONS: readonly Situation[] = [
  {
    key: 'empty',
    name: 'A node is empty',
    pools: TWO_NODES,
    workloads: busyNode,
    expectedSizes: { general: 1 },
    gone: ['general/1'],
  },
  {
    key: 'underused',
    name: 'A node is less than half utilized, and its pods fit elsewhere',
    pools: TWO_NODES,
    workloads: { ...busyNode, web: { on: ['general/1', 'general/1'], cpu: '100m' } },
    expectedSizes: { general: 1 },
    gone: ['general/1'],
  },
  {
    key: 'nowhere',
    name: 'A node is less than half utilized, and its pod fits nowhere else',
    pools: TWO_NODES,
    workloads: { ...busyNode, web: { on: ['general/1'], cpu: '700m' } },
  },
  {
    key: 'budget',
    name: 'A PodDisruptionBudget allows no eviction of the node’s pods',
    pools: TWO_NODES,
    workloads: { ...busyNode, web: { on: ['general/1'], cpu: '100m' } },
    budgets: { web: 1 },
  },
  {
    key: 'safe',
    name: `A pod of the node has ${SAFE_TO_EVICT_ANNOTATION}: "false"`,
    pools: TWO_NODES,
    workloads: {
      ...busyNode,
      web: { on: ['general/1'], cpu: '100m', annotations: { [SAFE_TO_EVICT_ANNOTATION]: 'false' } },
    },
  },
  {
    key: 'bare',
    name: 'A pod of the node has no controller',
    pools: TWO_NODES,
    workloads: { ...busyNode, web: { on: ['general/1'], cpu: '100m', isBare: true } },
  },
  {
    key: 'local',
    name: 'A pod of the node has local storage (emptyDir)',
    pools: TWO_NODES,
    workloads: {
      ...busyNode,
      web: { on: ['general/1'], cpu: '100m', spec: { volumes: [{ name: 'a', emptyDir: {} }] } },
    },
    expectedSizes: { general: 1 },
    gone: ['general/1'],
    difference:
      'cluster-autoscaler does not move pods with local storage, unless started with `--skip-nodes-with-local-storage=false`. Fairway moves them, like OVHcloud.',
  },
  {
    key: 'system',
    name: 'A pod of kube-system without a budget runs on the node',
    pools: TWO_NODES,
    workloads: { ...busyNode, web: { on: ['general/1'], cpu: '100m', namespace: 'kube-system' } },
    expectedSizes: { general: 1 },
    gone: ['general/1'],
    difference:
      'cluster-autoscaler keeps nodes with such pods for an hour, unless started with `--skip-nodes-with-system-pods=false`. Fairway moves them, like OVHcloud.',
  },
  {
    key: 'min',
    name: 'Two nodes are empty, and minReplicas is 2',
    pools: { general: { size: 2, min: 2, canShrink: true } },
    workloads: {},
  },
  {
    key: 'later',
    name: 'A node is empty, and scaleDownUnneededTime has not passed yet',
    pools: { general: { size: 2 } },
    workloads: busyNode,
  },
  {
    key: 'disabled',
    name: `An empty node has ${SCALE_DOWN_DISABLED_ANNOTATION}: "true"`,
    pools: { general: { size: 1, canShrink: true, annotations: { [SCALE_DOWN_DISABLED_ANNOTATION]: 'true' } } },
    workloads: {},
  },
];

/** The situations in which Fairway's autoscaler and cluster-autoscaler are compared. */
export const SITUATIONS: readonly Situation[] = [...UP, ...SCALE_DOWN_SITUATIONS];
