import { expect, test } from 'vitest';
import { Failure } from '../api/failure.ts';
import type { BrowserStorage } from './creation.ts';
import { attemptsIn, createdNothing, forgetAttempt, nextAttempt, recordAttempt } from './delegation.ts';

function emptyStorage(): BrowserStorage {
  const stored = new Map<string, string>();
  return {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  };
}

test.each([
  { taken: [], name: 'console' },
  { taken: ['mine'], name: 'console' },
  { taken: ['console', 'console-3'], name: 'console-2' },
  { taken: ['console-2', 'console'], name: 'console-3' },
])('without $taken, the next name is $name, and the Keystone name follows the command’s scheme', ({ taken, name }) => {
  expect(nextAttempt('p', taken, 'abcde')).toEqual({
    name,
    keystoneName: `fairway-p-${name}`,
    secretName: `${name}-cloud-credential-abcde`,
  });
});

test('records attempts per project until they are removed', () => {
  const storage = emptyStorage();
  const first = nextAttempt('p', [], 'a');
  const second = nextAttempt('p', ['console'], 'b');
  recordAttempt('p', first, storage);
  recordAttempt('p', first, storage);
  recordAttempt('p', second, storage);
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
])('$code $reason proves that nothing was created: $nothing', ({ code, reason, nothing }) => {
  expect(createdNothing(new Failure(code, 'no', { reason }))).toBe(nothing);
});
