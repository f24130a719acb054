import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { askForSession } from './session.ts';

const away = () => new Response('', { status: 503, headers: { 'retry-after': '5' } });
const nobody = () => Response.json({ options: { keystone: true } });

let asked = 0;
let answers: (() => Response)[] = [];

beforeEach(() => {
  asked = 0;
  vi.useFakeTimers();
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal('fetch', () => {
    asked++;
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(answer());
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('asks until the server says who is signed in, and no sooner than it wants', async () => {
  answers = [away, away, nobody];
  const done = askForSession();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(asked).toBe(1);

  await vi.advanceTimersByTimeAsync(12_000);
  await done;
  expect(asked).toBe(3);
});

it('goes on with longer pauses while nobody answers', async () => {
  answers = [];
  void askForSession();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  const inTenMinutes = asked;
  answers = [nobody];
  await vi.advanceTimersByTimeAsync(30_000);

  expect(inTenMinutes).toBeGreaterThan(20);
  expect(inTenMinutes).toBeLessThan(60);
  expect(answers).toEqual([]);
});
