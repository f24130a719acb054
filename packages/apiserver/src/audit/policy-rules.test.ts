import { expect, test } from 'vitest';
import { routeOf } from '../server/router.ts';
import { type PolicyFile, parsePolicyFile } from './policy-file.ts';
import { auditPolicyOf } from './policy-rules.ts';

const ALICE = { username: 'alice', groups: ['devs', 'system:authenticated'] };
const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';

interface Case {
  readonly request: string;
  /** The only rule, at level Request; requests that do not match it have level None. */
  readonly rule: Record<string, unknown>;
  readonly matches: boolean;
  readonly reason?: string;
  readonly isAnonymous?: boolean;
}

const group = 'fairway.dev';

const cases: readonly Case[] = [
  { request: 'GET /healthz', rule: {}, matches: true, reason: 'an empty rule' },
  { request: `GET ${CLUSTERS}`, rule: { users: ['alice', 'bob'] }, matches: true },
  { request: `GET ${CLUSTERS}`, rule: { users: ['bob'] }, matches: false },
  {
    request: `GET ${CLUSTERS}`,
    rule: { users: ['alice'] },
    isAnonymous: true,
    matches: false,
    reason: 'an unauthenticated request',
  },
  { request: `GET ${CLUSTERS}`, rule: { userGroups: ['devs', 'ops'] }, matches: true },
  { request: `GET ${CLUSTERS}`, rule: { userGroups: ['ops'] }, matches: false },
  { request: `GET ${CLUSTERS}`, rule: { userGroups: ['devs'] }, isAnonymous: true, matches: false },
  { request: `GET ${CLUSTERS}`, rule: { verbs: ['list'] }, matches: true },
  { request: `GET ${CLUSTERS}/a`, rule: { verbs: ['list'] }, matches: false },
  { request: 'GET /version', rule: { verbs: ['get'] }, matches: true },
  { request: `GET ${CLUSTERS}`, rule: { namespaces: ['red'] }, matches: true },
  { request: `GET ${CLUSTERS}`, rule: { namespaces: ['blue'] }, matches: false },
  {
    request: 'GET /apis/fairway.dev/v1alpha1/plans',
    rule: { namespaces: [''] },
    matches: true,
    reason: 'a cluster-scoped resource',
  },
  {
    request: 'GET /api/v1/namespaces/red',
    rule: { namespaces: ['red'] },
    matches: true,
    reason: 'the namespace itself',
  },
  { request: 'GET /version', rule: { namespaces: [''] }, matches: false, reason: 'a non-resource request' },
  { request: `GET ${CLUSTERS}`, rule: { resources: [{ group }] }, matches: true, reason: 'all resources of the group' },
  { request: `GET ${CLUSTERS}/a/scale`, rule: { resources: [{ group }] }, matches: true },
  { request: 'GET /api/v1/pods', rule: { resources: [{ group }] }, matches: false },
  {
    request: 'GET /api/v1/pods',
    rule: { resources: [{}] },
    matches: true,
    reason: 'the core group with its empty name',
  },
  { request: `GET ${CLUSTERS}`, rule: { resources: [{ group, resources: ['clusters'] }] }, matches: true },
  {
    request: `GET ${CLUSTERS}/a/kubeconfig`,
    rule: { resources: [{ group, resources: ['clusters'] }] },
    matches: false,
    reason: 'a subresource that is not listed',
  },
  {
    request: `GET ${CLUSTERS}/a/scale`,
    rule: { resources: [{ group, resources: ['clusters/scale'] }] },
    matches: true,
  },
  { request: `GET ${CLUSTERS}/a/scale`, rule: { resources: [{ group, resources: ['*/scale'] }] }, matches: true },
  { request: `GET ${CLUSTERS}/a`, rule: { resources: [{ group, resources: ['*/scale'] }] }, matches: false },
  { request: `GET ${CLUSTERS}/a/scale`, rule: { resources: [{ group, resources: ['clusters/*'] }] }, matches: true },
  {
    request: `GET ${CLUSTERS}/a`,
    rule: { resources: [{ group, resources: ['clusters/*'] }] },
    matches: true,
    reason: 'same as kube-apiserver',
  },
  { request: `GET ${CLUSTERS}/a/scale`, rule: { resources: [{ group, resources: ['*'] }] }, matches: true },
  {
    request: 'GET /api/v1/namespaces/red/pods/a/proxy/x/y',
    rule: { resources: [{ resources: ['pods/proxy'] }] },
    matches: true,
    reason: 'a path behind a proxy subresource',
  },
  {
    request: `GET ${CLUSTERS}/a`,
    rule: { resources: [{ group, resources: ['clusters'], resourceNames: ['a'] }] },
    matches: true,
  },
  {
    request: `GET ${CLUSTERS}/b`,
    rule: { resources: [{ group, resources: ['clusters'], resourceNames: ['a'] }] },
    matches: false,
  },
  { request: 'GET /healthz/ping', rule: { nonResourceURLs: ['/healthz*'] }, matches: true },
  { request: 'GET /healthz/ping', rule: { nonResourceURLs: ['/healthz'] }, matches: false },
  { request: 'GET /livez', rule: { nonResourceURLs: ['*'] }, matches: true },
  { request: `GET ${CLUSTERS}`, rule: { nonResourceURLs: ['*'] }, matches: false, reason: 'a resource request' },
  {
    request: `GET ${CLUSTERS}`,
    rule: { users: ['alice'], verbs: ['delete'] },
    matches: false,
    reason: 'all criteria must match',
  },
];

function policyOf(...rules: readonly object[]): PolicyFile {
  return parsePolicyFile(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
}

function attributesOf(request: string, isAnonymous = false) {
  const [method = '', path = ''] = request.split(' ');
  const route = routeOf(method, path, new URLSearchParams());
  return {
    user: isAnonymous ? undefined : ALICE,
    verb: route.verb,
    path,
    resource: route.kind === 'resource' ? route.path : undefined,
  };
}

test.each(cases)('$request matches $rule: $matches $reason', ({ request, rule, matches, isAnonymous }) => {
  const policy = auditPolicyOf(policyOf({ level: 'Request', ...rule }));

  expect(policy(attributesOf(request, isAnonymous)).level).toBe(matches ? 'Request' : 'None');
});

test('applies the first matching rule', () => {
  const policy = auditPolicyOf(
    policyOf({ level: 'None', verbs: ['get'] }, { level: 'Request', users: ['alice'] }, { level: 'Metadata' }),
  );

  expect(policy(attributesOf(`GET ${CLUSTERS}/a`)).level).toBe('None');
  expect(policy(attributesOf(`GET ${CLUSTERS}`)).level).toBe('Request');
  expect(policy(attributesOf(`GET ${CLUSTERS}`, true)).level).toBe('Metadata');
});

test("combines a rule's omitted stages with the policy's, and gives precedence to the rule's setting for managed fields", () => {
  const policy = auditPolicyOf({
    ...policyOf(
      { level: 'Request', verbs: ['get'], omitStages: ['ResponseStarted'], omitManagedFields: false },
      { level: 'Metadata' },
    ),
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
  });

  expect(policy(attributesOf(`GET ${CLUSTERS}/a`))).toEqual({
    level: 'Request',
    omitStages: new Set(['RequestReceived', 'ResponseStarted']),
    omitManagedFields: false,
  });
  expect(policy(attributesOf(`GET ${CLUSTERS}`))).toEqual({
    level: 'Metadata',
    omitStages: new Set(['RequestReceived']),
    omitManagedFields: true,
  });
});
