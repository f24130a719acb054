import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wake } from '../api/stores.ts';
import { askAgain, askForSession, followOtherTab, notNow, sessionState, signIn, signInEarly } from './session.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const away = () => new Response('', { status: 503, headers: { 'retry-after': '5' } });
const options = { keystone: true };
const nobody = () => Response.json({ options });
const of = (user: string, { project = 'p', ends = '2026-11-26T13:00:00Z' } = {}) =>
  Response.json(
    {
      options,
      session: { kind: 'keystone', user, username: `keystone:${user}`, project: { id: project }, expiresAt: ends },
    },
    // Five minutes ahead of the browser.
    { headers: { date: 'Thu, 26 Nov 2026 12:05:00 GMT' } },
  );

let asked = 0;
let answers: (() => Response)[] = [];

beforeEach(() => {
  asked = 0;
  vi.useFakeTimers({ now: NOW });
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('fetch', () => {
    asked++;
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(answer());
  });
});
afterEach(() => {
  wake('signedOut');
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

describe('a session', () => {
  beforeEach(async () => {
    answers = [() => of('alice')];
    await askForSession();
  });

  it('ends by the server’s clock', () => {
    expect(sessionState()).toMatchObject({ session: { endsAtMs: NOW + 55 * 60_000 } });
  });

  it('that has ended is kept until its user signs in again', async () => {
    answers = [nobody, () => of('alice', { ends: '2026-11-26T14:00:00Z' })];
    await askAgain();
    const ended = sessionState();
    await signIn({ kind: 'password', username: 'alice', domain: 'Default', password: 'x' });

    expect(ended).toMatchObject({ session: { user: 'alice' }, again: { hasEnded: true } });
    expect(sessionState()).toEqual({
      state: 'signedIn',
      session: expect.objectContaining({ expiresAt: '2026-11-26T14:00:00Z' }),
    });
  });

  it('that the server still knows has not ended', async () => {
    answers = [() => of('alice')];
    await askAgain();

    expect(sessionState()).not.toHaveProperty('again');
  });

  it('lets one sign in early, or not', () => {
    signInEarly();
    const early = sessionState();
    notNow();

    expect(early).toMatchObject({ again: { hasEnded: false } });
    expect(sessionState()).not.toHaveProperty('again');
  });

  it.each([
    { reason: 'another project', change: 'signedIn', answer: () => of('alice', { project: 'q' }), project: 'q' },
    { reason: 'another user', change: 'signedIn', answer: () => of('bob'), project: 'p' },
  ] as const)('follows another tab to $reason', async ({ change, answer, project }) => {
    answers = [answer];
    await followOtherTab(change);

    expect(sessionState()).toMatchObject({ state: 'signedIn', session: { project: { id: project } } });
  });

  it('is over in all tabs when it is left in one', async () => {
    answers = [nobody];
    await followOtherTab('left');

    expect(sessionState()).toEqual({ state: 'signedOut', options, hasLeft: true });
  });
});
