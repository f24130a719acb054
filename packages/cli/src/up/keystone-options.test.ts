import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keystoneOptions, parseRoleEntry, parseSingleSignOn } from './keystone-options.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'fairway-policy-'));
  writeFileSync(join(cwd, 'policy.json'), '[{"resource_permissions":{"*/clusters":["get"]}}]');
  writeFileSync(join(cwd, 'broken.json'), '[{"resource":{"verbs":["get"]}}]');
});
afterAll(() => rmSync(cwd, { recursive: true }));

test('disables sign-in for Keystone users by default', () => {
  expect(keystoneOptions({ cwd }, {})).toBeUndefined();
});

test('requires only a cloud to enable Keystone users', () => {
  expect(keystoneOptions({ cwd }, { keystone: 'services' })).toEqual({
    cloud: 'services',
    namespaceFormat: '%i',
    roles: { admin: 'fairway-member', member: 'fairway-member', reader: 'fairway-reader' },
    ignoredProjects: [],
    singleSignOn: [],
    policy: undefined,
  });
});

test('replaces the defaults with values from the file', () => {
  const keystoneSettings = { namespaceFormat: 'p-%i', roles: ['auditor=view'], policyFile: 'policy.json' };

  expect(keystoneOptions({ cwd }, { keystone: 'services', keystoneSettings })).toMatchObject({
    namespaceFormat: 'p-%i',
    roles: { auditor: 'view' },
    policy: [{ resource_permissions: { '*/clusters': ['get'] } }],
  });
});

test.each([
  { keystoneSettings: { namespaceFormat: 'p-%i' }, reason: 'no cloud', error: /no Keystone is configured/ },
  {
    keystone: 'a',
    keystoneSettings: { policyFile: 'missing.json' },
    reason: 'a missing policy file',
    error: /cannot use the policy .*missing\.json/,
  },
  { keystone: 'a', keystoneSettings: { policyFile: 'broken.json' }, reason: 'a broken policy', error: /resources/ },
])('rejects settings with $reason', ({ error, ...options }) => {
  expect(() => keystoneOptions({ cwd }, options)).toThrow(error);
});

test('maps a role with a colon in its name to a ClusterRole', () => {
  expect(parseRoleEntry('key-manager:service-admin=fairway-reader')).toEqual([
    'key-manager:service-admin',
    'fairway-reader',
  ]);
});

test.each(['member', '=fairway-member', 'member=', 'a=b=c'])('rejects %s as a role entry', (text) => {
  expect(() => parseRoleEntry(text)).toThrow('is not ROLE=CLUSTERROLE');
});

test('accepts single sign-on with a name and a Keystone URL', () => {
  const url = 'https://keystone.example.com/v3/auth/OS-FEDERATION/websso/openid';

  expect(parseSingleSignOn(`Company login=${url}`)).toEqual({ name: 'Company login', url });
  expect(parseSingleSignOn('Here=http://127.0.0.1:5000/v3')).toMatchObject({ url: 'http://127.0.0.1:5000/v3' });
});

test.each([
  'https://k.example/',
  '=https://k.example/',
  'a=b',
  'a=http://k.example/',
  'a=https://k.example/?origin=x',
  'a=javascript:x',
])('rejects %s as single sign-on', (text) => {
  expect(() => parseSingleSignOn(text)).toThrow(/^(is|must not have) /);
});
