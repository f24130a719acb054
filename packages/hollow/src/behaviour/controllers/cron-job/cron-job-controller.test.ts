import type { CronJob } from '@fairway/kube/kinds/generated/types';
import { CronJobs, Jobs } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, it } from 'vitest';
import { latestDue, parseSchedule } from '../../../controllers/cron-job/schedule.ts';
import { TestCluster } from '../../../testing/test-cluster.ts';

function cronJob(spec: Partial<CronJob['spec']> = {}): CronJob {
  const template = { spec: { containers: [{ name: 'main', image: 'busybox:1' }], restartPolicy: 'Never' } };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace: 'default' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec },
  };
}

describe('a CronJob', () => {
  it('starts a Job every minute and keeps the last three', async () => {
    await using cluster = await TestCluster.start({ fateOf: () => ({ exitCode: 0 }) });
    await cluster.client.resource(CronJobs).create(cronJob());
    await cluster.advance(330);
    const jobs = await eventually(cluster.client.resource(Jobs), { namespace: 'default' }, (jobs) => {
      expect(jobs).toHaveLength(3);
      return true;
    });
    const minutes = jobs.map(({ metadata }) => Number(metadata.name?.slice('tick-'.length)));
    expect(minutes).toEqual([minutes[0], (minutes[0] ?? 0) + 1, (minutes[0] ?? 0) + 2]);
  });

  it.each([
    { concurrencyPolicy: 'Forbid', expected: 1 },
    { concurrencyPolicy: 'Replace', expected: 1 },
    { concurrencyPolicy: 'Allow', expected: 3 },
  ])(
    'has $expected running Jobs after three minutes with $concurrencyPolicy',
    async ({ concurrencyPolicy, expected }) => {
      await using cluster = await TestCluster.start();
      await cluster.client.resource(CronJobs).create(cronJob({ concurrencyPolicy }));
      await cluster.advance(185);
      await eventually(cluster.client.resource(Jobs), { namespace: 'default' }, (jobs) => {
        expect(jobs).toHaveLength(expected);
        return true;
      });
    },
  );
});

describe('a schedule', () => {
  const at = (text: string) => Date.parse(text);

  it.each([
    { schedule: '*/15 * * * *', after: '2026-01-01T00:01:00Z', next: '2026-01-01T00:15:00Z' },
    { schedule: '@daily', after: '2026-01-01T00:01:00Z', next: '2026-01-02T00:00:00Z' },
    { schedule: '0 3 * * *', timeZone: 'Europe/Berlin', after: '2026-01-01T00:00:00Z', next: '2026-01-01T02:00:00Z' },
    {
      schedule: '0 0 13 * 5',
      after: '2026-01-01T00:00:00Z',
      next: '2026-01-02T00:00:00Z',
      reason: 'day of month or day of week',
    },
    { schedule: '@every 1h30m', after: '2026-01-01T00:00:00Z', next: '2026-01-01T01:30:00Z' },
  ])('$schedule', ({ schedule, timeZone, after, next }) => {
    expect(parseSchedule(schedule, timeZone).next(at(after))).toBe(at(next));
  });

  it('yields the last of many missed times', () => {
    const schedule = parseSchedule('* * * * *', undefined);
    const missed = latestDue(schedule, at('2026-01-01T00:00:00Z'), at('2026-03-01T12:34:56Z'));
    expect(missed).toEqual({ latestMs: at('2026-03-01T12:34:00Z'), isTooMany: true });
  });
});
