import { expect, it } from 'vitest';
import { SignInRateLimit } from './sign-in-rate-limit.ts';

const MINUTE_MS = 60_000;

/**
 * Makes `count` consecutive attempts, each of which fails. Returns the number of attempts that were allowed to begin.
 */
function startedAttempts(
  pace: SignInRateLimit,
  count: number,
  nowMs: number,
  of: (index: number) => [string, string | undefined],
): number {
  let startedCount = 0;
  for (let index = 0; index < count; index++) {
    try {
      pace.begin(...of(index), nowMs)(true);
      startedCount++;
    } catch {
      // Additional attempts are slowed down.
    }
  }
  return startedCount;
}

it('allows five guesses at an account from all addresses, then two per minute', () => {
  const pace = new SignInRateLimit();
  const anyAddress = (index: number): [string, string] => [`192.0.2.${index}`, 'user default/alice'];

  expect(startedAttempts(pace, 50, 0, anyAddress)).toBe(5);
  expect(startedAttempts(pace, 50, MINUTE_MS, anyAddress)).toBe(2);
});

it('allows twenty guesses from one address, then six per minute', () => {
  const pace = new SignInRateLimit();
  const anyAccount = (index: number): [string, string] => ['192.0.2.1', `user default/${index}`];

  expect(startedAttempts(pace, 100, 0, anyAccount)).toBe(20);
  expect(startedAttempts(pace, 100, MINUTE_MS, anyAccount)).toBe(6);
});

it('counts an IPv6 network as one address', () => {
  const pace = new SignInRateLimit();

  expect(startedAttempts(pace, 100, 0, (index) => [`2001:db8::${index}`, `user default/${index}`])).toBe(20);
});

it('does not count successful sign-ins', () => {
  const pace = new SignInRateLimit();
  for (let index = 0; index < 100; index++) pace.begin('192.0.2.1', 'user default/alice', 0)(false);

  expect(startedAttempts(pace, 50, 0, () => ['192.0.2.1', 'user default/alice'])).toBe(5);
});

it('counts attempts before their responses, so that a hundred concurrent attempts count as a hundred', () => {
  const pace = new SignInRateLimit();
  const endAttempts = Array.from({ length: 5 }, () => pace.begin('192.0.2.1', 'user default/alice', 0));

  expect(() => pace.begin('192.0.2.2', 'user default/alice', 0)).toThrow('too many failed sign-in attempts');
  for (const end of endAttempts) end(true);
});

it('returns Retry-After', () => {
  const pace = new SignInRateLimit();
  startedAttempts(pace, 5, 0, () => ['192.0.2.1', 'user default/alice']);

  expect(() => pace.begin('192.0.2.1', 'user default/alice', 0)).toThrow(
    expect.objectContaining({ code: 429, retryAfterSeconds: 30 }),
  );
});

it('sends Keystone at most 32 requests at a time', () => {
  const pace = new SignInRateLimit();
  for (let index = 0; index < 32; index++) pace.begin(`192.0.2.${index}`, `user default/${index}`, 0);

  expect(() => pace.begin('198.51.100.1', 'user default/bob', 0)).toThrow('32 sign-ins are in progress');
});

it('counts tokens only by source address: unauthenticated clients do not delay other users', () => {
  const pace = new SignInRateLimit();
  const anyAddress = (index: number): [string, undefined] => [`192.0.2.${index}`, undefined];

  expect(startedAttempts(pace, 50, 0, anyAddress)).toBe(50);
  expect(startedAttempts(pace, 100, 0, () => ['198.51.100.1', undefined])).toBe(20);
});

it('accepts tokens while password attempts wait for a slow Keystone', () => {
  const pace = new SignInRateLimit();
  for (let index = 0; index < 32; index++) pace.begin(`192.0.2.${index}`, `user default/${index}`, 0);

  expect(() => pace.begin('198.51.100.1', undefined, 0)).not.toThrow();
});
