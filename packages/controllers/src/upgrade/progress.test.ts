import { describe, expect, test } from 'vitest';
import { nextUpgrade, type RolloutProgress, targetName } from './progress.ts';

const MINUTE_MS = 60_000;
const progress: RolloutProgress = {
  target: 'new',
  strategy: 'Rolling',
  state: 'Running',
  pending: 4,
  hasBegun: true,
  wait: undefined,
  retryRequested: undefined,
};

/** The result of each step, a minute apart. */
function after(...steps: readonly Partial<RolloutProgress>[]) {
  let last: ReturnType<typeof nextUpgrade> | undefined;
  for (const [index, step] of steps.entries()) last = nextUpgrade(last, { ...progress, ...step }, index * MINUTE_MS);
  return last;
}

describe('the progress of an upgrade', () => {
  test('counts updated nodes, and estimates the end from their durations', () => {
    expect(after({}, {}, { pending: 3 })).toMatchObject({
      summary: '1/4',
      startTime: '1970-01-01T00:00:00Z',
      estimatedEndTime: '1970-01-01T00:08:00Z',
    });
  });

  test('does not decrease if a node is updated again', () => {
    expect(after({}, { pending: 2 }, { pending: 3 })?.summary).toBe('2/4');
  });

  test('is unchanged while nothing happens', () => {
    const once = after({}, { pending: 3 });

    expect(nextUpgrade(once, { ...progress, pending: 3 }, 3 * MINUTE_MS)).toEqual(once);
  });

  test('does not estimate an end in the past', () => {
    const once = after({}, { pending: 3 });
    const late = nextUpgrade(once, { ...progress, pending: 3 }, 99 * MINUTE_MS);
    const { estimatedEndTime, ...others } = once ?? {};

    expect(estimatedEndTime).toBe('1970-01-01T00:04:00Z');
    expect(late).toEqual(others);
    expect(nextUpgrade(late, { ...progress, pending: 3 }, 199 * MINUTE_MS)).toEqual(late);
  });

  test('is unchanged while nothing happens, even with a long retry request', () => {
    const request = { retryRequested: 'x'.repeat(100_000) };
    const once = after({}, request);

    expect(once?.retriedTime).toBe('1970-01-01T00:01:00Z');
    expect(nextUpgrade(once, { ...progress, ...request }, 99 * MINUTE_MS)).toEqual(once);
  });

  test('reports when it started to wait', () => {
    const wait = { reason: 'QuotaExceeded', message: 'none left' } as const;

    expect(after({}, { wait }, { wait })).toMatchObject({ ...wait, since: '1970-01-01T00:01:00Z' });
  });

  test('excludes waiting time from the estimate', () => {
    const upgrade = after({}, { pending: 3 }, { state: 'Paused', pending: 3 }, { pending: 3 }, { pending: 2 });

    expect(upgrade?.estimatedEndTime).toBe('1970-01-01T00:06:00Z');
  });

  test('counts only the machines that existed before it started', () => {
    const waiting = { state: 'Waiting', hasBegun: false } as const;

    expect(after({ ...waiting, pending: 9 }, { pending: 4 })?.summary).toBe('0/4');
  });

  test('restarts with a different target', () => {
    expect(after({}, { pending: 0, state: 'Complete' }, { target: 'newer', pending: 4 })).toMatchObject({
      summary: '0/4',
      startTime: '1970-01-01T00:02:00Z',
    });
  });

  test('drops failures on a retry request', () => {
    expect(after({}, { retryRequested: 'now' }, { retryRequested: 'now' })).toMatchObject({
      retried: 'now',
      retriedTime: '1970-01-01T00:01:00Z',
    });
  });
});

test('the target name of machines changes with every part of their template', () => {
  const machine = { flavor: 'b3-8', image: 'noble', version: '1.34.1', zones: [] };
  const names = [
    machine,
    { ...machine, flavor: 'b3-16' },
    { ...machine, image: 'jammy' },
    { ...machine, version: '1.34.2' },
    { ...machine, rootVolume: { sizeGiB: 50 } },
    { ...machine, zones: ['a', 'b'] },
  ].map((each) => targetName(each));

  expect(names[0]).toMatch(/^1\.34\.1-[0-9a-f]{8}$/);
  expect(new Set(names).size).toBe(names.length);
  expect(targetName({ ...machine, zones: ['b', 'a'] })).toBe(names.at(-1));
});
