import type { RequestAttributes } from '@fairway/apiserver/auth/user';
import { excessiveItemGrowth } from '@fairway/base/testing/growth';
import { describe, expect, it } from 'vitest';
import { patternAllows } from './permission-pattern.ts';
import { type PolicyEntry, parsePolicy } from './policy.ts';
import { type PolicySubject, policyAllows } from './policy-decision.ts';

const ALICE: PolicySubject = {
  users: new Set(['u1', 'alice']),
  groups: new Set(['ops']),
  projects: new Set(['p1', 'demo']),
  roles: new Set(['member', 'reader']),
};

/** A request as `verb group/resource/subresource in namespace`, or `verb /path`. */
function requestAttributes(text: string): RequestAttributes {
  const [verb = '', what = '', , namespace = ''] = text.split(' ');
  const user = { username: 'keystone:u1', groups: [] };
  if (what.startsWith('/')) return { user, verb, path: what };
  const [group = '', resource = '', subresource = ''] = what.split('|');
  return { user, verb, group, version: 'v1', resource, subresource, namespace, name: '' };
}

const GET_PODS = { verbs: ['get'], resources: ['pods'], version: '', namespace: '*' };
const get = (fields: object): Partial<PolicyEntry> => ({ resource: { ...GET_PODS, ...fields } });

describe('an entry with a resource', () => {
  it.each<{ reason: string; entry: Partial<PolicyEntry>; ask: string; is: boolean }>([
    { reason: 'its verb', entry: get({}), ask: 'get |pods in a', is: true },
    { reason: 'another verb', entry: get({}), ask: 'list |pods in a', is: false },
    { reason: 'all verbs', entry: get({ verbs: ['*'] }), ask: 'delete |pods in a', is: true },
    { reason: 'another API group', entry: get({}), ask: 'get apps|pods in a', is: false },
    { reason: 'all API groups', entry: get({ version: '*' }), ask: 'get apps|pods in a', is: true },
    { reason: 'its namespace', entry: get({ namespace: 'a' }), ask: 'get |pods in a', is: true },
    { reason: 'another namespace', entry: get({ namespace: 'a' }), ask: 'get |pods in b', is: false },
    { reason: 'a request for all namespaces', entry: get({ namespace: 'a' }), ask: 'get |pods', is: false },
    { reason: 'a subresource', entry: get({}), ask: 'get |pods|log in a', is: false },
    {
      reason: 'a subresource listed by name',
      entry: get({ resources: ['pods/log'] }),
      ask: 'get |pods|log in a',
      is: true,
    },
    { reason: 'all subresources', entry: get({ resources: ['pods/*'] }), ask: 'get |pods|log in a', is: true },
    {
      reason: 'a resource with only its subresources listed',
      entry: get({ resources: ['pods/*'] }),
      ask: 'get |pods in a',
      is: false,
    },
    { reason: 'everything', entry: get({ resources: ['*'] }), ask: 'get |pods|log in a', is: true },
    { reason: 'a path', entry: get({ resources: ['*'] }), ask: 'get /pods', is: false },
  ])('$reason, $ask: $is', ({ entry, ask, is }) => {
    expect(policyAllows([{ match: [], ...entry }], ALICE, requestAttributes(ask))).toBe(is);
  });
});

describe('an entry with a path', () => {
  const path = (text: string, verbs = ['get']): Partial<PolicyEntry> => ({ nonresource: { path: text, verbs } });

  it.each<{ entry: Partial<PolicyEntry>; ask: string; is: boolean }>([
    { entry: path('/healthz'), ask: 'get /healthz', is: true },
    { entry: path('/healthz'), ask: 'post /healthz', is: false },
    { entry: path('/healthz'), ask: 'get /healthz/etcd', is: false },
    { entry: path('/api/*'), ask: 'get /api/v1', is: true },
    { entry: path('/api/*'), ask: 'get /apis', is: false },
    { entry: path('*'), ask: 'get /anything', is: true },
    { entry: path('*', ['']), ask: 'get /anything', is: false },
    { entry: path('*'), ask: 'get |pods in a', is: false },
  ])('$entry.nonresource.path, $ask: $is', ({ entry, ask, is }) => {
    expect(policyAllows([{ match: [], ...entry }], ALICE, requestAttributes(ask))).toBe(is);
  });
});

it.each<{ reason: string; match: PolicyEntry['match']; is: boolean }>([
  { reason: 'no criteria', match: [], is: true },
  { reason: 'the user by name', match: [{ type: 'user', values: ['alice'] }], is: true },
  { reason: 'the user by ID', match: [{ type: 'user', values: ['u1'] }], is: true },
  { reason: 'another user', match: [{ type: 'user', values: ['bob'] }], is: false },
  { reason: 'the project by ID or name', match: [{ type: 'project', values: ['x', 'demo'] }], is: true },
  { reason: 'the group', match: [{ type: 'group', values: ['ops'] }], is: true },
  { reason: 'everybody', match: [{ type: 'role', values: ['*'] }], is: true },
  {
    reason: 'one of two criteria',
    match: [
      { type: 'role', values: ['member'] },
      { type: 'project', values: ['other'] },
    ],
    is: false,
  },
])('matches by $reason: $is', ({ match, is }) => {
  expect(policyAllows([{ match, resource: GET_PODS }], ALICE, requestAttributes('get |pods in a'))).toBe(is);
});

describe('an entry with permissions', () => {
  const may = (key: string, verbs = ['get']): Partial<PolicyEntry> => ({ resource_permissions: { [key]: verbs } });
  const users = { projects: ['demo'] };

  it.each<{ reason: string; entry: Partial<PolicyEntry>; ask: string; is: boolean }>([
    { reason: 'its namespace', entry: may('a/pods'), ask: 'get |pods in a', is: true },
    { reason: 'another namespace', entry: may('a/pods'), ask: 'get |pods in b', is: false },
    { reason: 'any API group', entry: may('a/pods'), ask: 'get apps|pods in a', is: true },
    { reason: 'any subresource', entry: may('a/pods'), ask: 'get |pods|exec in a', is: true },
    { reason: 'all namespaces except one', entry: may('!a/pods'), ask: 'get |pods in b', is: true },
    { reason: 'the excluded namespace', entry: may('!a/pods'), ask: 'get |pods in a', is: false },
    { reason: 'a cluster-scoped resource', entry: may('!a/nodes'), ask: 'get |nodes', is: false },
    { reason: 'a cluster-scoped resource with a wildcard', entry: may('*/nodes'), ask: 'get |nodes', is: true },
    { reason: 'a list of resources', entry: may("*/['nodes', 'pods']"), ask: 'get |pods in a', is: true },
    { reason: 'upper case in the key', entry: may("A/['Pods']"), ask: 'get |pods in a', is: true },
    { reason: 'upper case in the verb', entry: may('a/pods', ['GET']), ask: 'get |pods in a', is: true },
    { reason: 'a key of three parts', entry: may('a/pods/log'), ask: 'get |pods in a', is: false },
    { reason: 'a key of one part', entry: may('pods'), ask: 'get |pods in a', is: false },
    {
      reason: 'the resource form in the same entry',
      entry: { ...may('a/nodes'), ...get({}) },
      ask: 'get |pods in a',
      is: false,
    },
    { reason: 'a path', entry: { nonresource_permissions: { '/healthz': ['get'] } }, ask: 'get /healthz', is: true },
    {
      reason: 'a path below the prefix',
      entry: { nonresource_permissions: { '/api/*': ['get'] } },
      ask: 'get /api/v1',
      is: false,
    },
  ])('$reason, $ask: $is', ({ entry, ask, is }) => {
    expect(policyAllows([{ match: [], users, ...entry }], ALICE, requestAttributes(ask))).toBe(is);
  });

  it.each<{ reason: string; users: PolicyEntry['users']; is: boolean }>([
    {
      reason: 'all of the roles in one of the projects',
      users: { projects: ['x', 'p1'], roles: ['member'] },
      is: true,
    },
    { reason: 'more roles than the user has', users: { projects: ['p1'], roles: ['member', 'admin'] }, is: false },
    { reason: 'another project', users: { projects: ['x'], roles: ['member'] }, is: false },
    { reason: 'no projects', users: { roles: ['member'] }, is: false },
  ])('applies to users with $reason: $is', ({ users: entryUsers, is }) => {
    expect(
      policyAllows([{ match: [], ...get({}), users: entryUsers }], ALICE, requestAttributes('get |pods in a')),
    ).toBe(is);
  });
});

it.each<[pattern: string, value: string, is: boolean]>([
  ['x', 'x', true],
  ['x', 'y', false],
  ['*', 'x', true],
  ['!x', 'y', true],
  ['!x', 'x', false],
  ['!*', 'x', false],
  ["['x', 'y']", 'y', true],
  ["['*']", 'x', true],
  ["!['x', 'y']", 'z', true],
  ["!['x', 'y']", 'x', false],
  ["!['*']", 'x', false],
  ["['x'", 'x', false],
  ["!['x'", 'y', false],
  ['[x]', 'x', false],
  ['![x]', 'y', false],
  ['[1]', '1', false],
])('the pattern %s allows %s: %s', (pattern, value, is) => {
  expect(patternAllows(pattern, value)).toBe(is);
});

describe('a decision takes time linear in', () => {
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

  it.each<PolicyEntry['match'][number]['type']>(['user', 'group', 'project', 'role'])(
    'the number of %s names',
    async (type) => {
      const decide = (count: number) => {
        const named = new Set(many('has', count));
        const subject: PolicySubject = { users: named, groups: named, projects: named, roles: named };
        const entry: PolicyEntry = { match: [{ type, values: many('wants', count) }], resource: GET_PODS };
        return policyAllows([entry], subject, requestAttributes('get |pods in a'));
      };
      expect(decide(100)).toBe(false);
      expect(await excessiveItemGrowth(decide)).toBeUndefined();
    },
  );

  it('the number of stars in a path', async () => {
    const decide = (count: number) => {
      const entry = { match: [], nonresource: { verbs: ['get'], path: `/${'*'.repeat(count)}x*` } };
      return policyAllows([entry], ALICE, requestAttributes('get /api'));
    };
    expect(decide(100)).toBe(false);
    expect(await excessiveItemGrowth(decide)).toBeUndefined();
  });
});

it.each<{ reason: string; text: string; error: RegExp }>([
  { reason: 'invalid JSON', text: '[', error: /JSON/ },
  { reason: 'an object instead of a list', text: '{}', error: /expected array/ },
  {
    reason: 'an entry without a namespace',
    text: '[{"resource":{"verbs":[],"resources":[],"version":"*"}}]',
    error: /namespace/,
  },
  { reason: 'an unknown match', text: '[{"match":[{"type":"domain","values":[]}]}]', error: /type/ },
  { reason: 'an unknown field', text: '[{"resources":{}}]', error: /resources/ },
])('rejects a policy with $reason', ({ text, error }) => {
  expect(() => parsePolicy(text)).toThrow(error);
});

it.each<{ reason: string; text: string; error: RegExp }>([
  { reason: 'in thousands of places', text: `[${'1,'.repeat(8_000)}1]`, error: /at \[0\][^]* and 7996 more$/ },
  { reason: 'about a long name', text: `[{"${'x'.repeat(16_000)}":1}]`, error: /Unrecognized key/ },
])('reports errors $reason concisely', ({ text, error }) => {
  const wrong = (): string => {
    try {
      parsePolicy(text);
      return '';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };

  expect(wrong()).toMatch(error);
  expect(wrong().length).toBeLessThan(1_100);
});
