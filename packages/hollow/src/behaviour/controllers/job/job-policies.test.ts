import type { Job, Pod } from '@fairway/kube/kinds/generated/types';
import { Jobs, Pods } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { indexOf } from '../../../controllers/job/job-pods.ts';
import { failureDecisionFor } from '../../../controllers/job/pod-failures.ts';
import { TestCluster } from '../../../testing/test-cluster.ts';

const WORK = { namespace: 'default', name: 'work' };
const INDEXED = { completionMode: 'Indexed', completions: 4, parallelism: 4 } as const;

function job(spec: Partial<Job['spec']> = {}): Job {
  const containers = [{ name: 'main', image: 'busybox:1' }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...WORK },
    spec: { template: { spec: { containers, restartPolicy: 'Never' } }, ...spec },
  };
}

/** Pods of these indexes keep running or exit with this code; all others succeed. */
function fates(byIndex: Readonly<Record<number, 'run' | number>>) {
  return (pod: Pod) => {
    const fate = byIndex[indexOf(pod) ?? -1] ?? 0;
    return fate === 'run' ? fate : { exitCode: fate };
  };
}

function untilFinished(cluster: TestCluster, type: 'Complete' | 'Failed'): Promise<Job> {
  return eventuallyObject(cluster.client.resource(Jobs), WORK, ({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True'),
  );
}

function reasonOf({ status }: Job, type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.reason;
}

describe('a success policy', () => {
  it.each([
    { rule: { succeededIndexes: '0,2' }, running: [1, 3], completed: '0,2' },
    { rule: { succeededCount: 1 }, running: [1, 2, 3], completed: '0' },
    { rule: { succeededIndexes: '0-3', succeededCount: 3 }, running: [3], completed: '0-2' },
  ])('with $rule ends the Job while other pods run', async ({ rule, running, completed }) => {
    await using cluster = await TestCluster.start({
      fateOf: fates(Object.fromEntries(running.map((index) => [index, 'run' as const]))),
    });
    await cluster.client.resource(Jobs).create(job({ ...INDEXED, successPolicy: { rules: [rule] } }));
    const ended = await untilFinished(cluster, 'Complete');
    expect([reasonOf(ended, 'SuccessCriteriaMet'), reasonOf(ended, 'Complete')]).toEqual([
      'SuccessPolicy',
      'SuccessPolicy',
    ]);
    expect(ended.status).toMatchObject({ completedIndexes: completed, ready: 0, terminating: 0 });
    expect([ended.status?.active ?? 0, ended.status?.failed ?? 0]).toEqual([0, 0]);
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) =>
      pods.every(({ status, metadata }) => status?.phase === 'Succeeded' && !metadata.finalizers?.length),
    );
  });
});

describe('a pod failure policy', () => {
  const onExitCodes = { operator: 'In', values: [42] };

  it('fails the Job immediately', async () => {
    await using cluster = await TestCluster.start({ fateOf: () => ({ exitCode: 42 }) });
    const rules = [{ action: 'FailJob', onExitCodes }];
    await cluster.client.resource(Jobs).create(job({ podFailurePolicy: { rules } }));
    const ended = await untilFinished(cluster, 'Failed');
    expect(reasonOf(ended, 'FailureTarget')).toBe('PodFailurePolicy');
    expect(ended.status?.conditions?.find(({ type }) => type === 'Failed')?.message).toMatch(
      /^Container main for pod default\/work-\w+ failed with exit code 42 matching FailJob rule at index 0$/,
    );
    expect(await cluster.list(Pods)).toHaveLength(1);
  });

  it('ignores matching failures, even beyond the backoff limit', async () => {
    await using cluster = await TestCluster.start({ fateOf: () => ({ exitCode: 42 }) });
    const rules = [{ action: 'Ignore', onExitCodes }];
    await cluster.client.resource(Jobs).create(job({ backoffLimit: 0, podFailurePolicy: { rules } }));
    await eventually(
      cluster.client.resource(Pods),
      { namespace: 'default' },
      ([pod]) => pod?.status?.phase === 'Failed' && !pod.metadata.finalizers?.length,
    );
    cluster.nodes.fateOf = () => ({ exitCode: 0 });
    await cluster.advance(12);
    const ended = await untilFinished(cluster, 'Complete');
    expect([ended.status?.succeeded, ended.status?.failed ?? 0]).toEqual([1, 0]);
  });

  it('fails an index permanently', async () => {
    await using cluster = await TestCluster.start({ fateOf: fates({ 1: 42 }) });
    const rules = [{ action: 'FailIndex', onExitCodes }];
    const spec = { ...INDEXED, backoffLimitPerIndex: 3, podFailurePolicy: { rules } };
    await cluster.client.resource(Jobs).create(job(spec));
    const ended = await untilFinished(cluster, 'Failed');
    expect(reasonOf(ended, 'Failed')).toBe('FailedIndexes');
    expect(ended.status).toMatchObject({ failedIndexes: '1', completedIndexes: '0,2,3', failed: 1, succeeded: 3 });
  });

  it.each([
    { rule: { action: 'FailJob', onExitCodes }, exitCode: 1, action: 'Count', reason: 'no rule matches' },
    { rule: { action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [1] } }, exitCode: 2, action: 'Ignore' },
    { rule: { action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [1] } }, exitCode: 1, action: 'Count' },
    { rule: { action: 'Ignore', onExitCodes: { ...onExitCodes, containerName: 'b' } }, exitCode: 42, action: 'Count' },
    {
      rule: { action: 'FailJob', onPodConditions: [{ type: 'Evil', status: 'True' }] },
      exitCode: 1,
      action: 'FailJob',
    },
    { rule: { action: 'FailJob', onPodConditions: [{ type: 'Evil', status: 'False' }] }, exitCode: 1, action: 'Count' },
    { rule: { action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [1] } }, exitCode: 0, action: 'Count' },
  ])('with $rule decides $action on exit code $exitCode', ({ rule, exitCode, action }) => {
    const pod: Pod = {
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [] },
      status: {
        phase: 'Failed',
        conditions: [{ type: 'Evil', status: 'True' }],
        containerStatuses: [
          { name: 'a', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode } } },
        ],
      },
    };
    expect(failureDecisionFor(job({ podFailurePolicy: { rules: [rule] } }), pod).action).toBe(action);
  });
});

describe('a backoff limit per index', () => {
  it('tries each index as often as allowed, and runs all the others', async () => {
    await using cluster = await TestCluster.start({ fateOf: fates({ 0: 1, 2: 1 }) });
    await cluster.client.resource(Jobs).create(job({ ...INDEXED, backoffLimitPerIndex: 1 }));
    await eventually(
      cluster.client.resource(Pods),
      { namespace: 'default' },
      (pods) => pods.length === 4 && pods.every(({ status }) => status?.phase !== 'Pending'),
    );
    await cluster.advance(12);
    const ended = await untilFinished(cluster, 'Failed');
    expect(reasonOf(ended, 'Failed')).toBe('FailedIndexes');
    expect(ended.status).toMatchObject({ failedIndexes: '0,2', completedIndexes: '1,3', failed: 4, succeeded: 2 });
    const pods = await cluster.list(Pods);
    expect(pods.filter((pod) => indexOf(pod) === 0)).toHaveLength(2);
    expect(pods.every(({ metadata }) => !metadata.finalizers?.length)).toBe(true);
  });

  it('fails the Job if more indexes fail than allowed', async () => {
    await using cluster = await TestCluster.start({ fateOf: fates({ 0: 1, 1: 1, 2: 'run', 3: 'run' }) });
    await cluster.client.resource(Jobs).create(job({ ...INDEXED, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }));
    const ended = await untilFinished(cluster, 'Failed');
    expect(reasonOf(ended, 'Failed')).toBe('MaxFailedIndexesExceeded');
  });
});

describe("a Job's pods", () => {
  it('are released with their labels, and adopted again', async () => {
    await using cluster = await TestCluster.start();
    await cluster.client.resource(Jobs).create(job());
    const pods = cluster.client.resource(Pods);
    const [pod] = await eventually(pods, { namespace: 'default' }, ([one]) => one?.status?.phase === 'Running');
    const { name = '', labels = {} } = pod?.metadata ?? {};
    const removedLabels = Object.fromEntries(Object.keys(labels).map((key) => [key, null]));
    await pods.patch(name, { type: 'merge', value: { metadata: { labels: removedLabels } } }, { namespace: 'default' });
    await eventuallyObject(pods, { namespace: 'default', name }, ({ metadata }) => {
      expect([metadata.ownerReferences, metadata.finalizers]).toEqual([undefined, undefined]);
      return true;
    });
    await pods.patch(name, { type: 'merge', value: { metadata: { labels } } }, { namespace: 'default' });
    await eventuallyObject(pods, { namespace: 'default', name }, ({ metadata }) => {
      expect(metadata.ownerReferences).toHaveLength(1);
      expect(metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
      return true;
    });
  });

  it('are created by another controller if the Job specifies one', async () => {
    await using cluster = await TestCluster.start({ fateOf: () => ({ exitCode: 0 }) });
    const jobs = cluster.client.resource(Jobs);
    await jobs.create(job({ managedBy: 'example.com/other' }));
    await jobs.create({ ...job(), metadata: { namespace: 'default', name: 'ours' } });
    await eventuallyObject(jobs, { namespace: 'default', name: 'ours' }, ({ status }) => status?.succeeded === 1);
    expect((await jobs.get('work', { namespace: 'default' })).status).toEqual({});
  });
});
