import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { decide } from './decision.ts';
import { type ClusterSketch, factsOf, minutesAgo, pending, running, working, ZONE } from './testing/facts.ts';

const webSelector = { matchLabels: { app: 'web' } };
const web = { app: 'web' };
const alone = (topologyKey: string) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: webSelector }],
    },
  },
});
const three = ['a', 'b', 'c'];
const zones = ['nova-1', 'nova-2', 'nova-3'];

const renewal = { due: true, reason: 'Outdated', message: '', time: minutesAgo(1), strategy: 'InPlace' as const };

/** `pool: from → to`, in the order of the pools. */
function growthsOf(sketch: ClusterSketch): string[] {
  return decide(factsOf(sketch)).growths.map(({ pool, from, to }) => `${pool}: ${from} → ${to}`);
}

describe('pools grow', () => {
  it.each([
    {
      reason: 'by as many nodes as the pods fill',
      sketch: { pools: { p: {} }, pods: three.map((name) => pending(name, '900m')) },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'by none where pods fit on what there is',
      sketch: { pools: { p: { machines: { n: working } } }, pods: [pending('a', '900m')] },
      growths: [],
    },
    {
      reason: 'by none while nodes are coming that they fit on',
      sketch: { pools: { p: { machines: { n: {} } } }, pods: [pending('a', '900m')] },
      growths: [],
    },
    {
      reason: 'by none for machines that the pool has yet to make',
      sketch: { pools: { p: { spec: { replicas: 1 } } }, pods: [pending('a', '900m')] },
      growths: [],
    },
    {
      reason: 'by none for nodes of pools that are not autoscaled, if these come',
      sketch: { pools: { p: {}, q: { isAutoscaled: false, machines: { n: {} } } }, pods: [pending('a', '900m')] },
      growths: [],
    },
    {
      reason: 'though a node that has stopped working has room',
      sketch: { pools: { p: { machines: { n: { node: { isReady: false } } } } }, pods: [pending('a', '900m')] },
      growths: ['p: 1 → 2'],
    },
    {
      reason: 'by none while a node is being reinstalled, which comes back',
      sketch: {
        pools: { p: { machines: { n: { node: { isReady: false }, status: { marks: { renewal } } } } } },
        pods: [pending('a', '900m')],
      },
      growths: [],
    },
    {
      reason: 'for pods of a node that leaves',
      sketch: {
        pools: { p: { spec: { replicas: 1 }, machines: { n: working, o: { node: {}, isLeaving: true } } } },
        pods: [running('a', 'n', '1500m'), running('b', 'o', '1500m')],
      },
      growths: ['p: 1 → 2'],
    },
    {
      reason: 'by none for pods of a node that is not known yet',
      sketch: { pools: { p: {} }, pods: [running('a', 'new', '1500m')] },
      growths: [],
    },
    {
      reason: 'though a node comes back that has pods still',
      sketch: {
        pools: { p: { machines: { n: { node: { isReady: false }, status: { marks: { renewal } } } } } },
        pods: [running('a', 'n', '1500m'), pending('b', '900m')],
      },
      growths: ['p: 1 → 2'],
    },
    {
      reason: 'by a node for each pod that wants to be alone',
      sketch: {
        pools: { p: {} },
        pods: three.map((name) => pending(name, '100m', alone('kubernetes.io/hostname'), web)),
      },
      growths: ['p: 0 → 3'],
    },
    {
      reason: 'until pods have their zones, though the pool places nodes evenly',
      sketch: {
        pools: { p: { spec: { availabilityZones: zones } } },
        pods: [pending('a', '100m', { nodeSelector: { [ZONE]: 'nova-2' } })],
      },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'as spread constraints ask',
      sketch: {
        pools: { p: { spec: { availabilityZones: zones } } },
        pods: three.map((name) =>
          pending(
            name,
            '100m',
            {
              topologySpreadConstraints: [
                {
                  maxSkew: 1,
                  topologyKey: ZONE,
                  whenUnsatisfiable: 'DoNotSchedule',
                  labelSelector: webSelector,
                  minDomains: 3,
                },
              ],
            },
            web,
          ),
        ),
      },
      growths: ['p: 0 → 3'],
    },
    {
      reason: 'by one node for each port of the host',
      sketch: {
        pools: { p: {} },
        pods: ['a', 'b'].map((name) =>
          pending(name, '100m', { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
        ),
      },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'the one whose taint the pod tolerates',
      sketch: {
        pools: {
          p: { spec: { template: { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' as const }] } } } },
          q: { spec: { template: { metadata: { labels: { disk: 'ssd' } } } } },
        },
        pods: [pending('a', '100m', { nodeSelector: { disk: 'ssd' } })],
      },
      growths: ['q: 0 → 1'],
    },
    {
      reason: 'the one that wastes least',
      sketch: { pools: { large: { vcpus: 8 }, small: { vcpus: 2 } }, pods: [pending('a', '1500m')] },
      growths: ['small: 0 → 1'],
    },
    {
      reason: 'the one with the highest priority',
      sketch: {
        pools: { large: { vcpus: 8, spec: { autoscaling: { priority: 1 } } }, small: { vcpus: 2 } },
        pods: [pending('a', '1500m')],
      },
      growths: ['large: 0 → 1'],
    },
    {
      reason: 'together, where one alone is too small',
      sketch: {
        pools: { large: { vcpus: 8 }, small: { vcpus: 2, spec: { maxReplicas: 1 } } },
        pods: [pending('a', '1500m'), pending('b', '7000m')],
      },
      growths: ['large: 0 → 1', 'small: 0 → 1'],
    },
    {
      reason: 'by what is left within maxReplicas',
      sketch: { pools: { p: { spec: { maxReplicas: 2 } } }, pods: three.map((name) => pending(name, '1500m')) },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'by what is left within the limit of the cluster, to which other pools count',
      sketch: {
        pools: {
          p: {},
          q: { isAutoscaled: false, spec: { replicas: 3 }, machines: { x: working, y: working, z: working } },
        },
        pods: [
          ...three.map((name) => pending(name, '1500m')),
          ...['x', 'y', 'z'].map((node) => running(`on-${node}`, node, '1500m')),
        ],
        rest: { limit: { nodes: 4, problem: { reason: 'PlanLimitExceeded' as const, message: 'no more' } } },
      },
      growths: ['p: 0 → 1'],
    },
    {
      reason: 'by none for pods that may wait for room to be left over',
      sketch: { pools: { p: {} }, pods: [pending('a', '100m', { priority: -11 })] },
      growths: [],
    },
    {
      reason: 'and for others as if those that may wait were not there',
      sketch: {
        pools: { p: { machines: { n: working } } },
        pods: [
          { ...running('x', 'n', '1500m'), spec: { ...running('x', 'n', '1500m').spec, priority: -11 } },
          pending('a', '900m'),
        ],
      },
      growths: [],
    },
    {
      reason: 'by none for a pod that gets its room by preemption',
      sketch: {
        pools: { p: { machines: { n: working } } },
        pods: [
          running('x', 'n', '1500m'),
          { ...pending('a', '900m'), status: { ...pending('a', '900m').status, nominatedNodeName: 'n' } },
        ],
      },
      growths: [],
    },
    {
      reason: 'by none for pods of DaemonSets',
      sketch: {
        pools: { p: {} },
        pods: [
          {
            ...pending('a', '900m'),
            metadata: {
              name: 'a',
              ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
            },
          },
        ],
      },
      growths: [],
    },
    {
      reason: 'less what DaemonSets take of each node',
      sketch: { pools: { p: {} }, pods: three.map((name) => pending(name, '600m')), daemonSets: [agent('100m')] },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'by none while the pool backs off',
      sketch: {
        pools: {
          p: {
            status: {
              autoscaling: {
                replicas: 0,
                reason: 'QuotaExceeded',
                message: '',
                time: minutesAgo(2),
                backoff: {
                  reason: 'QuotaExceeded',
                  message: 'no cores',
                  since: minutesAgo(2),
                  until: minutesAgo(-3),
                  failures: 1,
                },
              },
            },
          },
        },
        pods: [pending('a', '100m')],
      },
      growths: [],
    },
  ])('$reason', ({ sketch, growths }) => {
    expect(growthsOf(sketch)).toEqual(growths);
  });

  function agent(cpu: string): DaemonSet {
    return {
      metadata: { name: 'agent', namespace: 'kube-system' },
      spec: {
        selector: {},
        template: { spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] } },
      },
    };
  }
});
