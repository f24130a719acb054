import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { FakeClock } from '../clock-fake.ts';
import { isWorthReclaiming, type MemoryUse, reclaimMemory } from '../reclaim-memory.ts';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

function use({ resident = 200, live = 100, busy = 0.01 }): MemoryUse {
  return { residentBytes: resident * MIB, liveBytes: live * MIB, busy };
}

test.each([
  { what: 'the memory has not grown', now: use({}), before: 200, is: false },
  {
    what: 'the memory has grown by a quarter, but only by a few bytes',
    now: use({ resident: 110 }),
    before: 80,
    is: false,
  },
  {
    what: 'the memory has grown by a lot, but by less than a quarter',
    now: use({ resident: 1_100 }),
    before: 1_000,
    is: false,
  },
  { what: 'the memory has grown', now: use({ resident: 600 }), before: 200, is: true },
  {
    what: 'the memory has grown, but the process is busy',
    now: use({ resident: 600, busy: 0.11 }),
    before: 200,
    is: false,
  },
  {
    what: 'a collection would pause the process for too long',
    now: use({ resident: 900, live: 513 }),
    before: 200,
    is: false,
  },
])('memory is worth reclaiming: $is, since $what', ({ now, before, is }) => {
  expect(isWorthReclaiming(now, before * MIB)).toBe(is);
});

test('collects garbage once after a burst', async () => {
  const clock = new FakeClock();
  let now = use({});
  let collections = 0;
  const collect = () => {
    collections++;
    now = use({ resident: 350 });
  };
  const stop = reclaimMemory({ clock, probe: () => now, collect });

  now = use({ resident: 627, busy: 0.9 });
  await clock.advance(5 * MINUTE_MS);
  expect(collections).toBe(0);
  now = use({ resident: 627 });
  await clock.advance(MINUTE_MS);
  expect(collections).toBe(1);
  now = use({ resident: 400 });
  await clock.advance(60 * MINUTE_MS);
  expect(collections).toBe(1);

  await stop();
});

test('returns to the system the memory that V8 retains after a burst', () => {
  const program = `
    import { reclaimMemory } from ${JSON.stringify(import.meta.resolve('../reclaim-memory.ts'))};
    let run;
    const clock = { now: Date.now, after: (_, callback) => ((run = callback), { cancel() {} }) };
    const look = () => ({ residentBytes: process.memoryUsage().rss, liveBytes: 0, busy: 0 });
    reclaimMemory({ clock, look });
    let kept = Array.from({ length: 600_000 }, (_, index) => ({ name: 'x'.repeat(10) + index, list: [index, { index }] }));
    kept = kept.filter((_, index) => index % 9 === 0);
    const before = process.memoryUsage().rss;
    run();
    console.log(JSON.stringify({ before, after: process.memoryUsage().rss, kept: kept.length }));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });

  expect(stderr).toBe('');
  const { before, after } = JSON.parse(stdout) as { before: number; after: number };
  expect(after).toBeLessThan(before / 1.5);
});

test('does not count garbage as live memory', () => {
  const program = `
    import { PerformanceObserver } from 'node:perf_hooks';
    import { setImmediate } from 'node:timers/promises';
    import { probeProcess } from ${JSON.stringify(import.meta.resolve('../reclaim-memory.ts'))};
    const look = probeProcess();
    const told = new Promise((resolve) => new PerformanceObserver(resolve).observe({ entryTypes: ['gc'] }));
    const awake = setInterval(() => {}, 1_000);
    gc();
    await told;
    clearInterval(awake);
    await setImmediate();
    const collected = look().liveBytes;
    let garbage = Array.from({ length: 300_000 }, (_, index) => ({ index, list: [index] }));
    garbage = undefined;
    console.log(JSON.stringify({ collected, live: look().liveBytes, used: process.memoryUsage().heapUsed }));
    look.stop();
  `;
  const flags = ['--expose-gc', '--max-semi-space-size=64', '--input-type=module', '-e', program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: 'utf8' });

  expect(stderr).toBe('');
  const { collected, live, used } = JSON.parse(stdout) as { collected: number; live: number; used: number };
  expect(live).toBe(collected);
  expect(used).toBeGreaterThan(live + 10 * MIB);
});
