import { describe, expect, it } from 'vitest';
import { redirectOf } from './l7-policies.ts';
import { checkRule } from './l7-rule-validation.ts';

describe('redirectOf', () => {
  const url = 'https://example.org/';
  const noRedirect = { redirect_pool_id: null, redirect_url: null, redirect_prefix: null, redirect_http_code: null };

  it.each<[string, Parameters<typeof redirectOf>[0], object]>([
    ['rejects, regardless of the target', { action: 'REJECT', redirect_url: url }, { ...noRedirect, action: 'REJECT' }],
    [
      'redirects to a URL with 302',
      { action: 'REDIRECT_TO_URL', redirect_url: url },
      { ...noRedirect, action: 'REDIRECT_TO_URL', redirect_url: url, redirect_http_code: 302 },
    ],
    [
      'redirects with the requested code',
      { action: 'REDIRECT_PREFIX', redirect_prefix: url, redirect_http_code: 308 },
      { ...noRedirect, action: 'REDIRECT_PREFIX', redirect_prefix: url, redirect_http_code: 308 },
    ],
    [
      'redirects to a pool without a code',
      { action: 'REDIRECT_TO_POOL', redirect_pool_id: 'p', redirect_http_code: 301 },
      { ...noRedirect, action: 'REDIRECT_TO_POOL', redirect_pool_id: 'p' },
    ],
    [
      'drops the target of another action',
      { action: 'REDIRECT_TO_POOL', redirect_pool_id: 'p', redirect_url: url },
      { ...noRedirect, action: 'REDIRECT_TO_POOL', redirect_pool_id: 'p' },
    ],
    [
      'infers the action from the target',
      { redirect_url: url },
      { ...noRedirect, action: 'REDIRECT_TO_URL', redirect_url: url, redirect_http_code: 302 },
    ],
  ])('%s', (_what, spec, expected) => {
    expect(redirectOf(spec)).toEqual(expected);
  });

  it.each<[Parameters<typeof redirectOf>[0], string]>([
    [{ action: 'REDIRECT_TO_URL' }, 'Invalid L7 Policy arguments: redirect_url must not be None'],
    [{ action: 'REDIRECT_PREFIX' }, 'Invalid L7 Policy arguments: redirect_prefix must not be None'],
    [{ action: 'REDIRECT_TO_POOL' }, 'Invalid L7 Policy arguments: redirect_pool_id or redirect_pool must not be None'],
    [
      { redirect_pool_id: 'p', redirect_prefix: url },
      'Invalid L7 Policy arguments: Cannot specify redirect_pool_id and redirect_url or redirect_prefix at the same time',
    ],
    [{}, 'Invalid L7 Policy action specified: None'],
  ])('refuses %j', (spec, message) => {
    expect(() => redirectOf(spec)).toThrow(message);
  });
});

describe('checkRule', () => {
  const rule = { type: 'PATH', compare_type: 'STARTS_WITH', key: null, value: '/x' };

  it.each([
    [{}],
    [{ type: 'HOST_NAME', compare_type: 'REGEX', value: String.raw`^.*\.example\.org$` }],
    [{ type: 'HEADER', key: 'X-Tenant', compare_type: 'CONTAINS', value: 'a' }],
    [{ type: 'HEADER', key: 'X-Tenant', value: '"two words"' }],
    [{ type: 'COOKIE', key: 'c', compare_type: 'EQUAL_TO', value: 'v' }],
    [{ type: 'FILE_TYPE', compare_type: 'EQUAL_TO', value: 'png' }],
    [{ type: 'SSL_CONN_HAS_CERT', compare_type: 'EQUAL_TO', value: 'True' }],
    [{ type: 'SSL_VERIFY_RESULT', compare_type: 'EQUAL_TO', value: '0' }],
    [{ type: 'SSL_DN_FIELD', compare_type: 'EQUAL_TO', key: 'CN', value: 'me' }],
  ])('accepts %j', (fields) => {
    expect(() => checkRule({ ...rule, ...fields })).not.toThrow();
  });

  it.each([
    [{ value: '' }, 'Invalid L7 Rule: L7 rule type requires a value'],
    [{ type: 'HEADER' }, 'Invalid L7 Rule: L7 rule type requires a key'],
    [{ type: 'HEADER', key: 'a b' }, 'Invalid characters in key'],
    [{ type: 'COOKIE', key: 'c', value: 'a;b' }, 'Invalid characters in cookie value'],
    [{ value: 'a b' }, 'Invalid characters in comparison value'],
    [{ compare_type: 'REGEX', value: '(' }, 'Unable to parse regular expression: '],
    [{ type: 'FILE_TYPE' }, 'Invalid L7 Rule: invalid comparison type for rule type'],
    [
      { type: 'SSL_CONN_HAS_CERT', compare_type: 'EQUAL_TO' },
      'Invalid L7 Rule: L7rule value /x is not a boolean True string.',
    ],
    [
      { type: 'SSL_VERIFY_RESULT', compare_type: 'EQUAL_TO' },
      'Invalid L7 Rule: L7rule type SSL_VERIFY_RESULT needs a int value, which is >= 0',
    ],
    [
      { type: 'SSL_VERIFY_RESULT', value: '1' },
      'Invalid L7 Rule: L7rule type SSL_VERIFY_RESULT only supports the EQUAL_TO compare type.',
    ],
    [{ type: 'SSL_DN_FIELD', key: '-' }, 'Invalid L7 Rule: Invalid L7rule distinguished name field.'],
  ])('refuses %j', (fields, message) => {
    expect(() => checkRule({ ...rule, ...fields })).toThrow(`Error parsing L7Rule: ${message}`);
  });
});
