import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aNodePool } from '@fairway/api/testing/objects';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { aNode, aPod, specWithRequests } from '@fairway/scheduling/testing/objects';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { expect, test } from 'vitest';
import type { PoolTemplates } from '../autoscaling/pool-templates.ts';
import { pauseUntil } from './pace.ts';
import { placementFindings } from './placement.ts';
import type { PoolUpdate } from './pool-updates.ts';

const NOTHING = { labelsOf: () => ({}), reader: { get: () => undefined, list: () => [] } };

function nodeOf(name: string, more: { readonly unschedulable?: boolean; readonly isReady?: boolean } = {}): TenantNode {
  const { metadata, status } = aNode(name, { labels: { name } });
  const ready = { type: 'Ready', status: more.isReady === false ? 'False' : 'True' };
  return {
    metadata,
    spec: more.unschedulable ? { unschedulable: true } : {},
    status: { ...(status?.allocatable && { allocatable: status.allocatable }), conditions: [ready] },
  };
}

/** A pod on a node of two CPUs. */
const podOf = (name: string, nodeName: string, cpu = '1', spec: Partial<Pod['spec']> = {}) => ({
  pod: aPod(name, { ...specWithRequests(cpu), nodeName, ...spec }, { name }),
  isReady: true,
  hasLocalData: false,
});

interface PlacementOptions {
  readonly strategy?: 'InPlace' | 'Rolling';
  readonly maxSurge?: number;
  readonly width?: number;
  readonly outdated?: readonly string[];
  readonly nodes?: readonly TenantNode[];
  readonly pods: readonly ReturnType<typeof podOf>[];
  readonly hasTemplate?: boolean;
}

async function stuckPodsOf(options: PlacementOptions) {
  const { strategy = 'Rolling', maxSurge = 1, width = 1, outdated = ['a', 'b'] } = options;
  const pool: NodePool = aNodePool({}, { name: 'general' });
  const renewal = {
    pool,
    name: 'general',
    strategy,
    limits: { maxSurge, maxUnavailable: 0 },
    width,
    extra: strategy === 'Rolling' ? maxSurge : 0,
    outdated: outdated.map((name) => ({
      machine: { metadata: { name }, spec: {} } as Machine,
      cause: { cause: 'Asked', change: 'reinstall', difference: '' },
    })),
  } as unknown as PoolUpdate;
  const newNode = (name: string) => ({ node: aNode(name), pods: [] });
  const templates: PoolTemplates = options.hasTemplate === false ? new Map() : new Map([[pool, newNode]]);
  const { nodes = [nodeOf('a'), nodeOf('b')], pods } = options;
  const findings = await placementFindings([renewal], { nodes, pods, templates, context: NOTHING }, async () => {});
  return findings.map(({ effect, type, objects = [] }) =>
    [effect, type, ...objects.map((each) => each.split(':')[0])].join(' '),
  );
}

const FULL = [podOf('a1', 'a', '1500m'), podOf('b1', 'b', '1500m')];
const HALF_NODE_PODS = [podOf('a1', 'a', '500m'), podOf('b1', 'b', '500m')];
const DELETE_STUCK = 'Loses PodsUnschedulable';

test.each<PlacementOptions & { reason: string; is: readonly string[] }>([
  { reason: 'in place, with room on the other node', strategy: 'InPlace', pods: HALF_NODE_PODS, is: [] },
  { reason: 'in place, without room', strategy: 'InPlace', pods: FULL, is: [`${DELETE_STUCK} default/a1 default/b1`] },
  { reason: 'a new node provides the room first', pods: FULL, is: [] },
  { reason: 'no new node is created first', maxSurge: 0, pods: FULL, is: [`${DELETE_STUCK} default/a1 default/b1`] },
  {
    reason: 'a pod that is bound to its node',
    pods: [podOf('a1', 'a', '100m', { nodeSelector: { name: 'a' } })],
    is: [`${DELETE_STUCK} default/a1`],
  },
  {
    reason: 'a taint on the new node comes from the pool, not the pod: other pods avoid it',
    pods: HALF_NODE_PODS,
    nodes: [nodeOf('a'), nodeOf('b', { unschedulable: true })],
    strategy: 'InPlace',
    is: [`${DELETE_STUCK} default/a1`],
  },
  {
    reason: 'a broken node accepts no pods',
    pods: HALF_NODE_PODS,
    nodes: [nodeOf('a'), nodeOf('b', { isReady: false })],
    strategy: 'InPlace',
    is: [`${DELETE_STUCK} default/a1`],
  },
  {
    reason: 'two at a time after the first need each other’s room',
    strategy: 'InPlace',
    width: 2,
    outdated: ['a', 'b', 'c'],
    nodes: [nodeOf('a'), nodeOf('b'), nodeOf('c')],
    pods: [podOf('a1', 'a', '1'), podOf('b1', 'b', '1'), podOf('c1', 'c', '1')],
    is: [`${DELETE_STUCK} default/c1`],
  },
  {
    reason: 'two at a time with two new nodes',
    maxSurge: 2,
    width: 2,
    outdated: ['a', 'b', 'c'],
    nodes: [nodeOf('a'), nodeOf('b'), nodeOf('c')],
    pods: [podOf('a1', 'a', '1500m'), podOf('b1', 'b', '1500m'), podOf('c1', 'c', '1500m')],
    is: [],
  },
  {
    reason: 'the capacity of a new node is unknown',
    pods: FULL,
    hasTemplate: false,
    is: [`${DELETE_STUCK} default/a1 default/b1`, 'Unknown FlavorNotFound'],
  },
  { reason: 'a machine that is not a node yet', outdated: ['z'], pods: FULL, is: [] },
])('$reason: $is', async ({ is, ...options }) => {
  expect(await stuckPodsOf(options)).toEqual(is);
});

test('yields to other work, and ends once its time limit has passed, regardless of the number of pods on a node', async () => {
  const antiAffinity = (name: string) => ({
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { name } } },
      ],
    },
  });
  const names = Array.from({ length: 5_000 }, (_, index) => `pod-${index}`);
  const pods = names.map((name) => podOf(name, 'a', '1m', { affinity: antiAffinity(name) }));
  const late = new AbortController();
  let turns = 0;
  const timer = setInterval(() => ++turns === 3 && late.abort(new Error('too late')), 1);
  const pool = aNodePool({}, { name: 'general' });
  const outdated = [{ machine: { metadata: { name: 'a' }, spec: {} } as Machine, cause: { change: 'reinstall' } }];
  const limits = { maxSurge: 0, maxUnavailable: 1 };
  const renewal = { pool, strategy: 'InPlace', limits, width: 1, extra: 0, outdated } as unknown as PoolUpdate;
  const facts = { nodes: [nodeOf('a'), nodeOf('b')], pods, templates: new Map(), context: NOTHING };

  await expect(placementFindings([renewal], facts, pauseUntil(late.signal))).rejects.toThrow('too late');
  clearInterval(timer);
});
