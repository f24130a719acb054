import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { ClusterSnapshot, type SnapshotContext } from './cluster-snapshot.ts';
import { staysWithNode, tryRemoval } from './node-removal.ts';
import { placeGroup } from './placement.ts';
import { groupPods } from './pod-group.ts';
import { aNode, aPod, specWithRequests } from './testing/objects.ts';

const context: SnapshotContext = {
  labelsOf: () => ({}),
  reader: { get: () => undefined, list: () => [] },
};

function on(nodeName: string, pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName } };
}

function snapshotOf(nodes: readonly Node[], pods: readonly Pod[] = [], contextOverride = context): ClusterSnapshot {
  return ClusterSnapshot.of(nodes, pods, contextOverride);
}

const perHost = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
    ],
  },
};

describe('a fork', () => {
  it('does not change its origin', () => {
    const snapshot = snapshotOf([aNode('a'), aNode('b')], [on('a', aPod('x'))]);
    const fork = snapshot.fork();

    fork.place(aPod('y'), 'a');
    fork.removeNode('b');
    fork.addNode(aNode('c'), [aPod('of-daemon-set')]);

    expect([...(snapshot.node('a')?.pods.keys() ?? [])]).toEqual(['default/x']);
    expect([...snapshot.nodes()].map(({ node }) => node.metadata.name)).toEqual(['a', 'b']);
    expect([...(fork.node('a')?.pods.keys() ?? [])]).toEqual(['default/x', 'default/y']);
    expect([...fork.nodes()].map(({ node }) => node.metadata.name)).toEqual(['a', 'c']);
  });

  it('starts without the changes of an earlier fork', () => {
    const snapshot = snapshotOf([aNode('a', { cpu: '1' })]);
    snapshot.fork().place(aPod('x', specWithRequests('1')), 'a');

    const { unplaced } = placeGroup(snapshot.fork(), { pods: [aPod('y')], sample: aPod('y', specWithRequests('1')) });

    expect(unplaced).toEqual([]);
  });
});

describe('placing equal pods', () => {
  const podNames = ['x', 'y', 'z'];

  it.each([
    {
      reason: 'fills one node before the next',
      pods: podNames.map((name) => aPod(name, specWithRequests('500m'))),
      expected: ['a', 'a', 'b'],
      left: [],
    },
    {
      reason: 'puts each pod on its own node if anti-affinity requires it',
      pods: podNames.map((name) => aPod(name, { affinity: perHost }, { app: 'web' })),
      expected: ['a', 'b'],
      left: ['z'],
    },
    {
      reason: 'respects the skew between nodes',
      pods: podNames.map((name) =>
        aPod(
          name,
          {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'DoNotSchedule',
                labelSelector: { matchLabels: { app: 'web' } },
              },
            ],
          },
          { app: 'web' },
        ),
      ),
      expected: ['a', 'b', 'a'],
      left: [],
    },
  ])('$reason', ({ pods, expected, left }) => {
    const snapshot = snapshotOf([aNode('a', { cpu: '1' }), aNode('b', { cpu: '1' })]);
    const groups = groupPods(pods);

    const result = placeGroup(snapshot, groups[0] as (typeof groups)[number]);

    expect(groups).toHaveLength(1);
    expect(result.placed.map(({ nodeName }) => nodeName)).toEqual(expected);
    expect(result.unplaced.map(({ metadata }) => metadata.name)).toEqual(left);
  });

  it('puts pods with separate claims in separate groups', () => {
    const podWithClaim = (name: string) =>
      aPod(name, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] });

    expect(groupPods([podWithClaim('x'), podWithClaim('y')])).toHaveLength(2);
  });
});

describe('removing a node', () => {
  it.each([
    {
      reason: 'moves its pods to other nodes',
      pods: [on('a', aPod('x', specWithRequests('1')))],
      moved: ['x → b'],
      stuck: [],
    },
    {
      reason: 'ignores pods of DaemonSets and static pods',
      pods: [
        on('a', {
          ...aPod('agent', specWithRequests('1')),
          metadata: {
            name: 'agent',
            namespace: 'default',
            ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true }],
          },
        }),
        on('a', {
          ...aPod('proxy', specWithRequests('2')),
          metadata: { name: 'proxy', namespace: 'default', annotations: { 'kubernetes.io/config.mirror': 'hash' } },
        }),
      ],
      moved: [],
      stuck: [],
    },
    {
      reason: 'reports a pod that is too large for the remaining nodes',
      pods: [on('a', aPod('x', specWithRequests('1500m'))), on('b', aPod('y', specWithRequests('1')))],
      moved: [],
      stuck: ['x: 0/1 nodes are available: 1 Insufficient cpu.'],
    },
    {
      reason: 'reports a pod that anti-affinity keeps off the other node',
      pods: [
        on('a', aPod('x', { affinity: perHost }, { app: 'web' })),
        on('b', aPod('y', { affinity: perHost }, { app: 'web' })),
      ],
      moved: [],
      stuck: ["x: 0/1 nodes are available: 1 node(s) didn't match pod affinity/anti-affinity rules."],
    },
  ])('$reason', ({ pods, moved, stuck }) => {
    const snapshot = snapshotOf([aNode('a'), aNode('b')], pods);

    const removal = tryRemoval(snapshot, 'a');

    expect(removal.movedShards.map(({ pod, nodeName }) => `${pod.metadata.name} → ${nodeName}`)).toEqual(moved);
    expect(removal.unplaceablePods.map(({ pod, message }) => `${pod.metadata.name}: ${message}`)).toEqual(stuck);
    expect(snapshot.node('a')?.pods.size).toBe(pods.filter(({ spec }) => spec.nodeName === 'a').length);
  });

  it('respects the zone of a volume', () => {
    const claim: PersistentVolumeClaim = {
      metadata: { name: 'data', namespace: 'default' },
      spec: { volumeName: 'pv', accessModes: ['ReadWriteOnce'] },
      status: { phase: 'Bound' },
    };
    const volume: PersistentVolume = {
      metadata: { name: 'pv' },
      spec: {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['1'] }] },
            ],
          },
        },
      },
    };
    const reader = {
      get: (type: { readonly kind: string }) => (type.kind === 'PersistentVolume' ? volume : claim) as never,
      list: () => [],
    };
    const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
    const pod = on('a', aPod('db', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }));
    const snapshot = snapshotOf([aNode('a', zone('1')), aNode('b', zone('2'))], [pod], { ...context, reader });

    expect(tryRemoval(snapshot, 'a').unplaceablePods.map(({ message }) => message)).toEqual([
      '0/1 nodes are available: 1 node(s) had volume node affinity conflict.',
    ]);
  });

  it('moves ordinary pods', () => {
    expect(staysWithNode(aPod('x'))).toBe(false);
  });
});
