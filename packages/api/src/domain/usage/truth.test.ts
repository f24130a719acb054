import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UsageRecord, UsageRecordStatus } from '../../kinds/usage-record.ts';
import { compactUsage } from './compact.ts';
import { followUsage } from './follow.ts';
import { usageReport } from './report.ts';

const BEGIN_MS = Date.parse('2026-11-27T20:00:00Z');
const RETENTION_MS = 400 * 86_400_000;
const TYPES = ['small', 'large'];

interface Lifetime {
  readonly id: string;
  readonly type: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const lifetimes = fc
  .array(
    fc.record({
      type: fc.constantFrom(...TYPES),
      from: fc.integer({ min: 0, max: 12 * 86_400 }),
      seconds: fc.integer({ min: 1, max: 5 * 86_400 }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ type, from, seconds }, index): Lifetime => {
      const fromMs = BEGIN_MS + from * 1000;
      return { id: `server-${index}`, type, fromMs, toMs: fromMs + seconds * 1000 };
    }),
  );
/** An observation after this many seconds. If lost, the process died before it could write the result. */
const observations = fc.array(fc.record({ after: fc.integer({ min: 1, max: 2 * 86_400 }), isLost: fc.boolean() }), {
  maxLength: 60,
});

/** A lifetime that starts and ends between two observations is never seen. */
function isSeen({ fromMs, toMs }: Lifetime, times: readonly number[]): boolean {
  return times.some((atMs) => fromMs <= atMs && atMs < toMs);
}

test('usage is exact within the reported uncertainty, whichever observations are lost', () => {
  fc.assert(
    fc.property(lifetimes, observations, (all, schedule) => {
      let status: UsageRecordStatus = {};
      let atMs = BEGIN_MS;
      const counted: number[] = [];
      for (const { after, isLost } of schedule) {
        atMs += after * 1000;
        const items = all
          .filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)
          .map(({ id, type, fromMs }) => ({ id, type, sinceMs: fromMs }));
        const next = followUsage(status, [{ resource: 'Node', atMs, items }]);
        if (isLost) continue;
        counted.push(atMs);
        if (next !== status) status = compactUsage(next, atMs, RETENTION_MS);
      }
      const metadata = { name: 'usage', namespace: 'team' };
      const record: UsageRecord = {
        metadata,
        spec: { clusterName: 'demo', clusterUID: 'u', namespace: 'team' },
        status,
      };
      const rows = usageReport([record], { fromMs: 0, toMs: atMs + 1, nowMs: atMs, step: 'all', byCluster: false });
      for (const type of TYPES) {
        const seen = all.filter((lifetime) => lifetime.type === type && isSeen(lifetime, counted));
        const actualSeconds = seen.reduce((sum, { fromMs, toMs }) => sum + (Math.min(toMs, atMs) - fromMs) / 1000, 0);
        // Resources that ended after the last accepted observation are still counted as running.
        const lastMs = counted.at(-1) ?? atMs;
        const unseen = seen.reduce(
          (sum, { toMs }) => (toMs > lastMs && toMs < atMs ? sum + (atMs - toMs) / 1000 : sum),
          0,
        );
        const { amount = 0, uncertain = 0 } = rows.find((row) => row.type === type) ?? {};
        expect(amount).toBeGreaterThanOrEqual(actualSeconds);
        expect(amount - uncertain - unseen).toBeLessThanOrEqual(actualSeconds);
      }
    }),
    { numRuns: 300 },
  );
});
