import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resume } from '../api/stores.ts';
import {
  dismissSignIn,
  followOtherTab,
  loadSession,
  recheckSession,
  sessionState,
  showSignIn,
  signIn,
} from './session.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const unavailable = () => new Response('', { status: 503, headers: { 'retry-after': '5' } });
const options = { keystone: true };
const signedOutSession = () => Response.json({ options });
const of = (user: string, { project = 'p', ends = '2026-11-26T13:00:00Z' } = {}) =>
  Response.json(
    {
      options,
      session: { kind: 'keystone', user, username: `keystone:${user}`, project: { id: project }, expiresAt: ends },
    },
    // The server's clock is five minutes ahead of the browser's.
    { headers: { date: 'Thu, 26 Nov 2026 12:05:00 GMT' } },
  );

let requestCount = 0;
let responses: (() => Response)[] = [];

beforeEach(() => {
  requestCount = 0;
  vi.useFakeTimers({ now: NOW });
  for (const name of ['addEventListener', 'removeEventListener']) vi.stubGlobal(name, () => undefined);
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('fetch', () => {
    requestCount++;
    const response = responses.shift();
    return response === undefined ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve(response());
  });
});
afterEach(() => {
  resume('signedOut');
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('retries until the server reports the session, but not before its Retry-After', async () => {
  responses = [unavailable, unavailable, signedOutSession];
  const done = loadSession();
  await vi.advanceTimersByTimeAsync(4_900);
  expect(requestCount).toBe(1);

  await vi.advanceTimersByTimeAsync(12_000);
  await done;
  expect(requestCount).toBe(3);
});

it('retries with growing delays if there is no response', async () => {
  responses = [];
  void loadSession();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  const expiryTime = requestCount;
  responses = [signedOutSession];
  await vi.advanceTimersByTimeAsync(30_000);

  expect(expiryTime).toBeGreaterThan(20);
  expect(expiryTime).toBeLessThan(60);
  expect(responses).toEqual([]);
});

describe('a session', () => {
  beforeEach(async () => {
    responses = [() => of('alice')];
    await loadSession();
  });

  it('ends at the time given by the server’s clock', () => {
    expect(sessionState()).toMatchObject({ session: { endsAtMs: NOW + 55 * 60_000 } });
  });

  it('keeps the page after the session has ended until the same user signs in again', async () => {
    responses = [signedOutSession, () => of('alice', { ends: '2026-11-26T14:00:00Z' })];
    await recheckSession();
    const ended = sessionState();
    await signIn({ kind: 'password', username: 'alice', domain: 'Default', password: 'x' });

    expect(ended).toMatchObject({ session: { user: 'alice' }, reauthentication: { hasEnded: true } });
    expect(sessionState()).toEqual({
      state: 'signedIn',
      session: expect.objectContaining({ expiresAt: '2026-11-26T14:00:00Z' }),
    });
  });

  it('continues if the server still accepts the token', async () => {
    responses = [() => of('alice')];
    await recheckSession();

    expect(sessionState()).not.toHaveProperty('reauthentication');
  });

  it('lets the user sign in early, or dismiss the form', () => {
    showSignIn();
    const early = sessionState();
    dismissSignIn();

    expect(early).toMatchObject({ reauthentication: { hasEnded: false } });
    expect(sessionState()).not.toHaveProperty('reauthentication');
  });

  it.each([
    { reason: 'another project', change: 'signedIn', answer: () => of('alice', { project: 'q' }), project: 'q' },
    { reason: 'another user', change: 'signedIn', answer: () => of('bob'), project: 'p' },
  ] as const)('follows another tab to $reason', async ({ change, answer, project }) => {
    responses = [answer];
    await followOtherTab(change);

    expect(sessionState()).toMatchObject({ state: 'signedIn', session: { project: { id: project } } });
  });

  it('ends in all tabs when the user signs out in one of them', async () => {
    responses = [signedOutSession];
    await followOtherTab('left');

    expect(sessionState()).toEqual({ state: 'signedOut', options, hasLeft: true });
  });
});
