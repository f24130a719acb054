import { expect, it } from 'vitest';
import { ServerClock } from './server-clock.ts';

const AT_MS = Date.parse('2026-11-28T10:00:00Z');
const HOUR_MS = 3_600_000;

/** The browser's clock is `skewMs` ahead of the server's; each response takes 200 ms, half of it each way. */
function clockWithSkew(skewMs: number, ...serverMs: readonly number[]): { readonly errorMs: number } {
  let localMs = 0;
  const clock = new ServerClock(() => localMs);
  let serverNowMs = AT_MS;
  for (const ms of serverMs) {
    serverNowMs = AT_MS + ms;
    localMs = serverNowMs + skewMs + 100;
    clock.observe(new Date(serverNowMs).toUTCString(), localMs - 200);
  }
  return { errorMs: clock.nowMs() - (serverNowMs + 100) };
}

it.each([
  { skewMs: 0, answers: [0, 500, 900], reason: 'clocks that agree' },
  { skewMs: 300, answers: [0, 500, 900], reason: 'a difference that the precision hides' },
  { skewMs: HOUR_MS, answers: [999], reason: 'a browser an hour ahead' },
  { skewMs: -HOUR_MS, answers: [1], reason: 'a browser an hour behind' },
])('is accurate to 1.2 s: $reason', ({ skewMs, answers }) => {
  expect(Math.abs(clockWithSkew(skewMs, ...answers).errorMs)).toBeLessThanOrEqual(1_200);
});

it('becomes more accurate with each response', () => {
  expect(Math.abs(clockWithSkew(HOUR_MS, 0, 990).errorMs)).toBeLessThanOrEqual(210);
});

it('detects that the browser’s clock was changed in the meantime', () => {
  let localMs = AT_MS + HOUR_MS;
  const clock = new ServerClock(() => localMs);
  clock.observe(new Date(AT_MS).toUTCString(), localMs);
  localMs = AT_MS;
  clock.observe(new Date(AT_MS).toUTCString(), localMs);

  expect(clock.nowMs()).toBe(AT_MS);
});

it.each([null, '', 'yesterday'])('falls back to the browser’s clock if there is no valid date: %s', (date) => {
  const clock = new ServerClock(() => AT_MS);
  clock.observe(date, AT_MS);

  expect(clock.now()).toBe('2026-11-28T10:00:00.000Z');
});
