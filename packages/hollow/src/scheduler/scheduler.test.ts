import type { Event, Pod, PriorityClass, ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { Events, Pods, PriorityClasses, ReplicaSets } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { expect, test } from 'vitest';
import { TestCluster } from '../testing/test-cluster.ts';
import { pod } from '../testing/workloads.ts';

const where = { namespace: 'default' };

function priorityClass(value: number): PriorityClass {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: `p${value}` }, value };
}

function specOf(priority: number, cpu: string): Pod['spec'] {
  const containers = [{ name: 'main', image: 'nginx', resources: { requests: { cpu } } }];
  return { priorityClassName: `p${priority}`, terminationGracePeriodSeconds: 30, containers };
}

function replicaSet(name: string, priority: number, cpu: string): ReplicaSet {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: specOf(priority, cpu) };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, ...where },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

test('reserves capacity freed by preemption for the preemptor, not for replacements of its victims', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await cluster.nodes.add('node', { cpu: '1' });
  for (const value of [1, 2, 3, 4]) await cluster.client.resource(PriorityClasses).create(priorityClass(value));
  const sets = [replicaSet('low', 1, '200m'), replicaSet('middle', 2, '300m'), replicaSet('high', 3, '450m')];
  for (const set of sets) await cluster.client.resource(ReplicaSets).create(set);
  const pods = cluster.client.resource<Pod>(Pods);
  const running = ({ status }: Pod) => status?.phase === 'Running';
  const before = await eventually(pods, where, (all) => all.filter(running).length === 3);

  const appOf = ({ metadata }: Pod) => metadata.labels?.['app'] ?? metadata.name;
  // One victim takes longer than the other.
  const slow = before.find((each) => appOf(each) === 'middle')?.metadata.name ?? '';
  const hold = (finalizers: readonly string[]) =>
    pods.patch(slow, { type: 'merge', value: { metadata: { finalizers } } }, where);
  await hold(['example.org/slow']);

  await pods.create(pod('first', specOf(4, '500m')));

  const isNew = ({ metadata }: Pod) => before.every((known) => known.metadata.uid !== metadata.uid);
  const isPreemption = ({ reason }: Event) => reason === 'Preempted';
  const isRefused = ({ status }: Pod) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable') ?? false;
  const lowPriorityPods = (all: readonly Pod[]) => all.filter((each) => appOf(each) === 'low');
  await eventually(pods, where, (all) => lowPriorityPods(all).length === 1 && lowPriorityPods(all).every(isNew));
  // Scheduled after the pod that replaced the victim.
  await pods.create(pod('last', specOf(1, '1m')));
  await eventuallyObject(pods, { ...where, name: 'last' }, (last) => isRefused(last) || Boolean(last.spec.nodeName));
  expect(lowPriorityPods((await pods.list(where)).items).map(({ spec }) => spec.nodeName)).toEqual([undefined]);
  await hold([]);
  await eventuallyObject(pods, { ...where, name: 'first' }, running);
  const after = await eventually(pods, where, (all) => all.length === 5);
  expect(after.filter(({ spec }) => spec.nodeName).map(appOf)).toEqual(expect.arrayContaining(['first', 'high']));
  expect(after.filter(running).map(appOf)).not.toContain('low');
  expect(after.filter((each) => !isNew(each)).map(appOf)).toEqual(['high']);
  const preempted = await eventually(
    cluster.client.resource(Events),
    where,
    (all) => all.filter(isPreemption).length >= 2,
  );
  expect(preempted.filter(isPreemption)).toHaveLength(2);
});

test('releases the reserved capacity when the pod is deleted', async () => {
  await using cluster = await TestCluster.start({ nodes: [] });
  await cluster.nodes.add('node', { cpu: '1' });
  for (const value of [1, 2]) await cluster.client.resource(PriorityClasses).create(priorityClass(value));
  const pods = cluster.client.resource<Pod>(Pods);
  const victim = pod('victim', specOf(1, '800m'));
  await pods.create(victim);
  await eventuallyObject(pods, { ...where, name: 'victim' }, ({ status }) => status?.phase === 'Running');
  cluster.nodes.fateOf = () => 'hold';
  await pods.create(pod('preemptor', specOf(2, '800m')));
  await eventuallyObject(pods, { ...where, name: 'preemptor' }, ({ status }) => Boolean(status?.nominatedNodeName));
  await pods.create(pod('small', specOf(1, '200m')));
  await eventuallyObject(pods, { ...where, name: 'small' }, ({ spec }) => Boolean(spec.nodeName));
  await pods.create(pod('next', specOf(1, '800m')));

  await pods.delete('preemptor', where);
  cluster.nodes.fateOf = () => 'run';
  cluster.nodes.resync();

  const next = await eventuallyObject(pods, { ...where, name: 'next' }, ({ spec }) => Boolean(spec.nodeName));
  expect(next.spec.nodeName).toBe('node');
});
