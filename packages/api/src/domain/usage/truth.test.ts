import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UsageRecord, UsageRecordStatus } from '../../kinds/usage-record.ts';
import { compactUsage } from './compact.ts';
import { followUsage } from './follow.ts';
import { usageReport } from './report.ts';

const BEGIN = Date.parse('2026-11-27T20:00:00Z');
const RETENTION_MS = 400 * 86_400_000;
const TYPES = ['small', 'large'];

interface Life {
  readonly id: string;
  readonly type: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const lives = fc
  .array(
    fc.record({
      type: fc.constantFrom(...TYPES),
      from: fc.integer({ min: 0, max: 12 * 86_400 }),
      seconds: fc.integer({ min: 1, max: 5 * 86_400 }),
    }),
    { maxLength: 12 },
  )
  .map((all) =>
    all.map(({ type, from, seconds }, index): Life => {
      const fromMs = BEGIN + from * 1000;
      return { id: `server-${index}`, type, fromMs, toMs: fromMs + seconds * 1000 };
    }),
  );
/** A look after so many seconds; one that is lost was made by a process that died before it could write. */
const observations = fc.array(fc.record({ after: fc.integer({ min: 1, max: 2 * 86_400 }), isLost: fc.boolean() }), {
  maxLength: 60,
});

/** A life that began and ended between two looks was never seen. */
function isSeen({ fromMs, toMs }: Life, times: readonly number[]): boolean {
  return times.some((atMs) => fromMs <= atMs && atMs < toMs);
}

test('whatever happens, and whoever dies, seconds are those of what was there, within the bound that is told', () => {
  fc.assert(
    fc.property(lives, observations, (all, schedule) => {
      let status: UsageRecordStatus = {};
      let atMs = BEGIN;
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
        const seen = all.filter((life) => life.type === type && isSeen(life, counted));
        const truth = seen.reduce((sum, { fromMs, toMs }) => sum + (Math.min(toMs, atMs) - fromMs) / 1000, 0);
        // What has ended since the last look that counts is believed to run.
        const lastMs = counted.at(-1) ?? atMs;
        const unseen = seen.reduce(
          (sum, { toMs }) => (toMs > lastMs && toMs < atMs ? sum + (atMs - toMs) / 1000 : sum),
          0,
        );
        const { amount = 0, uncertain = 0 } = rows.find((row) => row.type === type) ?? {};
        expect(amount).toBeGreaterThanOrEqual(truth);
        expect(amount - uncertain - unseen).toBeLessThanOrEqual(truth);
      }
    }),
    { numRuns: 300 },
  );
});
