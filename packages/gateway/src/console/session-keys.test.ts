import { expect, it } from 'vitest';
import {
  MAX_SESSION_MS,
  newSessionKeys,
  PUBLISH_AHEAD_MS,
  parseSessionKeys,
  rotateKeys,
  type SessionKey,
  sessionKeys,
  sessionKeysSecret,
} from './session-keys.ts';

const DAY_MS = 86_400_000;
const ids = (keys: readonly SessionKey[] | undefined) => keys?.map(({ id }) => id);

/** The keys after a period without reads. */
function keysAt(keys: readonly SessionKey[], nowMs: number): readonly SessionKey[] {
  return rotateKeys(keys, nowMs) ?? keys;
}

it('a key seals for a week', () => {
  const keys = newSessionKeys(0);

  expect(rotateKeys(keys, 6 * DAY_MS)).toBeUndefined();
  expect(rotateKeys(keys, 7 * DAY_MS)).toHaveLength(2);
});

it('announces the next key before it seals', () => {
  const [first] = newSessionKeys(0);
  const keys = keysAt([first as SessionKey], 7 * DAY_MS);

  expect(sessionKeys(keys, 7 * DAY_MS).active.id).toBe(first?.id);
  const laterKeys = sessionKeys(keys, 7 * DAY_MS + PUBLISH_AHEAD_MS);
  expect(laterKeys.active.id).toBe(keys[0]?.id);
  expect(ids(laterKeys.previousKeys)).toEqual([first?.id]);
});

it('keeps the previous key for the lifetime of a session, then removes it', () => {
  const first = newSessionKeys(0);
  const both = keysAt(first, 7 * DAY_MS);
  const endMs = 7 * DAY_MS + PUBLISH_AHEAD_MS + MAX_SESSION_MS;

  expect(rotateKeys(both, endMs - 1)).toBeUndefined();
  expect(ids(rotateKeys(both, endMs))).toEqual([both[0]?.id]);
});

it('immediately replaces a key that has been unused for a year', () => {
  const keys = keysAt(newSessionKeys(0), 365 * DAY_MS);

  expect(keys).toHaveLength(2);
  expect(sessionKeys(keys, 365 * DAY_MS).active.id).toBe(keys[1]?.id);
});

it('keeps keys unchanged when they are stored', () => {
  const keys = keysAt(newSessionKeys(0), 7 * DAY_MS);

  expect(parseSessionKeys(sessionKeysSecret(keys))).toEqual(keys.map((key) => ({ ...key, key: Buffer.from(key.key) })));
});

it.each([
  { reason: 'nothing', data: {} },
  { reason: 'invalid JSON', data: { 'keys.json': 'e30gfQ==' } },
  { reason: 'no keys', data: { 'keys.json': Buffer.from('[]').toString('base64') } },
  {
    reason: 'a short key',
    data: {
      'keys.json': Buffer.from('[{"id":"a","key":"c2hvcnQ","since":"2026-01-01T00:00:00Z"}]').toString('base64'),
    },
  },
])('reports a Secret with $reason, and how to fix it', ({ data }) => {
  expect(() => parseSessionKeys({ metadata: { name: 'x' }, data })).toThrow(
    'delete the Secret to have it recreated, which signs out all users of the console',
  );
});
