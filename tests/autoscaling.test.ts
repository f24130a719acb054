import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Deployment, Event, Node, Pod, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { Deployments, Events, Nodes, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testReleases } from './process-runtime/releases.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';

const { offered } = await testReleases();
const deadlineMs = 300_000;
const where = { namespace: 'default' };

const MANIFEST = `
apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: demo }
spec: { plan: free }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: general }
spec: { clusterName: demo, flavor: b3-8, replicas: 2, minReplicas: 0, maxReplicas: 5 }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: memory }
spec:
  clusterName: demo
  flavor: r3-16
  replicas: 0
  minReplicas: 0
  maxReplicas: 2
  autoscaling: { enabled: true }
  template:
    metadata: { labels: { workload: memory } }
    spec: { taints: [{ key: workload, value: memory, effect: NoSchedule }] }
`;

describe('autoscaling on a simulated control plane', () => {
  autoscalingCases('simulated');
});
describe.skipIf(offered === undefined)(
  `autoscaling with Kubernetes ${offered?.version ?? '(skipped: no binaries of 1.31 or later are found)'}`,
  () => {
    autoscalingCases('process');
  },
);

/**
 * Uses a real scheduler. Each case continues from the previous one: after nodes have been added, none is removed for
 * ten minutes.
 */
function autoscalingCases(controlPlane: 'simulated' | 'process'): void {
  let cluster: ProvisionedCluster;

  const waitUntilAll = <T extends KubeObject>(
    resource: ResourceClient<T>,
    predicate: (objects: readonly T[]) => boolean,
  ) => eventually(resource, where, predicate, { deadlineMs });
  const waitUntilSize = (pool: string, replicas: number) =>
    cluster.waitForPool(pool, ({ status }: NodePool) => status?.replicas === replicas);
  const pods = () => cluster.tenant.resource<Pod>(Pods);
  const running = (app: string, count: number) =>
    waitUntilAll(
      pods(),
      (all) =>
        all.filter(({ metadata, status }) => metadata.labels?.['app'] === app && status?.phase === 'Running').length ===
        count,
    );
  const deploy = (app: string, replicas: number, spec: Partial<Pod['spec']>) =>
    cluster.tenant.resource<Deployment>(Deployments).create({
      metadata: { name: app, ...where },
      spec: {
        replicas,
        selector: { matchLabels: { app } },
        template: { metadata: { labels: { app } }, spec: { containers: [requestingCpu('800m')], ...spec } },
      },
    });
  const requestingCpu = (cpu: string) => ({
    name: 'main',
    image: 'nginx',
    resources: { requests: { cpu, memory: '256Mi' } },
  });
  const cordon = (name: string, unschedulable: boolean) =>
    cluster.tenant.resource<Node>(Nodes).patch(name, { type: 'merge', value: { spec: { unschedulable } } });
  const budgets = () => cluster.tenant.resource<PodDisruptionBudget>(PodDisruptionBudgets);
  const waitUntilDisruptionsAllowed = (disruptions: number) =>
    waitUntilAll(budgets(), ([budget]) => budget?.status?.disruptionsAllowed === disruptions);
  const hasEvent = async (reason: string) => {
    const { items } = await cluster.tenant.resource<Event>(Events).list(where);
    return items.filter((event) => event.reason === reason);
  };

  beforeAll(async () => {
    cluster = await ProvisionedCluster.create({ manifest: MANIFEST, controlPlane, deadlineMs });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test('keeps an underused node while a PodDisruptionBudget forbids evictions, and removes it when evictions are allowed', async () => {
    // There is one pod on each node, and both could be moved.
    const nodes = (await cluster.tenant.resource<Node>(Nodes).list()).items.map(({ metadata }) => metadata.name ?? '');
    for (const [index, name] of nodes.entries()) {
      const others = nodes.filter((other) => other !== name);
      for (const other of others) await cordon(other, true);
      await deploy(`light-${index}`, 1, { containers: [requestingCpu('100m')] });
      await running(`light-${index}`, 1);
      for (const other of others) await cordon(other, false);
    }
    await budgets().create({
      metadata: { name: 'light', ...where },
      spec: {
        minAvailable: 2,
        selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['light-0', 'light-1'] }] },
      },
    });
    await waitUntilDisruptionsAllowed(0);
    await cluster.patchPool('general', { autoscaling: { enabled: true, scaleDownUnneededTime: '1s' } });

    // A decision reports pods that no pool can run; by the time it is made, unneeded machines have been marked too.
    await pods().create({
      metadata: { name: 'homeless', ...where },
      spec: { containers: [requestingCpu('100m')], nodeSelector: { disk: 'golden' } },
    });
    await waitUntilAll(cluster.tenant.resource<Event>(Events), (all) =>
      all.some(
        ({ reason, message = '' }) =>
          reason === 'NotTriggerScaleUp' && /general: /.test(message) && /memory: /.test(message),
      ),
    );
    const held = await cluster.waitForMachines((all) => all.length === 2);
    expect(held.map(({ status }) => status?.marks?.unneeded)).toEqual([undefined, undefined]);

    await budgets().patch('light', { type: 'merge', value: { spec: { minAvailable: 1 } } }, where);
    await waitUntilSize('general', 1);
    await running('light-0', 1);
    await running('light-1', 1);
    await pods().delete('homeless', where);
  });

  test('adds nodes for pods that fit nowhere else', async () => {
    await deploy('web', 3, {});

    await running('web', 3);

    await cluster.waitForPool('general', ({ status }) => (status?.replicas ?? 0) > 1);
    expect(await hasEvent('TriggeredScaleUp')).not.toEqual([]);
    expect((await waitUntilSize('memory', 0)).status?.autoscaling?.lastScaleUpTime).toBeUndefined();
  });

  test('scales up from zero only the pool whose taint a pod tolerates and whose label the pod selects', async () => {
    const { status } = await cluster.waitForPool('general', () => true);

    await deploy('cache', 1, {
      nodeSelector: { workload: 'memory' },
      tolerations: [{ key: 'workload', operator: 'Equal', value: 'memory', effect: 'NoSchedule' }],
    });

    const [pod] = await running('cache', 1).then((all) =>
      all.filter(({ metadata }) => metadata.labels?.['app'] === 'cache'),
    );
    const node = await cluster.tenant.resource<Node>(Nodes).get(pod?.spec.nodeName ?? '');
    expect(node.metadata.labels).toMatchObject({ workload: 'memory' });
    await waitUntilSize('memory', 1);
    await waitUntilSize('general', status?.replicas ?? 0);
  });
}
