import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SteppingClock } from './stepping-clock.ts';

/**
 * Occupies a pool thread for a few hundred milliseconds: far longer than the number of event-loop turns after
 * which everything is considered idle.
 */
const SLOW_KEY_ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 4_096,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: 'SHA-256',
};

function generateSlowKey(): Promise<unknown> {
  return crypto.subtle.generateKey(SLOW_KEY_ALGORITHM, true, ['sign', 'verify']);
}

describe('a stepping clock', () => {
  test('stands still while a key is generated', async () => {
    const clock = new SteppingClock();
    const startMs = clock.now();
    const elapsed = generateSlowKey().then(() => clock.now() - startMs);

    await clock.pass(60_000);

    expect(await elapsed).toBe(0);
    expect(clock.now() - startMs).toBe(60_000);
  });

  test.each<{ what: string; work: () => Promise<unknown> }>([
    {
      what: 'a thousand turns of the event loop',
      work: async () => {
        for (let turn = 0; turn < 1_000; turn++) await nextTurn();
      },
    },
    { what: 'a file being read', work: () => readFile(import.meta.filename) },
  ])('stands still for $what', async ({ work }) => {
    const clock = new SteppingClock();
    const startMs = clock.now();
    const done = work().then(() => clock.now() - startMs);

    await clock.pass(60_000);

    expect(await done).toBe(0);
  });

  test('advances automatically while a test waits, until it is stopped', async () => {
    const clock = new SteppingClock();
    const startMs = clock.now();
    const stop = clock.run();
    await clock.sleep(60_000);
    const passedMs = clock.now() - startMs;
    stop();
    clock.after(1_000, () => undefined);
    for (let turn = 0; turn < 100; turn++) await nextTurn();

    expect(passedMs).toBe(60_000);
    expect(clock.now() - startMs).toBe(60_000);
  });

  test('stands still for work that a timer starts', async () => {
    const clock = new SteppingClock();
    const startMs = clock.now();
    const elapsed = clock
      .sleep(1_000)
      .then(generateSlowKey)
      .then(() => clock.now() - startMs);
    const due: string[] = [];
    void elapsed.then(() => due.push('key'));
    clock.after(1_001, () => due.push('timer'));

    await clock.pass(60_000);

    expect(await elapsed).toBe(1_000);
    expect(due).toEqual(['key', 'timer']);
  });

  test('advances after an operation that failed', async () => {
    const clock = new SteppingClock();
    const startMs = clock.now();
    const refused = crypto.subtle.importKey('pkcs8', Uint8Array.of(1), SLOW_KEY_ALGORITHM, false, ['sign']);

    await Promise.all([expect(refused).rejects.toMatchObject({ name: 'DataError' }), clock.pass(1_000)]);

    expect(clock.now() - startMs).toBe(1_000);
  });
});
