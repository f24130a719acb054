import type { UsageInterval, UsageRecord } from '@fairway/api/kinds/usage-record';
import { FakeClock } from '@fairway/base/clock-fake';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addUsageSeries } from './usage-series.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');

function record(namespace: string, intervals: UsageInterval[]): UsageRecord {
  const metadata = { name: `usage-${namespace}`, namespace };
  return { metadata, spec: { clusterName: 'demo', clusterUID: namespace, namespace }, status: { intervals } };
}

const node = (startTime: string, endTime?: string): UsageInterval => ({
  resource: 'Node',
  id: startTime,
  type: 'b3-8',
  startTime,
  ...(endTime !== undefined && { endTime }),
});

test.each([
  { who: 'the reporting replica', isReporting: true },
  { who: 'another replica', isReporting: false },
])('$who reports the current and past usage of projects this month', async ({ isReporting }) => {
  const volume: UsageInterval = {
    resource: 'Volume',
    id: 'v',
    type: 'ssd',
    quantity: 20,
    startTime: '2026-11-26T11:59:00Z',
  };
  const records = [
    record('a', [
      node('2026-10-01T00:00:00Z'),
      node('2026-11-26T11:00:00Z'),
      node('2026-11-01T00:00:00Z', '2026-11-01T00:00:05Z'),
      volume,
    ]),
    record('b', [node('2026-10-01T00:00:00Z', '2026-10-02T00:00:00Z')]),
  ];
  const registry = new Registry();
  const clock = new FakeClock(NOW);
  addUsageSeries(registry, { list: () => records }, { isReporting: () => isReporting, clock });

  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('fairway_'));

  const month = (NOW - Date.parse('2026-11-01T00:00:00Z')) / 1000;
  const reported = [
    'fairway_usage_running{namespace="a",resource="Node",type="b3-8"} 2',
    'fairway_usage_running{namespace="a",resource="Volume",type="ssd"} 20',
    `fairway_usage_month_seconds{namespace="a",resource="Node",type="b3-8"} ${month + 3600 + 5}`,
    'fairway_usage_month_seconds{namespace="a",resource="Volume",type="ssd"} 1200',
  ];
  expect(lines).toEqual(isReporting ? reported : []);
});
