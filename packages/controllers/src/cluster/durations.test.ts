import type { LastOperation } from '@fairway/api/kinds/status';
import { expect, test } from 'vitest';
import { nextDurations } from './durations.ts';

const START_MS = Date.UTC(2026, 0, 1);
const START = '2026-01-01T00:00:00Z';
const HOUR_MS = 3_600_000;

function upgrading(done: number): LastOperation {
  return {
    type: 'Upgrade',
    state: 'Processing',
    progress: 10,
    description: '',
    steps: { done, total: 8 },
    startTime: START,
    lastUpdateTime: START,
  };
}

test.each([
  { reason: 'it is the first step of an upgrade', done: 0, known: undefined, seconds: 3600 },
  { reason: 'the last duration counts', done: 0, known: 60, seconds: 3600 },
  { reason: 'nodes of an earlier upgrade were updated first', done: 4, known: 60, seconds: 60 },
])('a control plane takes $seconds s: $reason', ({ done, known, seconds }) => {
  const durations = known === undefined ? undefined : [{ what: 'ControlPlane' as const, seconds: known }];
  const seen = { before: upgrading(done), now: upgrading(done + 1), isControlPlaneDone: true };

  expect(nextDurations(durations, seen, START_MS + HOUR_MS)).toEqual([{ what: 'ControlPlane', seconds }]);
});

test('the duration of an operation is unknown if its start was not observed', () => {
  const seen = { before: undefined, now: upgrading(1), isControlPlaneDone: true };

  expect(nextDurations(undefined, seen, START_MS + HOUR_MS)).toBeUndefined();
});
