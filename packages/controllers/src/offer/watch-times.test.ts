import { expect, test } from 'vitest';
import { WatchTimes } from './watch-times.ts';

const MINUTE_MS = 60_000;

test.each([
  { reason: 'the first look is the beginning', proofs: [], now: 7, since: 7 },
  { reason: 'proofs in time go on', proofs: [0, 1, 2, 5], now: 6, since: 0 },
  { reason: 'one that is late is no break', proofs: [0, 1], now: 4, since: 0 },
  { reason: 'without any for longer, it begins anew', proofs: [0, 1], now: 5, since: 5 },
  { reason: 'a process that stood still begins anew', proofs: [0, 1, 60, 61], now: 61, since: 60 },
])('$reason', ({ proofs, now, since }) => {
  const watches = new WatchTimes();

  for (const minute of proofs) watches.prove('1.35', minute * MINUTE_MS);

  expect(watches.sinceMs('1.35', now * MINUTE_MS)).toBe(since * MINUTE_MS);
});

test('a proof is due a minute after the last one, of each object for itself', () => {
  const watches = new WatchTimes();
  watches.prove('1.35', 0);

  expect([MINUTE_MS - 1, MINUTE_MS].map((nowMs) => watches.isProofDue('1.35', nowMs))).toEqual([false, true]);
  expect(watches.isProofDue('1.36', 0)).toBe(true);
});
