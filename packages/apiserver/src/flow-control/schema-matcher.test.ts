import type { FlowSchema } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../auth/user.ts';
import { compileSchema } from './schema-matcher.ts';

type Rule = NonNullable<FlowSchema['spec']['rules']>[number];

const RESOURCES = { verbs: ['get', 'list'], apiGroups: ['apps'], resources: ['deployments'], namespaces: ['a'] };
const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true };
const ALICE = { kind: 'User', user: { name: 'alice' } };

function isMatched(rule: Partial<Rule>, attributes: object): boolean {
  const spec = { priorityLevelConfiguration: { name: 'a' }, rules: [{ subjects: [ALICE], ...rule }] };
  const user = { username: 'alice', groups: ['team', 'system:authenticated'] };
  const request: object = { user, ...attributes };
  return compileSchema({ metadata: { name: 'a' }, spec })(request as RequestAttributes);
}

const DEPLOYMENT = {
  verb: 'get',
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  namespace: 'a',
};

describe('a FlowSchema', () => {
  it.each<[string, Partial<typeof RESOURCES & { clusterScope: boolean }>, object, boolean]>([
    ['exactly what the rule lists', {}, {}, true],
    ['another verb', {}, { verb: 'create' }, false],
    ['another group', {}, { group: '' }, false],
    ['another resource', {}, { resource: 'pods' }, false],
    ['a subresource that the rule does not list', {}, { subresource: 'scale' }, false],
    ['a subresource that the rule lists', { resources: ['deployments/scale'] }, { subresource: 'scale' }, true],
    ['a subresource if the rule lists all resources', { resources: ['*'] }, { subresource: 'scale' }, true],
    ['another namespace', {}, { namespace: 'b' }, false],
    ['any namespace', { namespaces: ['*'] }, { namespace: 'b' }, true],
    ['no namespace', { namespaces: ['*'] }, { namespace: '' }, false],
    ['no namespace, with clusterScope', { namespaces: ['*'], clusterScope: true }, { namespace: '' }, true],
  ])('matches resource rules: %s', (_, rule, attributes, is) => {
    const resourceRules = [{ ...RESOURCES, ...rule }];

    expect(isMatched({ resourceRules }, { ...DEPLOYMENT, ...attributes })).toBe(is);
  });

  it.each<[string, readonly string[], string, boolean]>([
    ['the path', ['/version'], '/version', true],
    ['a path below a listed one, as upstream', ['/version'], '/version/a', true],
    ['a path that only starts like a listed one', ['/version'], '/versions', false],
    ['a path below a path with a wildcard', ['/apis/*'], '/apis/apps/v1', true],
    ['the parent of a path with a wildcard', ['/apis/*'], '/apis', false],
    ['any path', ['*'], '/', true],
  ])('matches path rules: %s', (_, nonResourceURLs, path, is) => {
    const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: [...nonResourceURLs] }];

    expect(isMatched({ nonResourceRules }, { verb: 'get', path })).toBe(is);
    expect(isMatched({ nonResourceRules }, { verb: 'post', path })).toBe(false);
  });

  it.each<[string, Rule['subjects'][number], string, boolean]>([
    ['a user', { kind: 'User', user: { name: 'bob' } }, 'bob', true],
    ['another user', { kind: 'User', user: { name: 'bob' } }, 'bobby', false],
    ['any user', { kind: 'User', user: { name: '*' } }, 'bob', true],
    ['a group', { kind: 'Group', group: { name: 'team' } }, 'bob', true],
    ['another group', { kind: 'Group', group: { name: 'others' } }, 'bob', false],
    ['an account', account('ci', 'builder'), 'system:serviceaccount:ci:builder', true],
    ['another account', account('ci', 'builder'), 'system:serviceaccount:ci:tester', false],
    ['any account of a namespace', account('ci', '*'), 'system:serviceaccount:ci:tester', true],
    [
      'a namespace that only starts like the listed one',
      account('ci', '*'),
      'system:serviceaccount:cider:tester',
      false,
    ],
  ])('matches subjects: %s', (_, subject, username, is) => {
    const rule = { subjects: [subject], resourceRules: [EVERYTHING] };
    const user = { username, groups: ['team'] };

    expect(isMatched(rule, { ...DEPLOYMENT, user })).toBe(is);
  });

  it('does not apply path rules to resources, or resource rules to paths', () => {
    const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }];

    expect(isMatched({ nonResourceRules }, DEPLOYMENT)).toBe(false);
    expect(isMatched({ resourceRules: [EVERYTHING] }, { verb: 'get', path: '/' })).toBe(false);
  });
});

function account(namespace: string, name: string) {
  return { kind: 'ServiceAccount', serviceAccount: { namespace, name } };
}
