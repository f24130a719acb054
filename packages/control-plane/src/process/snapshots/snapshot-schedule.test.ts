import { describe, expect, test } from 'vitest';
import type { SnapshotInfo } from '../../runtime.ts';
import { snapshotName, takenAtMsOf } from './snapshot-name.ts';
import { nextSnapshotAtMs, snapshotsToPrune } from './snapshot-schedule.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const HOUR_MS = 3_600_000;

function taken(hour: number): SnapshotInfo {
  const takenAtMs = NOON_MS + hour * HOUR_MS;
  return { name: snapshotName(takenAtMs), takenAtMs, sizeBytes: 1 };
}

describe('nextSnapshotAtMs', () => {
  test.each([
    {
      newest: undefined,
      requestedAtMs: undefined,
      dueAtMs: Number.NEGATIVE_INFINITY,
      reason: 'is immediate for the first snapshot',
    },
    {
      newest: taken(0),
      requestedAtMs: undefined,
      dueAtMs: NOON_MS + 6 * HOUR_MS,
      reason: 'adds the interval to the newest snapshot',
    },
    {
      newest: taken(0),
      requestedAtMs: NOON_MS,
      dueAtMs: NOON_MS + 6 * HOUR_MS,
      reason: 'ignores a request that the newest snapshot fulfils',
    },
    { newest: taken(0), requestedAtMs: NOON_MS + 1, dueAtMs: NOON_MS + 1, reason: 'follows a later request' },
    {
      newest: taken(0),
      requestedAtMs: NOON_MS + 9 * HOUR_MS,
      dueAtMs: NOON_MS + 6 * HOUR_MS,
      reason: 'uses the interval if a request is further in the future',
    },
  ])('$reason', ({ newest, requestedAtMs, dueAtMs }) => {
    expect(nextSnapshotAtMs({ intervalMs: 6 * HOUR_MS, keep: 3, requestedAtMs }, newest)).toBe(dueAtMs);
  });
});

test.each([
  { keep: 3, needed: [], gone: [], reason: 'the limit is not exceeded' },
  { keep: 1, needed: [], gone: [1, 0], reason: 'the oldest snapshots are deleted' },
  { keep: 1, needed: [0], gone: [1], reason: 'a snapshot that is being restored stays' },
])('keeps $keep of three snapshots: $reason', ({ keep, needed, gone }) => {
  const names = (hours: readonly number[]) => hours.map((hour) => taken(hour).name);

  expect(snapshotsToPrune([taken(1), taken(0), taken(2)], keep, new Set(names(needed)))).toEqual(names(gone));
});

describe('names of snapshots', () => {
  test('contain the time of a snapshot and optionally the reason', () => {
    expect(snapshotName(NOON_MS + 7)).toBe('20261121-120000-007');
    expect(takenAtMsOf('20261121-120000-007')).toBe(NOON_MS + 7);
    expect(takenAtMsOf(snapshotName(NOON_MS, 'before-restore'))).toBe(NOON_MS);
  });

  test.each(['', 'etcd', '20261121-120000', '20261121-120000-007.db', '../20261121-120000-007', '20269921-120000-007'])(
    'never have the form "%s"',
    (name) => {
      expect(takenAtMsOf(name)).toBeUndefined();
    },
  );
});
