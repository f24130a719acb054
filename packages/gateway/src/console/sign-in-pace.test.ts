import { expect, it } from 'vitest';
import { SignInPace } from './sign-in-pace.ts';

const MINUTE_MS = 60_000;

/** How many of `count` attempts in a row may begin; each of them fails. */
function refusedAttempts(
  pace: SignInPace,
  count: number,
  nowMs: number,
  of: (index: number) => [string, string | undefined],
): number {
  let begun = 0;
  for (let index = 0; index < count; index++) {
    try {
      pace.begin(...of(index), nowMs)(true);
      begun++;
    } catch {
      // Slowed down.
    }
  }
  return begun;
}

it('allows five guesses at an account from anywhere, then two a minute', () => {
  const pace = new SignInPace();
  const anywhere = (index: number): [string, string] => [`192.0.2.${index}`, 'user default/alice'];

  expect(refusedAttempts(pace, 50, 0, anywhere)).toBe(5);
  expect(refusedAttempts(pace, 50, MINUTE_MS, anywhere)).toBe(2);
});

it('allows twenty guesses from an address, then six a minute', () => {
  const pace = new SignInPace();
  const anybody = (index: number): [string, string] => ['192.0.2.1', `user default/${index}`];

  expect(refusedAttempts(pace, 100, 0, anybody)).toBe(20);
  expect(refusedAttempts(pace, 100, MINUTE_MS, anybody)).toBe(6);
});

it('counts an IPv6 network as one address', () => {
  const pace = new SignInPace();

  expect(refusedAttempts(pace, 100, 0, (index) => [`2001:db8::${index}`, `user default/${index}`])).toBe(20);
});

it('does not count successful sign-ins', () => {
  const pace = new SignInPace();
  for (let index = 0; index < 100; index++) pace.begin('192.0.2.1', 'user default/alice', 0)(false);

  expect(refusedAttempts(pace, 50, 0, () => ['192.0.2.1', 'user default/alice'])).toBe(5);
});

it('counts attempts before their answers: a hundred concurrent ones are a hundred', () => {
  const pace = new SignInPace();
  const ends = Array.from({ length: 5 }, () => pace.begin('192.0.2.1', 'user default/alice', 0));

  expect(() => pace.begin('192.0.2.2', 'user default/alice', 0)).toThrow('too many failed sign-in attempts');
  for (const end of ends) end(true);
});

it('says when to retry', () => {
  const pace = new SignInPace();
  refusedAttempts(pace, 5, 0, () => ['192.0.2.1', 'user default/alice']);

  expect(() => pace.begin('192.0.2.1', 'user default/alice', 0)).toThrow(
    expect.objectContaining({ code: 429, retryAfterSeconds: 30 }),
  );
});

it('sends Keystone no more than 32 requests at a time', () => {
  const pace = new SignInPace();
  for (let index = 0; index < 32; index++) pace.begin(`192.0.2.${index}`, `user default/${index}`, 0);

  expect(() => pace.begin('198.51.100.1', 'user default/bob', 0)).toThrow('32 sign-ins are in progress');
});

it('counts tokens by their source address only: strangers’ delay no one else’s', () => {
  const pace = new SignInPace();
  const anywhere = (index: number): [string, undefined] => [`192.0.2.${index}`, undefined];

  expect(refusedAttempts(pace, 50, 0, anywhere)).toBe(50);
  expect(refusedAttempts(pace, 100, 0, () => ['198.51.100.1', undefined])).toBe(20);
});

it('accepts tokens while attempts at accounts wait for a slow Keystone', () => {
  const pace = new SignInPace();
  for (let index = 0; index < 32; index++) pace.begin(`192.0.2.${index}`, `user default/${index}`, 0);

  expect(() => pace.begin('198.51.100.1', undefined, 0)).not.toThrow();
});
