import type { Job, Pod } from '@fairway/kube/kinds/generated/types';
import { Jobs, Pods, ResourceQuotas } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../../../testing/test-cluster.ts';

const WORK = { namespace: 'default', name: 'work' };

function job(spec: Partial<Job['spec']> = {}): Job {
  const containers = [{ name: 'main', image: 'busybox:1' }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...WORK },
    spec: { template: { spec: { containers, restartPolicy: 'Never' } }, ...spec },
  };
}

function untilFinished(cluster: TestCluster, type: 'Complete' | 'Failed'): Promise<Job> {
  return eventuallyObject(cluster.client.resource(Jobs), WORK, ({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True'),
  );
}

const succeed = () => ({ exitCode: 0 }) as const;

describe('a Job', () => {
  it('runs pods to completion within its parallelism, and counts each once', async () => {
    let most = 0;
    await using cluster = await TestCluster.start({ fateOf: succeed });
    const stop = cluster.observe(Pods, (pods) => {
      most = Math.max(most, pods.filter(({ status }) => status?.phase === 'Pending').length);
    });
    await cluster.client.resource(Jobs).create(job({ completions: 5, parallelism: 2 }));
    const { status } = await untilFinished(cluster, 'Complete');
    stop();
    expect(status).toMatchObject({
      succeeded: 5,
      uncountedTerminatedPods: {},
      completionTime: expect.any(String) as string,
    });
    expect(status?.failed ?? 0).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
    const pods = await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) =>
      pods.every(({ metadata }) => !metadata.finalizers?.length),
    );
    expect(pods).toHaveLength(5);
  });

  it('gives each index to one pod', async () => {
    await using cluster = await TestCluster.start({ fateOf: succeed });
    await cluster.client.resource(Jobs).create(job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }));
    const { status } = await untilFinished(cluster, 'Complete');
    expect(status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
    const pods = await cluster.list(Pods);
    expect(pods.map(({ spec }) => spec.hostname ?? '').sort()).toEqual(['work-0', 'work-1', 'work-2', 'work-3']);
  });

  it('backs off after each failure, and fails after its backoff limit', async () => {
    await using cluster = await TestCluster.start({ fateOf: () => ({ exitCode: 1 }) });
    await cluster.client.resource(Jobs).create(job({ backoffLimit: 2 }));
    const failures = (count: number) => (pods: readonly Pod[]) =>
      pods.filter(({ status }) => status?.phase === 'Failed').length === count;
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, failures(1));
    await cluster.advance(9);
    expect(await cluster.list(Pods)).toHaveLength(1);
    await cluster.advance(3);
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, failures(2));
    await cluster.advance(22);
    const { status } = await untilFinished(cluster, 'Failed');
    expect(status).toMatchObject({ failed: 3 });
    expect(status?.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    });
  });

  it('fails after its active deadline, and deletes its pods', async () => {
    await using cluster = await TestCluster.start();
    await cluster.client.resource(Jobs).create(job({ activeDeadlineSeconds: 30 }));
    await eventually(
      cluster.client.resource(Pods),
      { namespace: 'default' },
      ([pod]) => pod?.status?.phase === 'Running',
    );
    await cluster.advance(40);
    const { status } = await untilFinished(cluster, 'Failed');
    expect(status?.conditions?.find(({ type }) => type === 'Failed')?.reason).toBe('DeadlineExceeded');
    expect(await cluster.list(Pods)).toEqual([]);
  });

  it('creates its pods gradually, whatever its parallelism', async () => {
    await using cluster = await TestCluster.start();
    const quota = { metadata: { name: 'few', namespace: 'default' }, spec: { hard: { pods: '2' } } };
    await cluster.client.resource(ResourceQuotas).create(quota);
    await eventuallyObject(cluster.client.resource(ResourceQuotas), quota.metadata, ({ status }) => !!status?.hard);
    await cluster.client.resource(Jobs).create(job({ parallelism: 2_000_000_000 }));
    // Creations that the quota rejects are retried with backoff.
    const active = async () => {
      await cluster.advance(10);
      const { status } = await cluster.client.resource(Jobs).get('work', { namespace: 'default' });
      return status?.active;
    };
    await expect.poll(active).toBe(2);
    expect(await cluster.list(Pods)).toHaveLength(2);
  });

  it('runs no pods while suspended', async () => {
    await using cluster = await TestCluster.start();
    const jobs = cluster.client.resource(Jobs);
    await jobs.create(job());
    await eventually(
      cluster.client.resource(Pods),
      { namespace: 'default' },
      ([pod]) => pod?.status?.phase === 'Running',
    );
    await jobs.patch('work', { type: 'merge', value: { spec: { suspend: true } } }, { namespace: 'default' });
    await eventually(cluster.client.resource(Pods), { namespace: 'default' }, (pods) => pods.length === 0);
    cluster.nodes.fateOf = succeed;
    await jobs.patch('work', { type: 'merge', value: { spec: { suspend: false } } }, { namespace: 'default' });
    const { status } = await untilFinished(cluster, 'Complete');
    expect(status?.failed ?? 0).toBe(0);
  });

  it('is deleted with its pods after its TTL', async () => {
    await using cluster = await TestCluster.start({ fateOf: succeed });
    await cluster.client.resource(Jobs).create(job({ ttlSecondsAfterFinished: 60 }));
    await untilFinished(cluster, 'Complete');
    await cluster.advance(70);
    await eventuallyDeleted(cluster.client.resource(Jobs), WORK);
    expect(await cluster.list(Pods)).toEqual([]);
  });
});
