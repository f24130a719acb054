import { describe, expect, test } from 'vitest';
import { impersonationHeaders } from './impersonation.ts';

test('sends all attributes of the caller, each group and value in its own header', () => {
  const user = {
    username: 'alice',
    uid: 'u-1',
    groups: ['devs', 'a, b'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=1'], 'example.com/Scopes': ['r', 'w'], none: [] },
  };

  expect(impersonationHeaders(user)).toEqual({
    'impersonate-user': 'alice',
    'impersonate-uid': 'u-1',
    'impersonate-group': ['devs', 'a, b'],
    'impersonate-extra-authentication.kubernetes.io%2fcredential-id': ['JTI=1'],
    'impersonate-extra-example.com%2f%53copes': ['r', 'w'],
  });
});

test('omits unknown attributes', () => {
  expect(impersonationHeaders({ username: 'alice', uid: '', groups: [] })).toEqual({ 'impersonate-user': 'alice' });
});

test('sends names in all scripts as UTF-8, byte by byte', () => {
  const { 'impersonate-user': name } = impersonationHeaders({ username: 'jürgen 王', groups: [] });

  expect(Buffer.from(String(name), 'latin1').toString()).toBe('jürgen 王');
});

describe('refuses a name that would be changed in transit', () => {
  test.each([
    { username: ' root', groups: [] },
    { username: 'root ', groups: [] },
    { username: 'root\u00a0', groups: [] },
    { username: '', groups: [] },
    { username: 'a\nImpersonate-Group: system:masters', groups: [] },
    { username: 'a', groups: [''] },
    { username: 'a', groups: ['\tsystem:masters'] },
    { username: 'a', groups: [], extra: { k: ['x\r\ny'] } },
  ])('%j', (user) => {
    expect(() => impersonationHeaders(user)).toThrow(expect.objectContaining({ code: 403, reason: 'Forbidden' }));
  });
});
