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

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly sent?: string;
  readonly answered?: string;
  readonly status?: number;
  /** Null: nobody is recognised. */
  readonly user?: typeof ALICE | null;
  readonly impersonates?: boolean;
  readonly isInProcess?: boolean;
}

function ask(rules: readonly object[], asked: Ask, policy: object = {}): readonly AuditEvent[] {
  const file = parsePolicyFile(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...policy }));
  const isKubeconfig = ({ subresource }: { readonly subresource: string }) => subresource === 'kubeconfig';
  const audit = new RecordedAudit(new FakeClock(), isKubeconfig, auditPolicyOf(file));
  const { method = 'POST', path: target = CLUSTERS, sent, answered, status = 201 } = asked;
  const [path = '', query = ''] = target.split('?');
  const peer = asked.isInProcess ? undefined : '192.0.2.1';
  const request = { auditId: '1', method, path, query: new URLSearchParams(query), headers: {}, peer };
  const trail = audit.auditor.begin(request);
  if (asked.user !== null) trail.authenticated(asked.user ?? ALICE);
  if (asked.impersonates) trail.impersonates({ username: 'bob', groups: [] });
  if (sent !== undefined) trail.sent(sent);
  if (answered !== undefined && trail.wantsAnswer) trail.answered(answered);
  audit.auditor.end(trail, { status });
  return audit.events;
}

const bodies = { sent: '{"spec":1}', answered: JSON.stringify(OBJECT) };

test.each([
  { level: 'None', holds: undefined },
  { level: 'Metadata', holds: [undefined, undefined] },
  { level: 'Request', holds: [{ spec: 1 }, undefined] },
  { level: 'RequestResponse', holds: [{ spec: 1 }, OBJECT] },
])('an event of level $level holds $holds', ({ level, holds }) => {
  const [event] = ask([{ level }], bodies);

  expect(event && [event.requestObject, event.responseObject]).toEqual(holds);
  expect(event?.level).toBe(level === 'None' ? undefined : level);
});

test.each([
  ['a Secret', { path: SECRETS }],
  ['a token of a service account', { path: '/api/v1/namespaces/red/serviceaccounts/a/token' }],
  ['a kubeconfig', { path: `${CLUSTERS}/a/kubeconfig` }],
  ['a review of a token', { path: '/apis/authentication.k8s.io/v1/tokenreviews' }],
])('%s is never quoted', (_, asked) => {
  const [event] = ask([{ level: 'RequestResponse' }], { ...bodies, ...asked });

  expect(event).toMatchObject({ level: 'Metadata' });
  expect(event).not.toHaveProperty('requestObject');
  expect(event).not.toHaveProperty('responseObject');
});

const alwaysThere: readonly (readonly [what: string, asked: Ask])[] = [
  ['who asks for a kubeconfig', { path: `${CLUSTERS}/a/kubeconfig` }],
  ['who reads Secrets', { method: 'GET', path: SECRETS, status: 200 }],
  ['who watches Secrets', { method: 'GET', path: `${SECRETS}?watch=1`, status: 200 }],
  ['who acts for another', { method: 'GET', status: 200, impersonates: true }],
  ['who is refused', { status: 403 }],
  ['that a stranger is', { status: 401, user: null }],
];

test.each(alwaysThere)('no policy leaves out %s', (_, asked) => {
  const omitStages = ['ResponseStarted', 'ResponseComplete'];

  expect(ask([{ level: 'None' }], asked)).toMatchObject([{ level: 'Metadata' }]);
  expect(ask([{ level: 'RequestResponse' }], asked, { omitStages })).toMatchObject([{ level: 'Metadata' }]);
});

const leftOut: readonly (readonly [what: string, asked: Ask])[] = [
  ['a change', {}],
  ["a change of Fairway's own", { isInProcess: true }],
  ["a read of Secrets of Fairway's own", { isInProcess: true, method: 'GET', path: SECRETS, status: 200 }],
];

test.each(leftOut)('a policy may leave out %s', (_, asked) => {
  expect(ask([{ level: 'None' }], asked)).toEqual([]);
});

test('a policy may have reads written down, which the built-in one does not', () => {
  const read = { method: 'GET', path: `${CLUSTERS}/a`, status: 200, answered: JSON.stringify(OBJECT) };

  expect(ask([{ level: 'RequestResponse', verbs: ['get'] }], read)).toMatchObject([
    { verb: 'get', level: 'RequestResponse', responseObject: { kind: 'Cluster' } },
  ]);
});

test('the user of a rule is who asks, not in whose name', () => {
  const asked = { ...bodies, impersonates: true };

  expect(ask([{ level: 'Request', users: ['alice'] }], asked)).toMatchObject([{ level: 'Request' }]);
  expect(ask([{ level: 'Request', users: ['bob'] }], asked)).toMatchObject([{ level: 'Metadata' }]);
});

test.each(['ResponseStarted', 'ResponseComplete'])('the stage %s is left out alone', (stage) => {
  const watch = { method: 'GET', path: `${CLUSTERS}?watch=1`, status: 200 };
  const stages = [bodies, watch].flatMap((asked) =>
    ask([{ level: 'Metadata' }], asked, { omitStages: [stage] }).map((event) => event.stage),
  );

  expect(stages).toEqual(['ResponseStarted', 'ResponseComplete'].filter((each) => each !== stage));
});

test('managed fields are left out of an object and of each one in a list, where the policy says so', () => {
  const rules = [{ level: 'RequestResponse' }];
  const list = JSON.stringify({ kind: 'ClusterList', metadata: {}, items: [OBJECT] });
  const [one] = ask(rules, bodies, { omitManagedFields: true });
  const [many] = ask(rules, { method: 'GET', status: 200, answered: list }, { omitManagedFields: true });
  const { managedFields: _, ...metadata } = OBJECT.metadata;

  expect(one?.responseObject).toEqual({ ...OBJECT, metadata });
  expect(many?.responseObject).toMatchObject({ items: [{ ...OBJECT, metadata }] });
});

test.each([
  ['is no JSON', 'metadata: {name: a}', 'requestObject: not JSON', undefined],
  ['is too large', JSON.stringify({ a: 'x'.repeat(102_400) }), 'requestObject: too large', 'true'],
  [
    'is nested too deep to be written again',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    'requestObject: too large',
    'true',
  ],
])('a body that %s is left out, and the event says so', (_, sent, omitted, truncated) => {
  const [event] = ask([{ level: 'Request' }], { sent });

  expect(event).toMatchObject({ level: 'Request', annotations: { 'audit.fairway.dev/omitted': omitted } });
  expect(event?.annotations?.['audit.k8s.io/truncated']).toBe(truncated);
  expect(event).not.toHaveProperty('requestObject');
});

test('two bodies that are too large together are both left out, as kube-apiserver does it', () => {
  const half = JSON.stringify({ a: 'x'.repeat(60_000) });
  const [event] = ask([{ level: 'RequestResponse' }], { sent: half, answered: half });

  expect(event).toMatchObject({ level: 'RequestResponse', annotations: { 'audit.k8s.io/truncated': 'true' } });
  expect(event).not.toHaveProperty('requestObject');
  expect(event).not.toHaveProperty('responseObject');
});

test('what is no resource has no body', () => {
  const [event] = ask([{ level: 'RequestResponse' }], {
    path: '/console/session',
    sent: '{"password":"x"}',
    answered: '{}',
  });

  expect(event).not.toHaveProperty('requestObject');
  expect(event).not.toHaveProperty('responseObject');
});
