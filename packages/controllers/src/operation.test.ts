import type { LastOperation } from '@fairway/api/kinds/status';
import { expect, test } from 'vitest';
import { elapsedSeconds, operation, stepsWith } from './operation.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = '2026-01-01T00:00:00Z';
const EARLIER_TIME = '2025-12-31T00:00:00Z';
const DAY_SECONDS = 86_400;
const waiting = {
  type: 'Scale',
  state: 'Error',
  progress: 40,
  description: 'no quota',
  reason: 'QuotaExceeded',
} as const;
const before: LastOperation = {
  ...waiting,
  since: EARLIER_TIME,
  summary: 'Scale 40%',
  startTime: EARLIER_TIME,
  lastUpdateTime: EARLIER_TIME,
};

test('a new operation reports when it started to wait', () => {
  expect(operation(undefined, waiting, NOW_MS)).toEqual({
    ...before,
    since: NOW,
    startTime: NOW,
    lastUpdateTime: NOW,
  });
});

test('an unchanged operation keeps its status', () => {
  expect(operation(before, waiting, NOW_MS)).toBe(before);
});

test('waiting for a different reason restarts the wait, but not the operation', () => {
  const next = { ...waiting, reason: 'FlavorOutOfStock', description: 'no hosts' };
  expect(operation(before, next, NOW_MS)).toMatchObject({ since: NOW, startTime: EARLIER_TIME });
});

test('a new progress value does not change when the wait or the operation started', () => {
  const next = { ...waiting, progress: 50 };
  expect(operation(before, next, NOW_MS)).toMatchObject({
    since: EARLIER_TIME,
    summary: 'Scale 50%',
    lastUpdateTime: NOW,
  });
});

test('a finished operation has no summary, and keeps its start time', () => {
  const done = { type: 'Scale', state: 'Succeeded', progress: 100, description: 'done' } as const;
  const ended = operation(before, done, NOW_MS);
  expect(ended).toEqual({ ...done, startTime: EARLIER_TIME, waitedSeconds: DAY_SECONDS, lastUpdateTime: NOW });
  expect(operation(ended, done, NOW_MS + 1)).toBe(ended);
  expect(operation(ended, waiting, NOW_MS).startTime).toBe(NOW);
});

test('the estimated end is derived from the last duration plus waits, until it is overdue', () => {
  const working = {
    type: 'Wake',
    state: 'Processing',
    progress: 10,
    description: 'nodes',
    expectedSeconds: 90,
  } as const;
  const started = operation(undefined, working, NOW_MS);
  expect(started.estimatedEndTime).toBe('2026-01-01T00:01:30Z');
  const stuckOperation = operation(started, { ...working, state: 'Error', reason: 'QuotaExceeded' }, NOW_MS + 30_000);
  expect(stuckOperation.estimatedEndTime).toBeUndefined();
  const again = operation(stuckOperation, working, NOW_MS + 3_630_000);
  expect(again).toMatchObject({ waitedSeconds: 3600, estimatedEndTime: '2026-01-01T01:01:30Z' });
  const reported = { ...working, estimatedEndTime: '2026-01-01T00:30:00Z' };
  expect(operation(stuckOperation, reported, NOW_MS + 1_000).estimatedEndTime).toBe('2026-01-01T00:30:00Z');
  expect(operation(stuckOperation, reported, NOW_MS + 3_630_000).estimatedEndTime).toBeUndefined();
  const late = operation(again, { ...working, progress: 20 }, NOW_MS + 3_700_000);
  expect(late.estimatedEndTime).toBeUndefined();
  const done = operation(late, { ...working, state: 'Succeeded', progress: 100 }, NOW_MS + 3_720_000);
  expect(elapsedSeconds(late, done, NOW_MS + 3_720_000)).toBe(120);
  expect(elapsedSeconds(done, done, NOW_MS + 3_720_000)).toBeUndefined();
});

test.each([
  { reason: 'the operation begins', left: 3, total: 5, steps: { done: 2, total: 5 } },
  {
    reason: 'deleted nodes still count',
    last: { done: 1, total: 8 },
    left: 3,
    total: 5,
    steps: { done: 5, total: 8 },
  },
  { reason: 'more work than before', last: { done: 1, total: 4 }, left: 6, steps: { done: 0, total: 6 } },
])('$steps of steps: $reason', ({ last, left, total, steps }) => {
  const previous = last && { ...before, steps: last };
  expect(stepsWith(previous, 'Scale', { left, ...(total !== undefined && { total }) })).toEqual(steps);
  expect(stepsWith(previous && { ...previous, state: 'Succeeded' }, 'Scale', { left }).done).toBe(0);
});
