import { expect, test } from 'vitest';
import { WatchTimes } from './watch-times.ts';

const MINUTE_MS = 60_000;

test.each([
  { reason: 'the first check is the start', proofs: [], now: 7, since: 7 },
  { reason: 'timely proofs continue the watch', proofs: [0, 1, 2, 5], now: 6, since: 0 },
  { reason: 'a slightly late proof does not interrupt it', proofs: [0, 1], now: 4, since: 0 },
  { reason: 'a longer gap restarts it', proofs: [0, 1], now: 5, since: 5 },
  { reason: 'a stalled process restarts it', proofs: [0, 1, 60, 61], now: 61, since: 60 },
])('a watch: $reason', ({ proofs, now, since }) => {
  const watches = new WatchTimes();

  for (const minute of proofs) watches.prove('1.35', minute * MINUTE_MS);

  expect(watches.sinceMs('1.35', now * MINUTE_MS)).toBe(since * MINUTE_MS);
});

test('proof of the ability to write is due a minute after the last one, for each object separately', () => {
  const watches = new WatchTimes();
  watches.prove('1.35', 0);

  expect([MINUTE_MS - 1, MINUTE_MS].map((nowMs) => watches.isProofDue('1.35', nowMs))).toEqual([false, true]);
  expect(watches.isProofDue('1.36', 0)).toBe(true);
});
