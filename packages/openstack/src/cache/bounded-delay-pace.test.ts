import { describe, expect, it } from 'vitest';
import { BoundedDelayPace } from './bounded-delay-pace.ts';

/** All polls for a change that takes this long, including the poll that detects it. */
function pollTimes(pace: BoundedDelayPace, tookMs: number): number[] {
  const times: number[] = [];
  for (let ms = pace.nextPollMs(0); ; ms = pace.nextPollMs(ms)) {
    times.push(ms);
    if (ms >= tookMs) return times;
  }
}

/** Tracks successive changes, each of which a poll detects. */
function follow(pace: BoundedDelayPace, ...allMs: readonly number[]): void {
  for (const tookMs of allMs) {
    const [seenMs = 0, unseenMs = 0] = pollTimes(pace, tookMs).reverse();
    pace.learn(unseenMs, seenMs);
  }
}

function lateMs(pace: BoundedDelayPace, tookMs: number): number {
  return (pollTimes(pace, tookMs).at(-1) ?? 0) - tookMs;
}

describe('BoundedDelayPace', () => {
  it('polls an unknown cloud less and less often', () => {
    expect(pollTimes(new BoundedDelayPace(), 15_000)).toEqual([1_000, 2_000, 4_000, 7_000, 10_000, 13_000, 16_000]);
  });

  it.each([100, 500, 1_500, 5_000, 20_000, 60_000, 240_000])(
    'detects a change that takes %d ms within 3 s or 5% of that time, starting with the first change',
    (tookMs) => {
      const pace = new BoundedDelayPace();
      for (let turn = 0; turn < 5; turn++) {
        expect(lateMs(pace, tookMs)).toBeLessThanOrEqual(Math.max(3_000, 0.05 * tookMs + 1));
        follow(pace, tookMs);
      }
    },
  );

  it.each([
    [500, 1],
    [1_500, 1],
    [5_000, 2],
    [20_000, 2],
    [60_000, 3],
    [240_000, 3],
  ])('having learned that a change takes %d ms, polls for it %d times', (tookMs, count) => {
    const pace = new BoundedDelayPace();
    follow(pace, tookMs, tookMs);

    expect(pollTimes(pace, tookMs)).toHaveLength(count);
  });

  it.each([
    { reason: 'faster', before: 60_000, after: 20_000 },
    { reason: 'much faster', before: 60_000, after: 1_000 },
    { reason: 'slower', before: 2_000, after: 60_000 },
  ])('adapts to a cloud that becomes $reason', ({ before, after }) => {
    const pace = new BoundedDelayPace();
    follow(pace, ...Array<number>(5).fill(before), ...Array<number>(8).fill(after));

    expect(lateMs(pace, after)).toBeLessThanOrEqual(3_000);
    expect(pollTimes(pace, after).length).toBeLessThanOrEqual(6);
  });

  it('polls around the usual time for a cloud whose times vary', () => {
    const pace = new BoundedDelayPace();
    const times = [38_000, 52_000, 41_000, 60_000, 36_000, 47_000, 55_000, 43_000];
    follow(pace, ...times, ...times);

    const late = times.map((tookMs) => lateMs(pace, tookMs));
    const counts = times.map((tookMs) => pollTimes(pace, tookMs).length);
    expect(late.filter((ms) => ms > 3_000).length).toBeLessThanOrEqual(2);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
  });

  it.each<[reason: string, unseenMs: number, seenMs: number]>([
    ['lists that failed for hours', 2_000, 10_800_000],
    ['a change that hung for hours', 10_790_000, 10_800_000],
  ])('forgets %s after a few other changes', (_, unseenMs, seenMs) => {
    const pace = new BoundedDelayPace();
    follow(pace, ...Array<number>(5).fill(5_000));
    pace.learn(unseenMs, seenMs);
    follow(pace, ...Array<number>(10).fill(5_000));

    expect(lateMs(pace, 5_000)).toBeLessThanOrEqual(3_000);
  });
});
