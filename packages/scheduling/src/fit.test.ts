import { pod as makePod } from '@fairway/hollow/testing/workloads';
import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { podRequests } from '@fairway/kube/object/pod-resources';
import { describe, expect, it } from 'vitest';
import { findNode } from './fit.ts';
import { NodeState } from './node-state.ts';
import { findPreemption } from './preemption.ts';

function node(
  name: string,
  {
    labels = {},
    spec = {},
    cpu = '4',
    pods = '110',
  }: { labels?: Record<string, string>; spec?: Node['spec']; cpu?: string; pods?: string } = {},
): Node {
  const allocatable = { cpu, memory: '8Gi', pods };
  return { metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } }, spec, status: { allocatable } };
}

function pod(name: string, spec: Partial<Pod['spec']> = {}, labels: Record<string, string> = {}): Pod {
  return makePod(name, spec, labels);
}

function specWithCpu(cpu: string, extra: Partial<Pod['spec']> = {}): Partial<Pod['spec']> {
  return { containers: [{ name: 'main', resources: { requests: { cpu } } }], ...extra };
}

/** Node states with the pods that run on each. */
function states(...entries: readonly (readonly [Node, ...Pod[]])[]): NodeState[] {
  return entries.map(([node, ...pods]) => {
    const state = new NodeState(node);
    for (const pod of pods) state.addPod(`default/${pod.metadata.name}`, pod);
    return state;
  });
}

const options = { labelsOf: () => ({}), random: () => 0 };
const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name });
const webSelector = { matchLabels: { app: 'web' } };
const perHost = { topologyKey: 'kubernetes.io/hostname', labelSelector: webSelector };

describe('choosing a node', () => {
  it.each([
    {
      reason: 'prefers the emptier node',
      wanted: pod('p'),
      on: states([node('a'), pod('x', specWithCpu('3'))], [node('b')]),
      expected: 'b',
    },
    {
      reason: 'follows the node selector',
      wanted: pod('p', { nodeSelector: { disk: 'ssd' } }),
      on: states([node('a')], [node('b', { labels: { disk: 'ssd' } })]),
      expected: 'b',
    },
    {
      reason: 'allows a tainted node if the pod tolerates the taint',
      wanted: pod('p', { nodeSelector: { gpu: 'yes' }, tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
      on: states(
        [node('a', { labels: { gpu: 'yes' }, spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } })],
        [node('b')],
      ),
      expected: 'a',
    },
    {
      reason: 'follows the pod’s anti-affinity',
      wanted: pod(
        'p',
        { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [perHost] } } },
        { app: 'web' },
      ),
      on: states([node('a'), pod('x', {}, { app: 'web' })], [node('b'), pod('y', specWithCpu('3'))]),
      expected: 'b',
    },
    {
      reason: 'follows the anti-affinity of existing pods',
      wanted: pod('p', {}, { app: 'web' }),
      on: states(
        [
          node('a'),
          pod('x', { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [perHost] } } }),
        ],
        [node('b'), pod('y', specWithCpu('3'))],
      ),
      expected: 'b',
    },
    {
      reason: 'follows the pod’s affinity',
      wanted: pod('p', { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [perHost] } } }),
      on: states([node('a')], [node('b'), pod('x', specWithCpu('3'), { app: 'web' })]),
      expected: 'b',
    },
    {
      reason: 'spreads pods over zones',
      wanted: pod(
        'p',
        {
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'topology.kubernetes.io/zone',
              whenUnsatisfiable: 'DoNotSchedule',
              labelSelector: webSelector,
            },
          ],
        },
        { app: 'web' },
      ),
      on: states(
        [node('a', { labels: zone('1') }), pod('x', {}, { app: 'web' })],
        [node('b', { labels: zone('2') }), pod('y', specWithCpu('3'))],
      ),
      expected: 'b',
    },
    {
      reason: 'follows preferred node affinity',
      wanted: pod('p', {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
            ],
          },
        },
      }),
      on: states([node('a')], [node('b', { labels: { disk: 'ssd' } })]),
      expected: 'b',
    },
  ])('$reason', ({ wanted, on, expected }) => {
    expect(findNode(wanted, on, options)).toEqual({ kind: 'node', nodeName: expected });
  });

  it.each([
    { wanted: pod('p'), on: [], message: 'no nodes available to schedule pods' },
    {
      wanted: pod('p', specWithCpu('5')),
      on: states([node('a')], [node('b')]),
      message: '0/2 nodes are available: 2 Insufficient cpu.',
    },
    {
      wanted: pod('p'),
      on: states([node('a', { spec: { unschedulable: true } })], [node('b', { pods: '0' })]),
      message: '0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable.',
    },
    {
      wanted: pod('p'),
      on: states([node('a', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } })]),
      message: '0/1 nodes are available: 1 node(s) had untolerated taint {k: v}.',
    },
    {
      wanted: pod('p', { nodeSelector: { a: 'b' } }),
      on: states([node('a')]),
      message: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    },
    {
      wanted: pod('p', { containers: [{ name: 'm', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
      on: states([node('a'), pod('x', { containers: [{ name: 'm', ports: [{ containerPort: 80, hostPort: 80 }] }] })]),
      message: "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
    },
  ])('fails with $message', ({ wanted, on, message }) => {
    expect(findNode(wanted, on, options)).toEqual({ kind: 'none', message });
  });

  it('spreads a thousand pods evenly over a hundred nodes', () => {
    const all = states(...Array.from({ length: 100 }, (_, index) => [node(`n${index}`)] as const));
    for (let index = 0; index < 1000; index++) {
      const candidate = pod(`p${index}`, specWithCpu('100m'), { app: 'web' });
      const fit = findNode(candidate, all, options);
      const state = all.find(({ node }) => fit.kind === 'node' && node.metadata.name === fit.nodeName);
      state?.addPod(`default/p${index}`, candidate);
    }
    expect(all.map(({ pods }) => pods.size)).toEqual(Array.from({ length: 100 }, () => 10));
  });
});

describe('resource requests of a pod', () => {
  const container = (cpu: string, restartPolicy?: string) => ({
    name: cpu,
    resources: { requests: { cpu } },
    ...(restartPolicy && { restartPolicy }),
  });

  it.each([
    { reason: 'are the sum of its containers', spec: { containers: [container('1'), container('500m')] }, cpu: 1500 },
    {
      reason: 'are those of its largest init container if that container requests more',
      spec: { initContainers: [container('3')], containers: [container('1')] },
      cpu: 3000,
    },
    {
      reason: 'include sidecars',
      spec: { initContainers: [container('1', 'Always')], containers: [container('1')] },
      cpu: 2000,
    },
    { reason: 'include the overhead', spec: { containers: [container('1')], overhead: { cpu: '250m' } }, cpu: 1250 },
  ])('$reason', ({ spec, cpu }) => {
    expect(podRequests(pod('p', spec)).get('cpu')).toBe(cpu);
  });
});

describe('preemption', () => {
  const fits =
    (cpu: number) =>
    ({ allocatable, requested }: NodeState) =>
      (allocatable.get('cpu') ?? 0) - (requested.get('cpu') ?? 0) >= cpu;
  const on = states(
    [node('a'), pod('a-low', specWithCpu('2', { priority: 1 })), pod('a-mid', specWithCpu('2', { priority: 50 }))],
    [node('b'), pod('b-low', specWithCpu('1', { priority: 1 })), pod('b-high', specWithCpu('3', { priority: 200 }))],
  );

  it.each([
    {
      reason: 'evicts pods of the lowest priority',
      priority: 100,
      cpu: 1000,
      expected: { nodeName: 'a', victims: ['a-low'] },
    },
    {
      reason: 'evicts no more pods than necessary',
      priority: 100,
      cpu: 4000,
      expected: { nodeName: 'a', victims: ['a-mid', 'a-low'] },
    },
    { reason: 'does not evict pods of the same priority', priority: 1, cpu: 1000, expected: undefined },
  ])('$reason', ({ priority, cpu, expected }) => {
    const found = findPreemption(pod('p', { priority }), on, fits(cpu));
    expect(found && { ...found, victims: found.victims.map(({ metadata }) => metadata.name) }).toEqual(expected);
  });
});
