import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aNodePool } from '@fairway/api/testing/objects';
import type { PoolFacts } from '@fairway/controllers/autoscaling/cluster-view';
import { type Decision, type DecisionFacts, decide } from '@fairway/controllers/autoscaling/decision';
import { nodeTemplate } from '@fairway/controllers/autoscaling/node-template';
import { trimPod } from '@fairway/controllers/autoscaling/trim';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { type Figure, formatFigures, median } from './figures.ts';

const NODES = 500;
const PODS_PER_NODE = 10;
const PENDING_PODS = 1_000;
const ROUNDS = 5;
const ZONES = ['nova-1', 'nova-2', 'nova-3'];
const NOW = Date.UTC(2026, 0, 1, 12);
const LONG_AGO = '2026-01-01T00:00:00Z';

/**
 * Shapes of pending pods: pods of the same deployment are identical. The worst case for a scheduler is when all pods
 * differ.
 */
const WORKLOADS = [
  { name: '50 deployments, a third with affinity or spread constraints', deployments: 50, constrained: 3 },
  { name: 'all different', deployments: PENDING_PODS, constrained: 0 },
  { name: 'all different, a third with affinity or spread constraints', deployments: PENDING_PODS, constrained: 3 },
];

/** Measures how long one decision about a large cluster takes, and how much memory the cluster needs in Fairway. */
export async function benchAutoscaling(print: (text: string) => void): Promise<void> {
  const pools = ['small', 'medium', 'large', 'tainted'].map((name, index) => poolOf(name, index));
  const figures: Figure[] = [];
  const before = heapMiB();
  const nodes = nodesOf(pools);
  const running = nodes.flatMap((node, at) =>
    Array.from({ length: PODS_PER_NODE }, (_, index) =>
      podOf(`running-${at}-${index}`, at % 100, 3, node.metadata.name),
    ),
  );
  figures.push({
    name: `memory of ${NODES} nodes and ${running.length} pods`,
    unit: 'MiB',
    value: heapMiB() - before,
    goal: { kind: 'at-most', value: 300 },
  });
  for (const { name, deployments, constrained } of WORKLOADS) {
    const pending = Array.from({ length: PENDING_PODS }, (_, index) =>
      podOf(`pending-${index}`, 100 + (index % deployments), constrained),
    );
    const facts = factsOf(pools, nodes, [...running, ...pending]);
    figures.push({
      name: `a decision about ${PENDING_PODS} pending pods: ${name}`,
      unit: 'ms',
      value: measureDecision(facts, ({ poolScaleUps }) => poolScaleUps.length > 0),
      goal: { kind: 'at-most', value: 1_000 },
    });
  }
  const fewPods = running.filter((_, index) => index % PODS_PER_NODE < 4);
  figures.push({
    name: `deciding which of ${NODES} under-used nodes the cluster could do without`,
    unit: 'ms',
    value: measureDecision(factsOf(pools, nodes, fewPods), ({ marks }) => marks.some(({ mark }) => mark !== undefined)),
    goal: { kind: 'at-most', value: 1_000 },
  });
  print(formatFigures(`Autoscaling of ${NODES} nodes in ${pools.length} pools with ${running.length} pods`, figures));
}

/** Duration of the median round in milliseconds; throws if the decision is not as expected. */
function measureDecision(facts: DecisionFacts, isExpected: (decision: Decision) => boolean): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    const decision = decide(facts);
    times.push(performance.now() - startMs);
    if (!isExpected(decision)) throw new Error('not the decision that should be measured');
  }
  return median(times);
}

function poolOf(name: string, index: number): NodePool {
  const taints = name === 'tainted' ? [{ key: 'only', value: 'some', effect: 'NoSchedule' as const }] : [];
  const size = { maxReplicas: 999, availabilityZones: ZONES, autoscaling: { enabled: true } };
  const pool = aNodePool({ ...size, template: { spec: { taints } } }, { name, uid: `pool-${index}` });
  const replicas = NODES / 4;
  return {
    ...pool,
    status: { autoscaling: { replicas, reason: 'ScaledUp', message: '', time: LONG_AGO } },
  };
}

function nodesOf(pools: readonly NodePool[]): TenantNode[] {
  return Array.from({ length: NODES }, (_, index) => {
    const pool = pools[index % pools.length]?.metadata.name ?? '';
    const name = `${pool}-${index}`;
    return deepCopy<TenantNode>({
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'topology.kubernetes.io/zone': ZONES[index % ZONES.length] ?? '',
          'fairway.dev/node-pool': pool,
        },
        creationTimestamp: LONG_AGO,
      },
      spec: pool === 'tainted' ? { taints: [{ key: 'only', value: 'some', effect: 'NoSchedule' }] } : {},
      status: {
        allocatable: { cpu: '3830m', memory: '14Gi', pods: '110' },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
  });
}

/** Pods of a deployment; every `constrained`-th deployment has anti-affinity or a spread constraint. */
function podOf(name: string, deployment: number, constrained: number, nodeName?: string): Pod {
  const app = `app-${deployment}`;
  const selector = { matchLabels: { app } };
  const isConstrained = constrained > 0 && deployment % constrained === 0;
  const isSpread = isConstrained && deployment % 2 === 0;
  const pod: Pod = {
    metadata: {
      name,
      namespace: `team-${deployment % 20}`,
      uid: `uid-${name}`,
      labels: { app, 'pod-template-hash': `hash-${deployment}`, tier: 'backend' },
      annotations: { 'example.org/checksum': 'x'.repeat(400), 'example.org/config': 'y'.repeat(400) },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `rs-${deployment}`, controller: true },
      ],
      creationTimestamp: LONG_AGO,
    },
    spec: {
      containers: ['main', 'sidecar'].map((container) => ({
        name: container,
        image: `registry.example.org/team/${app}:1.2.3`,
        env: Array.from({ length: 20 }, (_, index) => ({ name: `SETTING_${index}`, value: 'z'.repeat(40) })),
        resources: { requests: { cpu: `${100 + (deployment % 7) * 20}m`, memory: `${256 + (deployment % 5) * 64}Mi` } },
      })),
      priority: 0,
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      ...(isSpread && {
        topologySpreadConstraints: [
          {
            maxSkew: 5,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: selector,
          },
        ],
      }),
      ...(isConstrained &&
        !isSpread && {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: selector },
              ],
            },
          },
        }),
      ...(nodeName !== undefined && { nodeName }),
    },
    status: {
      phase: nodeName === undefined ? 'Pending' : 'Running',
      conditions: [
        { type: 'PodScheduled', status: nodeName === undefined ? 'False' : 'True', reason: 'Unschedulable' },
      ],
    },
  };
  return trimPod(deepCopy(pod));
}

/** Deep-copies a value, as if an API server had sent it: the copy shares nothing with other objects. */
function deepCopy<T>(object: T): T {
  return JSON.parse(JSON.stringify(object)) as T;
}

function factsOf(pools: readonly NodePool[], nodes: readonly TenantNode[], pods: readonly Pod[]): DecisionFacts {
  const byPool = Map.groupBy(nodes, ({ metadata }) => metadata.labels?.['fairway.dev/node-pool']);
  const sizes = [4, 8, 16, 4];
  const facts: PoolFacts[] = pools.map((pool, index) => {
    const name = pool.metadata.name ?? '';
    const vcpus = sizes[index] ?? 4;
    return {
      pool,
      name,
      replicas: NODES / 4,
      newNode: nodeTemplate({
        pool,
        flavor: { name: `b3-${vcpus * 4}`, vcpus, memoryMiB: vcpus * 4096, diskGiB: 100 },
        maxPods: 110,
        region: 'RegionOne',
        defaultZone: undefined,
        sampleNode: undefined,
        daemonSets: [],
      }),
      machines: (byPool.get(name) ?? []).map((node) => {
        const zone = node.metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
        return { machine: machineOf(node, name, zone), node, state: { kind: 'node', isReady: true } };
      }),
    };
  });
  return {
    pools: facts,
    nodes,
    pods,
    budgets: [],
    context: { labelsOf: () => ({}), reader: { get: () => undefined, list: () => [] } },
    limit: { nodes: 2_000, problem: { reason: 'PlanLimitExceeded', message: '' } },
    nowMs: NOW,
  };
}

function machineOf({ metadata }: TenantNode, nodePoolName: string, zone: string): Machine {
  const spec = {
    clusterName: 'demo',
    nodePoolName,
    flavor: 'b3-16',
    image: 'image',
    version: '1.34.2',
    floatingIP: false,
    zone,
  };
  const { name = '' } = metadata;
  return { metadata: { name, namespace: 'team', creationTimestamp: LONG_AGO }, spec, status: { readyTime: LONG_AGO } };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
