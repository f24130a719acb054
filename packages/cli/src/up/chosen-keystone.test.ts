import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chosenKeystone, parseRoleEntry } from './chosen-keystone.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'fairway-policy-'));
  writeFileSync(join(cwd, 'policy.json'), '[{"resource_permissions":{"*/clusters":["get"]}}]');
  writeFileSync(join(cwd, 'broken.json'), '[{"resource":{"verbs":["get"]}}]');
});
afterAll(() => rmSync(cwd, { recursive: true }));

test('users of Keystone are not let in by default', () => {
  expect(chosenKeystone({ cwd }, {})).toBeUndefined();
});

test('a cloud suffices', () => {
  expect(chosenKeystone({ cwd }, { keystone: 'services' })).toEqual({
    cloud: 'services',
    namespaceFormat: '%i',
    roles: { admin: 'fairway-member', member: 'fairway-member', reader: 'fairway-reader' },
    ignoredProjects: [],
    policy: undefined,
  });
});

test('what the file says replaces the defaults', () => {
  const keystoneSettings = { namespaceFormat: 'p-%i', roles: ['auditor=view'], policyFile: 'policy.json' };

  expect(chosenKeystone({ cwd }, { keystone: 'services', keystoneSettings })).toMatchObject({
    namespaceFormat: 'p-%i',
    roles: { auditor: 'view' },
    policy: [{ resource_permissions: { '*/clusters': ['get'] } }],
  });
});

test.each([
  { keystoneSettings: { namespaceFormat: 'p-%i' }, reason: 'no cloud', error: /no cloud is named/ },
  {
    keystone: 'a',
    keystoneSettings: { policyFile: 'missing.json' },
    reason: 'no file',
    error: /missing\.json can't be used/,
  },
  { keystone: 'a', keystoneSettings: { policyFile: 'broken.json' }, reason: 'a broken policy', error: /resources/ },
])('settings with $reason are refused', ({ error, ...options }) => {
  expect(() => chosenKeystone({ cwd }, options)).toThrow(error);
});

test('a role with a colon in its name gives a ClusterRole', () => {
  expect(parseRoleEntry('key-manager:service-admin=fairway-reader')).toEqual([
    'key-manager:service-admin',
    'fairway-reader',
  ]);
});

test.each(['member', '=fairway-member', 'member=', 'a=b=c'])('%s gives none', (text) => {
  expect(() => parseRoleEntry(text)).toThrow('is not ROLE=CLUSTERROLE');
});
