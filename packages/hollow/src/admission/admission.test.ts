import type { Pod } from '@fairway/kube/kinds/generated/types';
import { LimitRanges, Pods, PriorityClasses, ResourceQuotas, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../testing/test-cluster.ts';
import { pod } from '../testing/workloads.ts';

const cpu = (requests: string, limits = requests): Partial<Pod['spec']> => ({
  containers: [{ name: 'main', image: 'nginx:1', resources: { requests: { cpu: requests }, limits: { cpu: limits } } }],
});

describe('a new pod', () => {
  it('gets its account, token, tolerations and priority', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const { spec } = await cluster.client.resource(Pods).create(pod('one'));
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    const [volume] = spec.volumes ?? [];
    expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(volume?.projected?.sources?.map((source) => Object.keys(source))).toEqual([
      ['serviceAccountToken'],
      ['configMap'],
      ['downwardAPI'],
    ]);
    expect(spec.containers[0]?.volumeMounts).toEqual([
      { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ]);
    expect(spec.tolerations?.map(({ key, tolerationSeconds }) => [key, tolerationSeconds])).toEqual([
      ['node.kubernetes.io/not-ready', 300],
      ['node.kubernetes.io/unreachable', 300],
    ]);
  });

  it('gets no token when the pod or its service account opts out', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    await cluster.client
      .resource(ServiceAccounts)
      .create({ metadata: { name: 'quiet', namespace: 'default' }, automountServiceAccountToken: false });
    const quiet = await cluster.client.resource(Pods).create(pod('one', { serviceAccountName: 'quiet' }));
    const withoutToken = await cluster.client
      .resource(Pods)
      .create(pod('two', { automountServiceAccountToken: false }));
    expect([quiet.spec.volumes, withoutToken.spec.volumes]).toEqual([undefined, undefined]);
  });

  it.each([
    {
      spec: { serviceAccountName: 'nobody' },
      message:
        'pods "one" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    },
    {
      spec: { priorityClassName: 'vip' },
      message: 'pods "one" is forbidden: no PriorityClass with name vip was found',
    },
    {
      spec: { priority: 7 },
      message:
        'pods "one" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    },
  ])('is refused: $message', async ({ spec, message }) => {
    await using cluster = await TestCluster.start({ nodes: [] });
    await expect(cluster.client.resource(Pods).create(pod('one', spec))).rejects.toMatchObject({ code: 403, message });
  });

  it('gets the priority of its class, or of the default class', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    await cluster.client
      .resource(PriorityClasses)
      .create({ metadata: { name: 'usual' }, value: 10, globalDefault: true });
    const usual = await cluster.client.resource(Pods).create(pod('one'));
    const critical = await cluster.client
      .resource(Pods)
      .create(pod('two', { priorityClassName: 'system-node-critical' }));
    expect([usual.spec.priorityClassName, usual.spec.priority, critical.spec.priority]).toEqual([
      'usual',
      10,
      2_000_001_000,
    ]);
  });

  it('is subject to its namespace’s LimitRange', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const limits = [
      { type: 'Container', max: { cpu: '1' }, default: { cpu: '500m' }, defaultRequest: { cpu: '100m' } },
    ];
    await cluster.client
      .resource(LimitRanges)
      .create({ metadata: { name: 'limits', namespace: 'default' }, spec: { limits } });
    const { spec } = await cluster.client.resource(Pods).create(pod('one'));
    expect(spec.containers[0]?.resources).toEqual({ limits: { cpu: '500m' }, requests: { cpu: '100m' } });
    await expect(cluster.client.resource(Pods).create(pod('two', cpu('100m', '2')))).rejects.toThrow(
      'pods "two" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    );
  });

  it('is subject to its namespace’s quota, even under concurrent requests', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const quotas = cluster.client.resource(ResourceQuotas);
    const pods = cluster.client.resource(Pods);
    await quotas.create({
      metadata: { name: 'quota', namespace: 'default' },
      spec: { hard: { pods: '3', 'requests.cpu': '1' } },
    });
    await expect(pods.create(pod('silent'))).rejects.toThrow(
      'pods "silent" is forbidden: failed quota: quota: must specify requests.cpu for: main',
    );
    await expect(pods.create(pod('greedy', cpu('2')))).rejects.toThrow(
      'pods "greedy" is forbidden: exceeded quota: quota, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1',
    );
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((name) => pods.create(pod(name, cpu('100m')))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await cluster.advance(1);
    await eventuallyObject(quotas, { namespace: 'default', name: 'quota' }, ({ status }) => {
      expect(status?.used).toEqual({ pods: '3', 'requests.cpu': '300m' });
      return true;
    });
    await pods.delete('a', { namespace: 'default' });
    await pods.create(pod('f', cpu('100m')));
  });
});
