import { expect, it } from 'vitest';
import { credentialsOf, EMPTY_INPUT, fieldsOf, needsPasscode, problemOf } from './form.ts';

it('shows the passcode field once it is required', () => {
  expect(fieldsOf('password', false)).toEqual(['username', 'password', 'domain']);
  expect(fieldsOf('password', true)).toEqual(['username', 'password', 'passcode', 'domain']);
});

it('sends trimmed names, and passcodes without spaces', () => {
  const input = { ...EMPTY_INPUT, username: ' alice ', password: ' secret ', passcode: '123 456' };

  expect(credentialsOf('password', input)).toEqual({
    kind: 'password',
    username: 'alice',
    domain: 'Default',
    password: ' secret ',
    passcode: '123456',
  });
  expect(credentialsOf('token', { ...input, token: 'abc\n' })).toEqual({ kind: 'token', token: 'abc' });
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
] as const)('returns $text for $code', ({ code, way, hasPasscode, text }) => {
  expect(problemOf({ code, message: 'no', retryAfterMs: 1_500 }, way, hasPasscode).text).toBe(text);
});

it('distinguishes a required passcode from a wrong password', () => {
  expect(needsPasscode({ code: 401, causes: [{ field: 'passcode' }] })).toBe(true);
  expect(needsPasscode({ code: 401, causes: [] })).toBe(false);
});
