import { expect, test } from 'vitest';
import { Failure } from '../api/failure.ts';
import type { BrowserStorage } from './creation.ts';
import { attemptsIn, forgetAttempt, hasMadeNothing, nextAttempt, noteAttempt } from './delegation.ts';

function emptyStorage(): BrowserStorage {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

test.each([
  { taken: [], name: 'console' },
  { taken: ['mine'], name: 'console' },
  { taken: ['console', 'console-3'], name: 'console-2' },
  { taken: ['console-2', 'console'], name: 'console-3' },
])('beside $taken the next is called $name, in Keystone as the command calls it', ({ taken, name }) => {
  expect(nextAttempt('p', taken, 'abcde')).toEqual({
    name,
    keystoneName: `fairway-p-${name}`,
    secretName: `${name}-cloud-credential-abcde`,
  });
});

test('attempts are known until they are forgotten, each in its project', () => {
  const storage = emptyStorage();
  const first = nextAttempt('p', [], 'a');
  const second = nextAttempt('p', ['console'], 'b');
  noteAttempt('p', first, storage);
  noteAttempt('p', first, storage);
  noteAttempt('p', second, storage);
  expect(attemptsIn('p', storage)).toEqual([first, second]);
  expect(attemptsIn('q', storage)).toEqual([]);
  forgetAttempt('p', first, storage);
  expect(attemptsIn('p', storage)).toEqual([second]);
  forgetAttempt('p', second, storage);

  expect(attemptsIn('p', storage)).toEqual([]);
});

test.each([
  { code: 403, reason: 'Forbidden', nothing: true },
  { code: 401, reason: 'Unauthorized', nothing: true },
  { code: 409, reason: 'AlreadyExists', nothing: false },
  { code: 503, reason: 'ServiceUnavailable', nothing: false },
  { code: 0, reason: '', nothing: false },
])('whether $code $reason says that nothing was made: $nothing', ({ code, reason, nothing }) => {
  expect(hasMadeNothing(new Failure(code, 'no', { reason }))).toBe(nothing);
});
