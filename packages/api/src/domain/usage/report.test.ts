import { describe, expect, test } from 'vitest';
import { type UsageInterval, type UsageRecord, type UsageTotal, usageRecords } from '../../kinds/usage-record.ts';
import { withoutBlindField } from '../../testing/blind.ts';
import { UsageDetailExpiredError, type UsageRow, type UsageStep, usageReport } from './report.ts';

const NOW = Date.parse('2026-12-10T12:00:00Z');

interface Content {
  readonly intervals?: readonly UsageInterval[];
  readonly totals?: readonly UsageTotal[];
  readonly namespace?: string;
  readonly cluster?: string;
}

function record({ intervals = [], totals = [], namespace = 'team', cluster = 'demo' }: Content): UsageRecord {
  const metadata = { name: `usage-${cluster}`, namespace: 'fairway-system' };
  return withoutBlindField(usageRecords.kind, {
    metadata,
    spec: { clusterName: cluster, clusterUID: `uid-${cluster}`, namespace },
    status: { projectID: `project-of-${namespace}`, intervals: [...intervals], totals: [...totals] },
  });
}

function node(startTime: string, endTime?: string, more: Partial<UsageInterval> = {}): UsageInterval {
  return { resource: 'Node', id: 'a', type: 'b3-8', startTime, ...(endTime !== undefined && { endTime }), ...more };
}

function queryUsage(
  records: readonly UsageRecord[],
  from: string,
  to: string,
  step: UsageStep = 'all',
  byCluster = false,
): UsageRow[] {
  return usageReport(records, { fromMs: Date.parse(from), toMs: Date.parse(to), nowMs: NOW, step, byCluster });
}

const november = ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'] as const;

describe('a usage report', () => {
  test.each([
    { what: 'the whole interval', of: node('2026-11-05T00:00:00Z', '2026-11-05T01:00:10Z'), seconds: 3610 },
    {
      what: 'the part of an interval within the span',
      of: node('2026-10-31T23:00:00Z', '2026-11-01T00:00:05Z'),
      seconds: 5,
    },
    { what: 'a running interval until the end of the span', of: node('2026-11-30T23:59:50Z'), seconds: 10 },
    {
      what: 'nothing for an interval that ended when the span started',
      of: node('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'),
      seconds: undefined,
    },
    {
      what: 'nothing for an interval that started when the span ended',
      of: node('2026-12-01T00:00:00Z'),
      seconds: undefined,
    },
  ])('counts $what', ({ of, seconds }) => {
    expect(queryUsage([record({ intervals: [of] })], ...november)[0]?.amount).toBe(seconds);
  });

  test('counts running intervals up to now', () => {
    const [row] = queryUsage(
      [record({ intervals: [node('2026-12-10T11:00:00Z')] })],
      '2026-12-10T00:00:00Z',
      '2027-01-01T00:00:00Z',
    );

    expect(row?.amount).toBe(3600);
    expect(row?.toMs).toBe(NOW);
  });

  test('reports volumes in GiB-seconds, with their uncertainty', () => {
    const volume = node('2026-11-05T00:00:00Z', '2026-11-05T00:01:00Z', {
      resource: 'Volume',
      type: 'ssd',
      quantity: 20,
      uncertainSeconds: 3,
    });

    expect(queryUsage([record({ intervals: [volume] })], ...november)[0]).toMatchObject({
      amount: 1200,
      uncertain: 60,
    });
  });

  test.each<{ step: UsageStep; periods: readonly string[] }>([
    { step: 'month', periods: ['2026-11-30T22:00 7200', '2026-12-01T00:00 7200'] },
    { step: 'day', periods: ['2026-11-30T22:00 7200', '2026-12-01T00:00 7200'] },
    {
      step: 'hour',
      periods: ['2026-11-30T22:00 3600', '2026-11-30T23:00 3600', '2026-12-01T00:00 3600', '2026-12-01T01:00 3600'],
    },
  ])('has one row per $step, split in UTC', ({ step, periods }) => {
    const rows = queryUsage(
      [record({ intervals: [node('2026-11-01T00:00:00Z')] })],
      '2026-11-30T22:00:00Z',
      '2026-12-01T02:00:00Z',
      step,
    );

    expect(rows.map(({ fromMs, amount }) => `${new Date(fromMs).toISOString().slice(0, 16)} ${amount}`)).toEqual(
      periods,
    );
  });

  test.each([
    { by: 'project', byCluster: false, says: ['other undefined 60', 'team undefined 150'] },
    { by: 'cluster', byCluster: true, says: ['other big 60', 'team demo 90', 'team second 60'] },
  ])('adds up by $by, including records of deleted clusters', ({ byCluster, says }) => {
    const minute = node('2026-11-05T00:00:00Z', '2026-11-05T00:01:00Z');
    const total: UsageTotal = { period: '2026-11-04', resource: 'Node', type: 'b3-8', amount: 30 };
    const records = [
      record({ intervals: [minute], totals: [total] }),
      record({ intervals: [minute], cluster: 'second' }),
      record({ intervals: [minute], namespace: 'other', cluster: 'big' }),
    ];

    const rows = queryUsage(records, ...november, 'all', byCluster);

    expect(rows.map(({ namespace, cluster, amount }) => `${namespace} ${cluster} ${amount}`)).toEqual(says);
  });

  test('includes sums for whole periods, and refuses to split a period', () => {
    const total = (period: string): UsageTotal => ({ period, resource: 'Node', type: 'b3-8', amount: 60 });
    const records = [record({ totals: [total('2026-11-04'), total('2026-12-10T10'), total('2026-12-10T11')] })];

    expect(queryUsage(records, '2026-12-10T11:00:00Z', '2026-12-10T12:00:00Z')[0]?.amount).toBe(60);
    expect(queryUsage(records, '2026-11-04T00:00:00Z', '2026-12-10T11:00:00Z')[0]?.amount).toBe(120);
    expect(() => queryUsage(records, '2026-11-04T12:00:00Z', '2026-12-10T11:00:00Z')).toThrow(UsageDetailExpiredError);
    expect(() => queryUsage(records, '2026-11-04T00:00:00Z', '2026-12-10T10:30:00Z')).toThrow('usage of 2026-12-10T10');
  });
});
