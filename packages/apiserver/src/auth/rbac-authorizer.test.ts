import type { PolicyRule, Subject } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from '@fairway/kube/kinds/resources';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeObjectReader } from './object-reader-fake.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { describeRules, ruleAllows, uncoveredRules } from './rbac-rules.ts';
import { deniedError } from './request-attributes.ts';
import type { RequestAttributes, ResourceAttributes, UserInfo } from './user.ts';

const alice: UserInfo = { username: 'alice', groups: ['dev'] };

/** Parses `get apps/deployments/scale web in shop` into attributes. */
function attributesOf(verb: string, what: Partial<ResourceAttributes>, user = alice): ResourceAttributes {
  return {
    user,
    verb,
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: 'shop',
    name: '',
    ...what,
  };
}

describe('ruleAllows', () => {
  const rule = (parts: Partial<PolicyRule>): PolicyRule => ({
    verbs: ['get'],
    apiGroups: [''],
    resources: ['pods'],
    ...parts,
  });

  test.each<[string, PolicyRule, ResourceAttributes, boolean]>([
    ['exactly the listed request', rule({}), attributesOf('get', {}), true],
    ['another verb', rule({}), attributesOf('list', {}), false],
    ['any verb', rule({ verbs: ['*'] }), attributesOf('frobnicate', {}), true],
    ['another group', rule({}), attributesOf('get', { group: 'apps' }), false],
    ['any group', rule({ apiGroups: ['*'] }), attributesOf('get', { group: 'apps' }), true],
    ['a subresource is not its resource', rule({}), attributesOf('get', { subresource: 'log' }), false],
    ['a resource is not its subresource', rule({ resources: ['pods/log'] }), attributesOf('get', {}), false],
    ['the subresource', rule({ resources: ['pods/log'] }), attributesOf('get', { subresource: 'log' }), true],
    [
      'a subresource of all resources',
      rule({ resources: ['*/scale'] }),
      attributesOf('get', { subresource: 'scale' }),
      true,
    ],
    [
      'another subresource of all resources',
      rule({ resources: ['*/scale'] }),
      attributesOf('get', { subresource: 'log' }),
      false,
    ],
    [
      'all resources include their subresources',
      rule({ resources: ['*'] }),
      attributesOf('get', { subresource: 'log' }),
      true,
    ],
    ['pods/* is no wildcard', rule({ resources: ['pods/*'] }), attributesOf('get', { subresource: 'log' }), false],
    ['the named object', rule({ resourceNames: ['a', 'b'] }), attributesOf('get', { name: 'b' }), true],
    ['an object that is not named', rule({ resourceNames: ['a'] }), attributesOf('get', { name: 'b' }), false],
    [
      'a list if only named objects are allowed',
      rule({ resourceNames: ['a'] }),
      attributesOf('get', { name: '' }),
      false,
    ],
    ['a rule for paths', { verbs: ['*'], nonResourceURLs: ['*'] }, attributesOf('get', {}), false],
  ])('%s', (_name, policy, attributes, expected) => {
    expect(ruleAllows(policy, attributes)).toBe(expected);
  });

  test.each([
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/etcd', false],
    ['/apis/*', '/apis/apps/v1', true],
    ['/apis/*', '/apis', false],
    ['*', '/anything', true],
    ['/a*b', '/aXb', false],
  ])('path rule %s for %s: %s', (url, path, expected) => {
    expect(ruleAllows({ verbs: ['get'], nonResourceURLs: [url] }, { user: alice, verb: 'get', path })).toBe(expected);
  });
});

describe('uncoveredRules', () => {
  const owned: PolicyRule[] = [
    { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', '*/scale'] },
    { verbs: ['*'], apiGroups: ['apps'], resources: ['*'] },
    { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
    { verbs: ['get'], nonResourceURLs: ['/metrics/*'] },
  ];

  test.each<[PolicyRule, string[]]>([
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }, []],
    [
      { verbs: ['get', 'delete'], apiGroups: [''], resources: ['pods'] },
      ['{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'],
    ],
    [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }, ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}']],
    [{ verbs: ['escalate'], apiGroups: ['apps'], resources: ['deployments/scale'] }, []],
    [{ verbs: ['get'], apiGroups: [''], resources: ['replicationcontrollers/scale'] }, []],
    [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] }, []],
    [
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'] },
      ['{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
    ],
    [
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine', 'yours'] },
      ['{APIGroups:[""], Resources:["secrets"], ResourceNames:["yours"], Verbs:["get"]}'],
    ],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics/a', '/metrics/*'] }, []],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, ['{NonResourceURLs:["/metrics"], Verbs:["get"]}']],
    [
      { verbs: ['get', 'list'], apiGroups: ['batch'], resources: ['jobs'] },
      ['{APIGroups:["batch"], Resources:["jobs"], Verbs:["get" "list"]}'],
    ],
  ])('%j', (requestedRule, expected) => {
    expect(describeRules(uncoveredRules(owned, [requestedRule]))).toEqual(expected);
  });
});

describe('RbacAuthorizer', () => {
  let reader: FakeObjectReader;
  let rbac: RbacAuthorizer;
  beforeEach(() => {
    reader = new FakeObjectReader();
    rbac = new RbacAuthorizer(reader);
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    reader.put(ClusterRoles, { metadata: { name: 'reader' }, rules });
    reader.put(Roles, { metadata: { namespace: 'shop', name: 'local' }, rules });
  });
  const bind = (namespace: string, subject: Subject, role = 'reader', kind = 'ClusterRole') => {
    const binding = { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role }, subjects: [subject] };
    const name = `to-${subject.name}`;
    if (namespace === '') reader.put(ClusterRoleBindings, { metadata: { name }, ...binding });
    else reader.put(RoleBindings, { metadata: { namespace, name }, ...binding });
  };
  const robot: UserInfo = { username: 'system:serviceaccount:shop:web', groups: ['system:serviceaccounts'] };

  test.each<[string, () => void, UserInfo, string, string | false]>([
    [
      'a user, cluster-wide',
      () => bind('', { kind: 'User', name: 'alice' }),
      alice,
      'anywhere',
      'RBAC: allowed by ClusterRoleBinding "to-alice" of ClusterRole "reader" to User "alice"',
    ],
    [
      'a group, in one namespace',
      () => bind('shop', { kind: 'Group', name: 'dev' }),
      alice,
      'shop',
      'RBAC: allowed by RoleBinding "to-dev/shop" of ClusterRole "reader" to Group "dev"',
    ],
    ['a binding in another namespace', () => bind('shop', { kind: 'Group', name: 'dev' }), alice, 'bank', false],
    ['a binding in a namespace, cluster-wide', () => bind('shop', { kind: 'Group', name: 'dev' }), alice, '', false],
    ['a group with the name of a user', () => bind('', { kind: 'Group', name: 'alice' }), alice, 'shop', false],
    [
      'a service account of the same namespace by default',
      () => bind('shop', { kind: 'ServiceAccount', name: 'web' }, 'local', 'Role'),
      robot,
      'shop',
      'RBAC: allowed by RoleBinding "to-web/shop" of Role "local" to ServiceAccount "web/shop"',
    ],
    [
      'a service account of another namespace',
      () => bind('shop', { kind: 'ServiceAccount', name: 'web', namespace: 'bank' }),
      robot,
      'shop',
      false,
    ],
    [
      'a service account without a namespace, cluster-wide',
      () => bind('', { kind: 'ServiceAccount', name: 'web' }),
      robot,
      'shop',
      false,
    ],
    [
      'a Role is looked up in the namespace of its binding',
      () => bind('bank', { kind: 'User', name: 'alice' }, 'local', 'Role'),
      alice,
      'bank',
      false,
    ],
  ])('%s', (_name, prepare, user, namespace, expected) => {
    prepare();
    const decision = rbac.authorize(attributesOf('get', { namespace }, user));
    expect(decision.allowed && decision.reason).toBe(expected);
  });

  test('takes every write into account', () => {
    const isAllowed = () => rbac.authorize(attributesOf('get', {})).allowed;
    expect(isAllowed()).toBe(false);
    bind('shop', { kind: 'User', name: 'alice' });
    expect(isAllowed()).toBe(true);
    reader.put(ClusterRoles, { metadata: { name: 'reader' }, rules: [] });
    expect(isAllowed()).toBe(false);
    reader.put(ClusterRoles, {
      metadata: { name: 'reader' },
      rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    });
    expect(isAllowed()).toBe(true);
    reader.remove(RoleBindings, 'shop', 'to-alice');
    expect(isAllowed()).toBe(false);
  });

  test('names a missing role in the reason for a denial', () => {
    bind('', { kind: 'User', name: 'alice' }, 'gone');
    expect(rbac.authorize(attributesOf('get', {}))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });

  test('names the first of several allowing bindings, and lists each rule once', () => {
    bind('', { kind: 'Group', name: 'dev' });
    reader.put(ClusterRoleBindings, {
      metadata: { name: 'second' },
      roleRef: { kind: 'ClusterRole', name: 'reader' },
      subjects: [
        { kind: 'User', name: 'alice' },
        { kind: 'Group', name: 'dev' },
      ],
    });
    expect(rbac.authorize(attributesOf('get', {})).reason).toContain('"to-dev"');
    expect(rbac.rulesFor(alice, 'shop').rules).toHaveLength(2);
  });
});

test.each<[string, RequestAttributes, string, string]>([
  [
    'in a namespace',
    attributesOf('list', { group: 'apps', resource: 'deployments' }),
    '',
    'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" in the namespace "shop"',
  ],
  [
    'a named object at the cluster scope',
    attributesOf('get', { resource: 'nodes', name: 'n1', namespace: '' }),
    'RBAC: x',
    'nodes "n1" is forbidden: User "alice" cannot get resource "nodes" in API group "" at the cluster scope: RBAC: x',
  ],
  [
    'a subresource',
    attributesOf('get', { subresource: 'log', name: 'web' }),
    '',
    'pods "web" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "shop"',
  ],
  [
    'a path',
    { user: alice, verb: 'get', path: '/<metrics>' },
    '',
    'forbidden: User "alice" cannot get path "/&lt;metrics&gt;"',
  ],
])('a denial has the same message as in kube-apiserver: %s', (_name, attributes, reason, expected) => {
  expect(deniedError(attributes, reason)).toMatchObject({ code: 403, reason: 'Forbidden', message: expected });
});
