import { randomBytes } from 'node:crypto';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { TokenReview } from '@fairway/kube/kinds/generated/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { GUESS_RATE, MAX_CONCURRENT_REVIEWS, TOTAL_GUESS_RATE } from '../../../auth/delegated/token-guesses.ts';
import { createTokenReviewAuthenticator } from '../../../auth/delegated/token-review-authenticator.ts';
import type { Authenticator } from '../../../auth/user.ts';

const FLOOD_SIZE = 10_000;
const ATTACKER = '192.0.2.66';
const FORGET_AFTER_MS = 10_000;

let clock: FakeClock;
let authenticator: Authenticator;
/** Calls that the API server has received, and the promise on which its responses wait. */
let calls: number;
let hold: Promise<void> | undefined;
beforeEach(() => {
  clock = new FakeClock();
  calls = 0;
  hold = undefined;
  authenticator = createTokenReviewAuthenticator(new KubeClient(reviewer), clock);
});

/** Accepts tokens that start with `user-`. */
const reviewer: Transport = {
  async request({ body }) {
    calls++;
    await hold;
    const { token } = (JSON.parse(body ?? '{}') as TokenReview).spec;
    const status = token.startsWith('user-')
      ? { authenticated: true, user: { username: token } }
      : { authenticated: false };
    const text = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, status });
    const lines = () => Promise.reject(new Error('no watch'));
    return { status: 201, headers: {}, text: () => Promise.resolve(text), lines: lines as never };
  },
  close: () => {},
};

async function outcome(bearerToken: string, peer: string): Promise<string | number> {
  try {
    return (await authenticator.authenticate({ bearerToken, peer }))?.username ?? 'nobody';
  } catch (error) {
    return (error as { code: number }).code;
  }
}

const guess = () => randomBytes(16).toString('hex');

describe(`${FLOOD_SIZE} unknown tokens`, () => {
  it("use up only one address's share of reviews if sent one after another", async () => {
    const outcomes = new Map<string | number, number>();
    for (let index = 0; index < FLOOD_SIZE; index++) {
      const code = await outcome(guess(), ATTACKER);
      outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
    }

    expect(Object.fromEntries(outcomes)).toEqual({ 401: GUESS_RATE.burst, 429: FLOOD_SIZE - GUESS_RATE.burst });
    expect(calls).toBe(GUESS_RATE.burst);
    await clock.advance(60_000);
    for (let index = 0; index < FLOOD_SIZE; index++) await outcome(guess(), ATTACKER);
    expect(calls).toBe(2 * GUESS_RATE.burst);
  });

  it('get only a few concurrent reviews if one address sends them all at once', async () => {
    const held = Promise.withResolvers<void>();
    hold = held.promise;
    const all = Array.from({ length: FLOOD_SIZE }, () => outcome(guess(), ATTACKER));
    await clock.advance(0);
    const callCount = calls;
    held.resolve();
    await Promise.all(all);

    expect(callCount).toBe(MAX_CONCURRENT_REVIEWS.perHolder);
    expect(calls).toBe(MAX_CONCURRENT_REVIEWS.perHolder);
  });

  it('count as tokens from one address if they come from one IPv6 network', async () => {
    for (let index = 0; index < FLOOD_SIZE; index++)
      await outcome(guess(), `2001:db8::${(index % 65_536).toString(16)}`);

    expect(calls).toBe(GUESS_RATE.burst);
  });

  it('share one limit across many addresses, but an address that has made no guesses still gets a review', async () => {
    const addresses = Array.from({ length: 100 }, (_, index) => `198.51.100.${index}`);
    for (let index = 0; index < FLOOD_SIZE; index++) await outcome(guess(), addresses[index % addresses.length] ?? '');

    expect(calls).toBe(TOTAL_GUESS_RATE.burst);
    expect(await outcome('user-new', '203.0.113.1')).toBe('user-new');
  });

  it('do not block known users behind the same address', async () => {
    await outcome('user-alice', ATTACKER);
    for (let index = 0; index < FLOOD_SIZE; index++) await outcome(guess(), ATTACKER);
    await clock.advance(FORGET_AFTER_MS);
    for (let index = 0; index < FLOOD_SIZE; index++) await outcome(guess(), ATTACKER);

    expect(await outcome('user-alice', ATTACKER)).toBe('user-alice');
    expect(await outcome('user-bob', ATTACKER)).toBe(429);
    await clock.advance(1_000);
    expect(await outcome('user-bob', ATTACKER)).toBe('user-bob');
  });
});

it('a review that times out does not count as a guess, and frees its slot', async () => {
  hold = new Promise(() => {});
  const waiting = Array.from({ length: MAX_CONCURRENT_REVIEWS.perHolder }, () => outcome(guess(), ATTACKER));
  expect(await outcome('user-alice', ATTACKER)).toBe(429);
  await clock.advance(10_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]));
  hold = undefined;

  expect(await outcome('user-alice', ATTACKER)).toBe('user-alice');
});

it('an outage of the API server does not count as a guess', async () => {
  hold = Promise.reject(new Error('away'));
  hold.catch(() => undefined);
  for (let index = 0; index <= GUESS_RATE.burst; index++) await outcome('user-alice', ATTACKER);
  hold = undefined;

  expect(await outcome('user-alice', ATTACKER)).toBe('user-alice');
});
