import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { decide } from './decision.ts';
import { type ClusterSketch, factsOf, minutesAgo, pendingPod, running, working, ZONE_LABEL } from './testing/facts.ts';

const webSelector = { matchLabels: { app: 'web' } };
const web = { app: 'web' };
const antiAffinityBy = (topologyKey: string) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: webSelector }],
    },
  },
});
const threeZones = ['a', 'b', 'c'];
const zones = ['nova-1', 'nova-2', 'nova-3'];

const renewal = { due: true, reason: 'Outdated', message: '', time: minutesAgo(1), strategy: 'InPlace' as const };

/** `pool: from → to`, in the order of the pools. */
function scaleUpsOf(sketch: ClusterSketch): string[] {
  return decide(factsOf(sketch)).poolScaleUps.map(({ pool, from, to }) => `${pool}: ${from} → ${to}`);
}

describe('scale-up', () => {
  it.each([
    {
      reason: 'adds as many nodes as the pods need',
      sketch: { pools: { p: {} }, pods: threeZones.map((name) => pendingPod(name, '900m')) },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'adds none if the pods fit on existing nodes',
      sketch: { pools: { p: { machines: { n: working } } }, pods: [pendingPod('a', '900m')] },
      growths: [],
    },
    {
      reason: 'adds none if the pods fit on upcoming nodes',
      sketch: { pools: { p: { machines: { n: {} } } }, pods: [pendingPod('a', '900m')] },
      growths: [],
    },
    {
      reason: 'adds none if the pods fit on machines that are yet to be created',
      sketch: { pools: { p: { spec: { replicas: 1 } } }, pods: [pendingPod('a', '900m')] },
      growths: [],
    },
    {
      reason: 'adds none if the pods fit on upcoming nodes of pools that are not autoscaled',
      sketch: { pools: { p: {}, q: { isAutoscaled: false, machines: { n: {} } } }, pods: [pendingPod('a', '900m')] },
      growths: [],
    },
    {
      reason: 'ignores the room on broken nodes',
      sketch: { pools: { p: { machines: { n: { node: { isReady: false } } } } }, pods: [pendingPod('a', '900m')] },
      growths: ['p: 1 → 2'],
    },
    {
      reason: 'adds none while a node is being reinstalled',
      sketch: {
        pools: { p: { machines: { n: { node: { isReady: false }, status: { marks: { renewal } } } } } },
        pods: [pendingPod('a', '900m')],
      },
      growths: [],
    },
    {
      reason: 'adds nodes for pods of a node that is being deleted',
      sketch: {
        pools: { p: { spec: { replicas: 1 }, machines: { n: working, o: { node: {}, isLeaving: true } } } },
        pods: [running('a', 'n', '1500m'), running('b', 'o', '1500m')],
      },
      growths: ['p: 1 → 2'],
    },
    {
      reason: 'adds none for pods of a node that is not known yet',
      sketch: { pools: { p: {} }, pods: [running('a', 'new', '1500m')] },
      growths: [],
    },
    {
      reason: 'does not count room on a returning node that still has pods',
      sketch: {
        pools: { p: { machines: { n: { node: { isReady: false }, status: { marks: { renewal } } } } } },
        pods: [running('a', 'n', '1500m'), pendingPod('b', '900m')],
      },
      growths: ['p: 1 → 2'],
    },
    {
      reason: 'adds a node for each pod with anti-affinity',
      sketch: {
        pools: { p: {} },
        pods: threeZones.map((name) => pendingPod(name, '100m', antiAffinityBy('kubernetes.io/hostname'), web)),
      },
      growths: ['p: 0 → 3'],
    },
    {
      reason: 'adds nodes until one is in the pod’s zone, because the pool spreads nodes evenly',
      sketch: {
        pools: { p: { spec: { availabilityZones: zones } } },
        pods: [pendingPod('a', '100m', { nodeSelector: { [ZONE_LABEL]: 'nova-2' } })],
      },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'follows topology spread constraints',
      sketch: {
        pools: { p: { spec: { availabilityZones: zones } } },
        pods: threeZones.map((name) =>
          pendingPod(
            name,
            '100m',
            {
              topologySpreadConstraints: [
                {
                  maxSkew: 1,
                  topologyKey: ZONE_LABEL,
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
      reason: 'adds one node for each pod with the same host port',
      sketch: {
        pools: { p: {} },
        pods: ['a', 'b'].map((name) =>
          pendingPod(name, '100m', { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
        ),
      },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'selects the pool whose taint the pod tolerates',
      sketch: {
        pools: {
          p: { spec: { template: { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' as const }] } } } },
          q: { spec: { template: { metadata: { labels: { disk: 'ssd' } } } } },
        },
        pods: [pendingPod('a', '100m', { nodeSelector: { disk: 'ssd' } })],
      },
      growths: ['q: 0 → 1'],
    },
    {
      reason: 'selects the pool that wastes the least',
      sketch: { pools: { large: { vcpus: 8 }, small: { vcpus: 2 } }, pods: [pendingPod('a', '1500m')] },
      growths: ['small: 0 → 1'],
    },
    {
      reason: 'selects the pool with the highest priority',
      sketch: {
        pools: { large: { vcpus: 8, spec: { autoscaling: { priority: 1 } } }, small: { vcpus: 2 } },
        pods: [pendingPod('a', '1500m')],
      },
      growths: ['large: 0 → 1'],
    },
    {
      reason: 'grows several pools if one is too small',
      sketch: {
        pools: { large: { vcpus: 8 }, small: { vcpus: 2, spec: { maxReplicas: 1 } } },
        pods: [pendingPod('a', '1500m'), pendingPod('b', '7000m')],
      },
      growths: ['large: 0 → 1', 'small: 0 → 1'],
    },
    {
      reason: 'adds only up to maxReplicas',
      sketch: { pools: { p: { spec: { maxReplicas: 2 } } }, pods: threeZones.map((name) => pendingPod(name, '1500m')) },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'adds only up to the cluster’s limit, towards which other pools count',
      sketch: {
        pools: {
          p: {},
          q: { isAutoscaled: false, spec: { replicas: 3 }, machines: { x: working, y: working, z: working } },
        },
        pods: [
          ...threeZones.map((name) => pendingPod(name, '1500m')),
          ...['x', 'y', 'z'].map((node) => running(`on-${node}`, node, '1500m')),
        ],
        rest: { limit: { nodes: 4, problem: { reason: 'PlanLimitExceeded' as const, message: 'no more' } } },
      },
      growths: ['p: 0 → 1'],
    },
    {
      reason: 'adds none for pods below the expendable priority',
      sketch: { pools: { p: {} }, pods: [pendingPod('a', '100m', { priority: -11 })] },
      growths: [],
    },
    {
      reason: 'ignores expendable pods when it adds nodes for others',
      sketch: {
        pools: { p: { machines: { n: working } } },
        pods: [
          { ...running('x', 'n', '1500m'), spec: { ...running('x', 'n', '1500m').spec, priority: -11 } },
          pendingPod('a', '900m'),
        ],
      },
      growths: [],
    },
    {
      reason: 'adds none for a pod that was nominated by preemption',
      sketch: {
        pools: { p: { machines: { n: working } } },
        pods: [
          running('x', 'n', '1500m'),
          { ...pendingPod('a', '900m'), status: { ...pendingPod('a', '900m').status, nominatedNodeName: 'n' } },
        ],
      },
      growths: [],
    },
    {
      reason: 'adds none for DaemonSet pods',
      sketch: {
        pools: { p: {} },
        pods: [
          {
            ...pendingPod('a', '900m'),
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
      reason: 'subtracts DaemonSet requests from each new node',
      sketch: {
        pools: { p: {} },
        pods: threeZones.map((name) => pendingPod(name, '600m')),
        daemonSets: [agentDaemonSet('100m')],
      },
      growths: ['p: 0 → 2'],
    },
    {
      reason: 'adds none while the pool backs off',
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
        pods: [pendingPod('a', '100m')],
      },
      growths: [],
    },
  ])('$reason', ({ sketch, growths }) => {
    expect(scaleUpsOf(sketch)).toEqual(growths);
  });

  function agentDaemonSet(cpu: string): DaemonSet {
    return {
      metadata: { name: 'agent', namespace: 'kube-system' },
      spec: {
        selector: {},
        template: { spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] } },
      },
    };
  }
});
