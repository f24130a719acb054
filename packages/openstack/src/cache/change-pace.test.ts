import { describe, expect, it } from 'vitest';
import { type ChangeKind, ChangePace } from './change-pace.ts';

/** All polls in the first `durationMs`. */
function pollTimes(pace: ChangePace, durationMs: number): number[] {
  const times: number[] = [];
  for (let ms = pace.nextPollMs(0); ms <= durationMs; ms = pace.nextPollMs(ms)) times.push(Math.round(ms));
  return times;
}

function paceOf(change: ChangeKind, ...tookMs: readonly number[]): ChangePace {
  const pace = new ChangePace(change);
  for (const ms of tookMs) pace.learn(ms, ms);
  return pace;
}

describe('ChangePace', () => {
  it.each<[reason: string, pace: ChangePace, looks: number[]]>([
    ['an unknown cloud less and less often', paceOf('build'), [100, 200, 400, 800, 1600, 3200, 5200, 7200, 9200]],
    ['during a build when it may have failed, and when it has usually ended', paceOf('build', 5_000), [500, 6_500]],
    ['during a deletion a little before it usually ends', paceOf('deletion', 5_000), [3_500, 5_600, 8_960]],
    [
      'a cloud that takes no time as often as an unknown one',
      paceOf('deletion', 0),
      [100, 160, 256, 410, 655, 1049, 1678, 2684, 4295, 6872],
    ],
  ])('polls %s', (_, pace, expected) => {
    expect(pollTimes(pace, 10_000)).toEqual(expected);
  });

  it('adapts to a cloud that becomes faster or slower', () => {
    const long = Array<number>(10).fill(30_000);
    const short = Array<number>(20).fill(300);

    expect(pollTimes(paceOf('deletion', ...short, ...long), 25_000)[0]).toBeGreaterThan(20_000);
    expect(pollTimes(paceOf('deletion', ...long, ...short), 25_000)[0]).toBeLessThan(500);
  });

  it('assumes that a change happened between two polls', () => {
    const pace = new ChangePace('deletion');
    pace.learn(4_000, 6_000);

    expect(pace.nextPollMs(0)).toBe(3_500);
  });

  it.each<[reason: string, unseenMs: number, seenMs: number]>([
    ['lists that failed for hours', 2_000, 10_800_000],
    ['a change that hung for hours', 10_790_000, 10_800_000],
  ])('forgets %s after a few other changes', (_, unseenMs, seenMs) => {
    const pace = paceOf('deletion', ...Array<number>(10).fill(5_000));
    pace.learn(unseenMs, seenMs);
    for (let turn = 0; turn < 6; turn++) pace.learn(4_000, 6_000);

    expect(pollTimes(pace, 60_000)[0]).toBeLessThan(7_500);
  });

  it('polls an unknown cloud less often for changes that hang', () => {
    const times = pollTimes(new ChangePace('deletion'), 3_600_000);

    expect(times.filter((ms) => ms > 60_000 + 10_000).length).toBeLessThanOrEqual(6 * 60);
  });

  it('polls at least every ten seconds, however long a change takes', () => {
    const times = pollTimes(paceOf('deletion', 1_000), 600_000);
    const pauses = times.slice(1).map((ms, index) => ms - (times[index] ?? 0));

    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
  });
});
