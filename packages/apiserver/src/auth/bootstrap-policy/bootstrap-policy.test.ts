import { ClusterRoleBindings, ClusterRoles } from '@fairway/kube/kinds/resources';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeObjectReader } from '../object-reader-fake.ts';
import { RbacAuthorizer } from '../rbac-authorizer.ts';
import type { UserInfo } from '../user.ts';
import { bootstrapPolicySteps, type PolicyStep } from './reconciliation.ts';

let reader: FakeObjectReader;

function run(): PolicyStep[] {
  const steps = bootstrapPolicySteps(reader);
  for (const { type, object } of steps) reader.put(type, object);
  return steps;
}

beforeEach(() => {
  reader = new FakeObjectReader();
  run();
});

describe('a new cluster', () => {
  const user = (username: string, ...groups: string[]): UserInfo => ({
    username,
    groups: [...groups, 'system:authenticated'],
  });
  const controller = (name: string) => user(`system:serviceaccount:kube-system:${name}`, 'system:serviceaccounts');

  test.each<[UserInfo, string, string, string, boolean]>([
    [user('root', 'system:masters'), 'delete', 'apps deployments', 'shop', true],
    [user('alice'), 'create', 'authorization.k8s.io selfsubjectaccessreviews', '', true],
    [user('alice'), 'create', 'authorization.k8s.io subjectaccessreviews', '', false],
    [user('alice'), 'list', ' pods', 'shop', false],
    [controller('deployment-controller'), 'create', 'apps replicasets', 'shop', true],
    [controller('deployment-controller'), 'get', ' secrets', 'shop', false],
    [controller('generic-garbage-collector'), 'delete', 'fairway.dev clusters', 'shop', true],
    [controller('clusterrole-aggregation-controller'), 'escalate', 'rbac.authorization.k8s.io clusterroles', '', true],
    [user('system:kube-scheduler'), 'create', ' pods/binding', 'shop', true],
    [user('system:kube-scheduler'), 'update', 'coordination.k8s.io leases', 'kube-system', true],
    [user('system:kube-scheduler'), 'delete', 'coordination.k8s.io leases', 'kube-system', false],
    [user('system:node:n1', 'system:nodes'), 'list', ' pods', 'shop', false],
    [
      user('system:bootstrap:abcdef', 'system:bootstrappers'),
      'create',
      'certificates.k8s.io certificatesigningrequests',
      '',
      false,
    ],
  ])('%j may %s %s in "%s": %s', (user, verb, what, namespace, expected) => {
    const [group = '', path = ''] = what.split(' ');
    const [resource = '', subresource = ''] = path.split('/');
    const attributes = { user, verb, group, version: 'v1', resource, subresource, namespace, name: '' };
    expect(new RbacAuthorizer(reader).authorize(attributes).allowed).toBe(expected);
  });

  test.each([
    ['/version', true],
    ['/healthz', true],
    ['/apis', false],
    ['/metrics', false],
  ])('an anonymous user may get %s: %s', (path, expected) => {
    const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
    expect(new RbacAuthorizer(reader).authorize({ user: anonymous, verb: 'get', path }).allowed).toBe(expected);
  });

  test('view may not read Secrets; edit may read them; admin may also grant roles', () => {
    const rules = (name: string) => reader.get(ClusterRoles, '', name)?.rules ?? [];
    const has = (name: string, resource: string, verb: string) =>
      rules(name).some((rule) => rule.resources?.includes(resource) && rule.verbs.includes(verb));
    expect(['view', 'edit', 'admin'].map((name) => has(name, 'pods', 'list'))).toEqual([true, true, true]);
    expect(['view', 'edit', 'admin'].map((name) => has(name, 'secrets', 'list'))).toEqual([false, true, true]);
    expect(['view', 'edit', 'admin'].map((name) => has(name, 'rolebindings', 'create'))).toEqual([false, false, true]);
  });
});

describe('reconciliation of the bootstrap policy', () => {
  const discovery = () => reader.get(ClusterRoles, '', 'system:discovery');

  test('is idempotent', () => {
    expect(run()).toEqual([]);
  });

  test('adds missing rules and keeps rules added by an administrator', () => {
    const own = { verbs: ['get'], nonResourceURLs: ['/own'] };
    reader.put(ClusterRoles, { metadata: { name: 'system:discovery', labels: { team: 'a' } }, rules: [own] });
    expect(run()).toHaveLength(1);
    expect(discovery()?.rules?.[0]).toEqual(own);
    expect(discovery()?.rules?.some((rule) => rule.nonResourceURLs?.includes('/apis'))).toBe(true);
    expect(discovery()?.metadata.labels).toEqual({ team: 'a', 'kubernetes.io/bootstrapping': 'rbac-defaults' });
  });

  test('skips objects with autoupdate disabled', () => {
    const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    reader.put(ClusterRoles, { metadata: { name: 'system:discovery', annotations }, rules: [] });
    reader.put(ClusterRoleBindings, {
      metadata: { name: 'system:discovery', annotations },
      roleRef: { kind: 'ClusterRole', name: 'system:discovery' },
    });
    expect(run()).toEqual([]);
  });

  test('adds missing subjects, and re-creates a binding if its role was changed', () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:discovery' };
    const own = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' };
    reader.put(ClusterRoleBindings, { metadata: { name: 'system:discovery' }, roleRef, subjects: [own] });
    reader.put(ClusterRoleBindings, { metadata: { name: 'system:basic-user' }, roleRef });
    expect(run().map(({ action, object }) => [action, object.metadata.name])).toEqual([
      ['recreate', 'system:basic-user'],
      ['update', 'system:discovery'],
    ]);
    expect(reader.get(ClusterRoleBindings, '', 'system:discovery')?.subjects).toEqual([
      own,
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' },
    ]);
  });
});
