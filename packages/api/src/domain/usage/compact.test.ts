import { describe, expect, test } from 'vitest';
import type { UsageInterval, UsageTotal } from '../../kinds/usage-record.ts';
import { compactUsage } from './compact.ts';

const NOW = Date.parse('2026-12-10T12:30:00Z');
const RETENTION_MS = 400 * 86_400_000;

function interval(startTime: string, endTime?: string, more: Partial<UsageInterval> = {}): UsageInterval {
  return { resource: 'Node', id: 'a', type: 'b3-8', startTime, ...(endTime !== undefined && { endTime }), ...more };
}

function sums(intervals: readonly UsageInterval[], totals: readonly UsageTotal[] = []): string[] {
  const status = compactUsage({ intervals: [...intervals], totals: [...totals] }, NOW, RETENTION_MS);
  return (status.totals ?? []).map(
    ({ period, resource, type, amount, uncertain }) =>
      `${period} ${resource} ${type} ${amount}${uncertain === undefined ? '' : ` (${uncertain})`}`,
  );
}

describe('summing up ended intervals', () => {
  test.each([
    {
      what: 'sums up by hour within eight days, split at full hours',
      of: [interval('2026-12-10T09:50:00Z', '2026-12-10T11:10:00Z')],
      says: ['2026-12-10T09 Node b3-8 600', '2026-12-10T10 Node b3-8 3600', '2026-12-10T11 Node b3-8 600'],
    },
    {
      what: 'sums up by day before that, across the end of a month',
      of: [interval('2026-11-30T23:00:00Z', '2026-12-01T01:00:00Z')],
      says: ['2026-11-30 Node b3-8 3600', '2026-12-01 Node b3-8 3600'],
    },
    {
      what: 'sums up by day and by hour across the boundary',
      of: [interval('2026-12-01T23:00:00Z', '2026-12-02T00:30:00Z')],
      says: ['2026-12-01 Node b3-8 3600', '2026-12-02T00 Node b3-8 1800'],
    },
    {
      what: 'adds up several intervals',
      of: [
        interval('2026-12-10T09:00:00Z', '2026-12-10T09:10:00Z'),
        interval('2026-12-10T09:20:00Z', '2026-12-10T09:21:00Z', { id: 'b', uncertainSeconds: 5 }),
      ],
      says: ['2026-12-10T09 Node b3-8 660 (5)'],
    },
    {
      what: 'sums up volumes in GiB seconds, with the uncertainty in the last period',
      of: [
        interval('2026-12-10T09:59:00Z', '2026-12-10T10:01:00Z', {
          resource: 'Volume',
          type: 'ssd',
          quantity: 10,
          uncertainSeconds: 2,
        }),
      ],
      says: ['2026-12-10T09 Volume ssd 600', '2026-12-10T10 Volume ssd 600 (20)'],
    },
    {
      what: 'does not sum up intervals that ended less than an hour ago',
      of: [interval('2026-12-10T09:00:00Z', '2026-12-10T11:31:00Z')],
      says: [],
    },
    { what: 'does not sum up running intervals', of: [interval('2026-01-10T09:00:00Z')], says: [] },
  ])('$what', ({ of, says }) => {
    expect(sums(of)).toEqual(says);
  });

  test('turns hours into days, and drops days older than the retention', () => {
    const total = (period: string, amount: number): UsageTotal => ({ period, resource: 'Node', type: 'b3-8', amount });

    expect(
      sums(
        [],
        [total('2025-10-01', 5), total('2026-12-01T10', 60), total('2026-12-01T11', 40), total('2026-12-09T01', 7)],
      ),
    ).toEqual(['2026-12-01 Node b3-8 100', '2026-12-09T01 Node b3-8 7']);
  });

  test('sums up the oldest intervals early if there are too many', () => {
    const intervals = Array.from({ length: 600 }, (_, index) =>
      interval(
        '2026-12-10T11:40:00Z',
        `2026-12-10T12:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}Z`,
        { id: `${index}` },
      ),
    );

    const { intervals: left = [], totals } = compactUsage({ intervals }, NOW, RETENTION_MS);

    expect(left).toHaveLength(500);
    expect(left[0]?.id).toBe('100');
    expect(totals?.map(({ period }) => period)).toEqual(['2026-12-10T11', '2026-12-10T12']);
  });
});
