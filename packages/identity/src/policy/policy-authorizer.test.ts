import type { UserInfo } from '@fairway/apiserver/auth/user';
import { expect, it } from 'vitest';
import { newKeystoneUser } from '../testing/keystone-user.ts';
import { userInfoOf } from '../user-info.ts';
import { createPolicyAuthorizer } from './policy-authorizer.ts';

const OTHER_DOMAIN = { id: 'd2', name: 'Default' };

it.each<{ who: string; user: UserInfo; type: 'user' | 'project'; value: string; is: boolean }>([
  { who: 'alice', user: userInfoOf(newKeystoneUser()), type: 'user', value: 'alice', is: true },
  { who: 'alice by ID', user: userInfoOf(newKeystoneUser()), type: 'user', value: 'u1', is: true },
  {
    who: 'a user of the same name in another domain',
    user: userInfoOf(newKeystoneUser({ userDomain: OTHER_DOMAIN })),
    type: 'user',
    value: 'alice',
    is: false,
  },
  {
    who: 'a user with white space around the name',
    user: userInfoOf(newKeystoneUser({ userName: ' alice' })),
    type: 'user',
    value: 'alice',
    is: false,
  },
  { who: 'a user of the project', user: userInfoOf(newKeystoneUser()), type: 'project', value: 'demo', is: true },
  {
    who: 'a user of another project of the same name',
    user: userInfoOf(newKeystoneUser({ project: { id: 'p2', name: 'demo', domain: OTHER_DOMAIN } })),
    type: 'project',
    value: 'demo',
    is: false,
  },
  { who: 'a user of another kind', user: { username: 'alice', groups: [] }, type: 'user', value: '*', is: false },
])('applies a policy for the $type $value to $who: $is', async ({ user, type, value, is }) => {
  const resource = { verbs: ['*'], resources: ['*'], version: '*', namespace: '*' };
  const authorizer = createPolicyAuthorizer([{ resource, match: [{ type, values: [value] }] }]);
  const attributes = {
    user,
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'a',
    name: '',
  };

  expect((await authorizer.authorize(attributes)).allowed).toBe(is);
});
