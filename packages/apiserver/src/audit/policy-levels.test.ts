import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { parsePolicyFile } from './policy-file.ts';
import { auditPolicyOf } from './policy-rules.ts';
import { RecordedAudit } from './testing/recorded-audit.ts';

const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';
const SECRETS = '/api/v1/namespaces/red/secrets';
const ALICE = { username: 'alice', groups: ['devs'] };

const OBJECT = {
  kind: 'Cluster',
  metadata: { name: 'a', managedFields: [{ manager: 'kubectl' }] },
  spec: { plan: 'gold' },
};

interface AuditedCall {
  readonly method?: string;
  readonly path?: string;
  readonly sent?: string;
  readonly responseBody?: string;
  readonly status?: number;
  /** Null: the user is not authenticated. */
  readonly user?: typeof ALICE | null;
  readonly impersonates?: boolean;
  readonly isInProcess?: boolean;
}

function recordEvents(rules: readonly object[], call: AuditedCall, policy: object = {}): readonly AuditEvent[] {
  const file = parsePolicyFile(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...policy }));
  const isKubeconfig = ({ subresource }: { readonly subresource: string }) => subresource === 'kubeconfig';
  const audit = new RecordedAudit(new FakeClock(), isKubeconfig, auditPolicyOf(file));
  const { method = 'POST', path: target = CLUSTERS, sent, responseBody, status = 201 } = call;
  const [path = '', query = ''] = target.split('?');
  const peer = call.isInProcess ? undefined : '192.0.2.1';
  const request = { auditId: '1', method, path, query: new URLSearchParams(query), headers: {}, peer };
  const trail = audit.auditor.begin(request);
  if (call.user !== null) trail.setUser(call.user ?? ALICE);
  if (call.impersonates) trail.setImpersonatedUser({ username: 'bob', groups: [] });
  if (sent !== undefined) trail.recordRequest(sent);
  if (responseBody !== undefined && trail.wantsResponseBody) trail.recordResponse(responseBody);
  audit.auditor.end(trail, { status });
  return audit.events;
}

const bodies = { sent: '{"spec":1}', responseBody: JSON.stringify(OBJECT) };

test.each([
  { level: 'None', holds: undefined },
  { level: 'Metadata', holds: [undefined, undefined] },
  { level: 'Request', holds: [{ spec: 1 }, undefined] },
  { level: 'RequestResponse', holds: [{ spec: 1 }, OBJECT] },
])('records $holds in an event at level $level', ({ level, holds }) => {
  const [event] = recordEvents([{ level }], bodies);

  expect(event && [event.requestObject, event.responseObject]).toEqual(holds);
  expect(event?.level).toBe(level === 'None' ? undefined : level);
});

test.each([
  ['a Secret', { path: SECRETS }],
  ['the token of a service account', { path: '/api/v1/namespaces/red/serviceaccounts/a/token' }],
  ['a kubeconfig', { path: `${CLUSTERS}/a/kubeconfig` }],
  ['a token review', { path: '/apis/authentication.k8s.io/v1/tokenreviews' }],
])('never records the content of %s', (_, call) => {
  const [event] = recordEvents([{ level: 'RequestResponse' }], { ...bodies, ...call });

  expect(event).toMatchObject({ level: 'Metadata' });
  expect(event).not.toHaveProperty('requestObject');
  expect(event).not.toHaveProperty('responseObject');
});

const alwaysAuditedCases: readonly (readonly [what: string, asked: AuditedCall])[] = [
  ['a request for a kubeconfig', { path: `${CLUSTERS}/a/kubeconfig` }],
  ['a read of Secrets', { method: 'GET', path: SECRETS, status: 200 }],
  ['a watch of Secrets', { method: 'GET', path: `${SECRETS}?watch=1`, status: 200 }],
  ['an impersonated request', { method: 'GET', status: 200, impersonates: true }],
  ['a denied request', { status: 403 }],
  ['an unauthenticated request', { status: 401, user: null }],
];

test.each(alwaysAuditedCases)('always audits %s', (_, call) => {
  const omitStages = ['ResponseStarted', 'ResponseComplete'];

  expect(recordEvents([{ level: 'None' }], call)).toMatchObject([{ level: 'Metadata' }]);
  expect(recordEvents([{ level: 'RequestResponse' }], call, { omitStages })).toMatchObject([{ level: 'Metadata' }]);
});

const omittedCases: readonly (readonly [what: string, asked: AuditedCall])[] = [
  ['a change', {}],
  ['a change by Fairway itself', { isInProcess: true }],
  ['a read of Secrets by Fairway itself', { isInProcess: true, method: 'GET', path: SECRETS, status: 200 }],
];

test.each(omittedCases)('can omit %s', (_, call) => {
  expect(recordEvents([{ level: 'None' }], call)).toEqual([]);
});

test('can audit reads, which the built-in policy does not', () => {
  const read = { method: 'GET', path: `${CLUSTERS}/a`, status: 200, responseBody: JSON.stringify(OBJECT) };

  expect(recordEvents([{ level: 'RequestResponse', verbs: ['get'] }], read)).toMatchObject([
    { verb: 'get', level: 'RequestResponse', responseObject: { kind: 'Cluster' } },
  ]);
});

test('matches the authenticated user, not the impersonated one', () => {
  const call = { ...bodies, impersonates: true };

  expect(recordEvents([{ level: 'Request', users: ['alice'] }], call)).toMatchObject([{ level: 'Request' }]);
  expect(recordEvents([{ level: 'Request', users: ['bob'] }], call)).toMatchObject([{ level: 'Metadata' }]);
});

test.each(['ResponseStarted', 'ResponseComplete'])('omits only the stage %s', (stage) => {
  const watch = { method: 'GET', path: `${CLUSTERS}?watch=1`, status: 200 };
  const stages = [bodies, watch].flatMap((call) =>
    recordEvents([{ level: 'Metadata' }], call, { omitStages: [stage] }).map((event) => event.stage),
  );

  expect(stages).toEqual(['ResponseStarted', 'ResponseComplete'].filter((each) => each !== stage));
});

test('omits managed fields of an object and of each list item, if the policy requests it', () => {
  const rules = [{ level: 'RequestResponse' }];
  const list = JSON.stringify({ kind: 'ClusterList', metadata: {}, items: [OBJECT] });
  const [one] = recordEvents(rules, bodies, { omitManagedFields: true });
  const [many] = recordEvents(rules, { method: 'GET', status: 200, responseBody: list }, { omitManagedFields: true });
  const { managedFields: _, ...metadata } = OBJECT.metadata;

  expect(one?.responseObject).toEqual({ ...OBJECT, metadata });
  expect(many?.responseObject).toMatchObject({ items: [{ ...OBJECT, metadata }] });
});

test.each([
  ['is not JSON', 'metadata: {name: a}', 'requestObject: not JSON', undefined],
  ['is too large', JSON.stringify({ a: 'x'.repeat(102_400) }), 'requestObject: too large', 'true'],
  [
    'is nested too deeply to be serialized again',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    'requestObject: too large',
    'true',
  ],
])('omits a body that %s, and records that in the event', (_, sent, omitted, truncated) => {
  const [event] = recordEvents([{ level: 'Request' }], { sent });

  expect(event).toMatchObject({ level: 'Request', annotations: { 'audit.fairway.dev/omitted': omitted } });
  expect(event?.annotations?.['audit.k8s.io/truncated']).toBe(truncated);
  expect(event).not.toHaveProperty('requestObject');
});

test('omits two bodies that together are too large, as kube-apiserver does', () => {
  const half = JSON.stringify({ a: 'x'.repeat(60_000) });
  const [event] = recordEvents([{ level: 'RequestResponse' }], { sent: half, responseBody: half });

  expect(event).toMatchObject({ level: 'RequestResponse', annotations: { 'audit.k8s.io/truncated': 'true' } });
  expect(event).not.toHaveProperty('requestObject');
  expect(event).not.toHaveProperty('responseObject');
});

test('records no bodies for a non-resource request', () => {
  const [event] = recordEvents([{ level: 'RequestResponse' }], {
    path: '/console/session',
    sent: '{"password":"x"}',
    responseBody: '{}',
  });

  expect(event).not.toHaveProperty('requestObject');
  expect(event).not.toHaveProperty('responseObject');
});
