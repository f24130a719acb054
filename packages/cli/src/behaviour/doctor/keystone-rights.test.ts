import { startTestKeystone } from '@fairway/identity/testing/test-keystone';
import { expect, test } from 'vitest';
import { observeKeystoneRights } from '../../doctor/keystone-rights.ts';

test.each([
  { entry: 'simulator', rights: ['no', 'no', 'no'], why: 'a member of a project' },
  { entry: 'simulator-reader', rights: ['no', 'no', 'no'], why: 'a reader of a project' },
  { entry: 'simulator-admin', rights: ['yes', 'yes', 'yes'], why: 'an administrator' },
  { entry: 'simulator-service', rights: ['yes', 'yes', 'no'], why: 'only the role service' },
])('$why may validate tokens, receive revocations, list projects: $rights', async ({ entry, rights }) => {
  const keystone = await startTestKeystone();
  const found = await observeKeystoneRights(keystone.as(entry), [], keystone.clock.now());
  await keystone.close();

  expect(found.map(({ allowed }) => allowed)).toEqual(rights);
  expect(found.every(({ allowed, detail }) => (allowed === 'yes') === (detail === ''))).toBe(true);
});

test('the role service may list projects if it is also a reader on the system', async () => {
  const keystone = await startTestKeystone();
  const login = { ...keystone.loginOf('simulator-service'), scope: { kind: 'system' } } as const;
  const readers = [keystone.as('simulator-service', login).identity];
  const found = await observeKeystoneRights(keystone.as('simulator-service'), readers, keystone.clock.now());
  await keystone.close();

  expect(found.map(({ allowed }) => allowed)).toEqual(['yes', 'yes', 'yes']);
});
