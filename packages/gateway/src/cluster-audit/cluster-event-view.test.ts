import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { describe, expect, test } from 'vitest';
import { clusterEventView } from './cluster-event-view.ts';

const reader = { username: 'keystone:1', groups: ['keystone:project:a:member', 'system:authenticated'] };
const ALL = { reader, readerInCluster: 'keystone:1', maySeeBodies: true };

function eventOf(change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Request',
    auditID: '1',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/pods',
    verb: 'create',
    user: { username: 'keystone:1', groups: ['fairway:cluster-admins'] },
    sourceIPs: ['192.0.2.1'],
    userAgent: 'kubectl',
    objectRef: { resource: 'pods', namespace: 'shop', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 422, message: 'quoted' },
    requestObject: { kind: 'Pod' },
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    stageTimestamp: '2026-01-01T00:00:00.000000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'by a role' },
    ...change,
  };
}

describe('the source address', () => {
  test.each([
    { who: 'the reader', user: { username: 'keystone:1', groups: ['fairway:cluster-admins'] }, isShown: true },
    { who: 'a service account', user: { username: 'system:serviceaccount:shop:a', groups: [] }, isShown: true },
    { who: 'a node', user: { username: 'system:node:a', groups: ['system:nodes'] }, isShown: true },
    { who: "a user of the cluster's issuer", user: { username: 'https://issuer#eve', groups: ['dev'] }, isShown: true },
    { who: 'an anonymous client', user: { username: 'system:anonymous', groups: [] }, isShown: true },
    {
      who: 'a Keystone user in the same project',
      user: { username: 'keystone:2', groups: ['keystone:project:a:member'] },
      isShown: true,
    },
    {
      who: 'a Keystone user elsewhere',
      user: { username: 'keystone:3', groups: ['system:authenticated'] },
      isShown: false,
    },
    {
      who: 'another user with a kubeconfig',
      user: { username: 'operator', groups: ['fairway:cluster-admins'] },
      isShown: false,
    },
    { who: 'an administrator', user: { username: 'root', groups: ['system:masters'] }, isShown: false },
    { who: 'Fairway', user: { username: 'fairway:controllers', groups: ['system:masters'] }, isShown: false },
    { who: 'the scheduler', user: { username: 'system:kube-scheduler', groups: [] }, isShown: false },
    { who: 'the API server itself', user: { username: 'system:apiserver', groups: [] }, isShown: false },
  ])('shows the source of requests by $who: $isShown', ({ user, isShown }) => {
    const { sourceIPs, userAgent, annotations, ...view } = clusterEventView(eventOf({ user }), ALL);

    expect([sourceIPs, userAgent]).toEqual(isShown ? [['192.0.2.1'], 'kubectl'] : [undefined, undefined]);
    expect(annotations).toMatchObject({ 'authorization.k8s.io/decision': 'allow' });
    expect('authorization.k8s.io/reason' in (annotations ?? {})).toBe(isShown);
    expect(view.user).toEqual(isShown ? user : { username: user.username });
  });
});

describe('bodies', () => {
  const event = eventOf({ level: 'RequestResponse', responseObject: { kind: 'Pod' } });

  test('are shown to users who could read the object itself', () => {
    expect(clusterEventView(event, ALL)).toMatchObject({
      requestObject: { kind: 'Pod' },
      responseObject: { kind: 'Pod' },
    });
  });

  test('are hidden from users who could not read it', () => {
    const view = clusterEventView(event, { ...ALL, maySeeBodies: false });

    expect(view).toMatchObject({ level: 'Metadata', verb: 'create' });
    expect(view).not.toHaveProperty('requestObject');
    expect(view).not.toHaveProperty('responseObject');
  });

  test.each([
    ['a user who may not see the Pod', { resource: 'pods', apiVersion: 'v1' }, false],
    ['anyone for a Secret', { resource: 'secrets', apiVersion: 'v1' }, true],
  ] as const)('are not shown to %s through annotations that quote them', (_, objectRef, maySeeBodies) => {
    const decision = { 'authorization.k8s.io/decision': 'allow', 'audit.k8s.io/truncated': 'true' };
    const annotations = {
      ...decision,
      'patch.webhook.admission.k8s.io/round_0_index_0': '{"patch":[{"value":"hunter2"}]}',
      'policy.example.com/data': 'hunter2',
      'validation.policy.admission.k8s.io/validation_failure': '[{"message":"hunter2"}]',
    };

    expect(clusterEventView(eventOf({ objectRef, annotations }), { ...ALL, maySeeBodies }).annotations).toEqual(
      decision,
    );
    expect(clusterEventView(eventOf({ annotations }), ALL).annotations).toEqual(annotations);
  });

  test.each([
    { resource: 'secrets', apiVersion: 'v1', name: 'a' },
    { resource: 'serviceaccounts', subresource: 'token', apiVersion: 'v1' },
    { resource: 'tokenreviews', apiGroup: 'authentication.k8s.io', apiVersion: 'v1' },
  ])('are never shown for $resource, nor are annotations that quote them', (objectRef) => {
    const view = clusterEventView(eventOf({ objectRef, responseObject: { token: 'hunter2' } }), ALL);

    expect(view).toMatchObject({ level: 'Metadata', responseStatus: { code: 422 } });
    expect(JSON.stringify(view)).not.toMatch(/hunter2|quoted|requestObject/);
  });
});

describe('a dry run', () => {
  const DRY_RUN_EVENT = { annotations: { 'fairway.dev/dry-run': 'true' } };
  const options = (dryRun: readonly string[]) => ({ requestObject: { kind: 'DeleteOptions', dryRun } });

  test.each<[what: string, change: Partial<AuditEvent>, isDryRun: boolean]>([
    ['a change with dryRun in its query', { requestURI: '/x?dryRun=All' }, true],
    ['a deletion with dryRun in its body', { verb: 'delete', ...options(['All']) }, true],
    [
      'a deletion with dryRun in its query, without a body',
      { verb: 'delete', requestURI: '/x?dryRun=All', requestObject: undefined },
      true,
    ],
    [
      'a deletion with dryRun in its query, but not in its body',
      { verb: 'delete', requestURI: '/x?dryRun=All', ...options([]) },
      false,
    ],
    [
      'a deletion whose body is not known',
      { verb: 'delete', level: 'Metadata', requestURI: '/x?dryRun=All', requestObject: undefined },
      false,
    ],
    [
      'a deletion that a policy of the cluster marks as a dry run',
      { verb: 'delete', ...options([]), ...DRY_RUN_EVENT },
      false,
    ],
    ['a read with dryRun in its query', { verb: 'get', requestURI: '/x?dryRun=All' }, false],
    [
      'a command in a pod with dryRun in its query',
      { requestURI: '/x/exec?dryRun=All', objectRef: { resource: 'pods', subresource: 'exec', apiVersion: 'v1' } },
      false,
    ],
    ['a change', {}, false],
  ])('is recognized: %s, %s', (_, change, isDryRun) => {
    for (const maySeeBodies of [true, false]) {
      const { annotations } = clusterEventView(eventOf(change), { ...ALL, maySeeBodies });

      expect(annotations?.['fairway.dev/dry-run'] === 'true').toBe(isDryRun);
    }
  });
});
