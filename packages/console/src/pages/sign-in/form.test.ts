import { expect, it } from 'vitest';
import { credentialsOf, fieldsOf, NOTHING_ENTERED, needsPasscode, problemOf } from './form.ts';

it('asks for a passcode once it is wanted', () => {
  expect(fieldsOf('password', false)).toEqual(['username', 'password', 'domain']);
  expect(fieldsOf('password', true)).toEqual(['username', 'password', 'passcode', 'domain']);
});

it('sends what was meant, without blanks around names and within passcodes', () => {
  const entered = { ...NOTHING_ENTERED, username: ' alice ', password: ' secret ', passcode: '123 456' };

  expect(credentialsOf('password', entered)).toEqual({
    kind: 'password',
    username: 'alice',
    domain: 'Default',
    password: ' secret ',
    passcode: '123456',
  });
  expect(credentialsOf('token', { ...entered, token: 'abc\n' })).toEqual({ kind: 'token', token: 'abc' });
});

it.each([
  { code: 401, way: 'password', hasPasscode: false, text: 'failed.refused' },
  { code: 401, way: 'password', hasPasscode: true, text: 'failed.refused.passcode' },
  { code: 401, way: 'applicationCredential', hasPasscode: false, text: 'failed.refused.credential' },
  { code: 401, way: 'token', hasPasscode: false, text: 'failed.refused.token' },
  { code: 429, way: 'password', hasPasscode: false, text: 'failed.tooMany' },
  { code: 503, way: 'password', hasPasscode: false, text: 'failed.unavailable' },
  { code: 0, way: 'password', hasPasscode: false, text: 'failed.unavailable' },
  { code: 403, way: 'password', hasPasscode: false, text: 'failed' },
] as const)('says $text of a $code', ({ code, way, hasPasscode, text }) => {
  expect(problemOf({ code, message: 'no', retryAfterMs: 1_500 }, way, hasPasscode).text).toBe(text);
});

it('knows a wanted passcode from a wrong password', () => {
  expect(needsPasscode({ code: 401, causes: [{ field: 'passcode' }] })).toBe(true);
  expect(needsPasscode({ code: 401, causes: [] })).toBe(false);
});
