import { describe, expect, test } from 'vitest';
import { samplesOf } from '../operator/metrics-text.ts';
import { failuresOf, latestPace, paceBetween, pacesOf } from './cloud-pace.ts';
import { type Reading, readingOf } from './cloud-reading.ts';

interface CallCounts {
  readonly ok?: number;
  readonly failed?: number;
  readonly silent?: number;
  readonly seconds?: number;
}

function reading(atSeconds: number, { ok = 0, failed = 0, silent = 0, seconds = 0 }: CallCounts): Reading {
  const calls = (code: string, value: number, method = 'GET') =>
    `fairway_openstack_requests_total{cloud="one",service="compute",method="${method}",resource="/servers",code="${code}"} ${value}`;
  const text = [
    calls('2xx', ok),
    calls('2xx', 0, 'POST'),
    calls('5xx', failed),
    calls('timeout', silent),
    `fairway_openstack_request_duration_seconds_sum{cloud="one",service="compute",method="GET"} ${seconds}`,
    `fairway_openstack_budget_waiting{cloud="one"} 4`,
    `fairway_openstack_budget_requests_per_minute{cloud="one"} 3000`,
    `fairway_openstack_cache_age_seconds{cloud="one",resource="servers"} 70`,
    `fairway_openstack_caches_failing{cloud="one",resource="servers"} 2`,
  ].join('\n');
  return readingOf(samplesOf(text, 'fairway_openstack_'), atSeconds * 1000);
}

describe('the computed pace', () => {
  test('is the number of calls per minute between two readings', () => {
    const pace = paceBetween(
      reading(0, { ok: 100, seconds: 10 }),
      reading(30, { ok: 110, failed: 5, seconds: 11.5 }),
      'one',
    );

    expect(pace).toMatchObject({ total: 30, calls: { answered: 20, refused: 0, failed: 10, silent: 0 } });
    expect(pace.services).toEqual([expect.objectContaining({ service: 'compute', total: 30, meanMs: 100 })]);
    expect(failuresOf(pace)).toBe(10);
  });

  test('restarts from zero when its replica has restarted', () => {
    const pace = paceBetween(reading(0, { ok: 1000 }), reading(60, { ok: 7 }), 'one');

    expect(pace.total).toBe(7);
  });

  test('includes the first reading within a window', () => {
    const readings = [
      reading(0, { ok: 1000 }),
      reading(10, { ok: 1010 }),
      reading(40, { ok: 1013 }),
      reading(70, { ok: 1016 }),
    ];

    expect(latestPace(readings, 'one', 30_000)?.total).toBe(6);
    expect(latestPace(readings, 'one', 5_000)?.total).toBe(6);
    expect(latestPace(readings.slice(0, 1), 'one', 30_000)).toBeUndefined();
    expect(pacesOf(readings, 'one').map(({ total }) => total)).toEqual([60, 6, 6]);
  });

  test('distinguishes missing responses from failures, and counts waiting calls', () => {
    const { clouds } = reading(0, { silent: 3 });

    expect(clouds.get('one')).toMatchObject({
      waiting: 4,
      budget: 3_000,
      lists: [{ resource: 'servers', ageSeconds: 70, failing: 2 }],
    });
    expect(clouds.get('one')?.services.get('compute')?.calls).toEqual({
      answered: 0,
      refused: 0,
      failed: 0,
      silent: 3,
    });
  });
});
