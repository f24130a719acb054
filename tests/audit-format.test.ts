import { readFile } from 'node:fs/promises';
import { type AuditEvent, DRY_RUN_ANNOTATION } from '@fairway/apiserver/audit/audit-event';
import { parsePolicyFile } from '@fairway/apiserver/audit/policy-file';
import { auditPolicyOf } from '@fairway/apiserver/audit/policy-rules';
import { RecordedAudit } from '@fairway/apiserver/audit/testing/recorded-audit';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { Upstream } from '@fairway/gateway/management/upstream';
import { createGateway } from '@fairway/gateway/server/gateway';
import { startFrontEnd } from '@fairway/gateway/testing/test-front';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type RealControlPlane, startRealControlPlane } from './contract/kubernetes/real-control-plane.ts';

/** Older versions report less about callers and failures. */
const releases = findBinaries().filter(({ minor }) => minor >= 36);
const NONE = { version: '(skipped: there is no kube-apiserver 1.36 or later at hand)', minor: 0 };

/** The events that Fairway's log would contain for these requests, one each. */
const POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
});

/** Rules of every type that operators can set. */
const RULES = [
  { level: 'None', verbs: ['patch'], resources: [{ group: '', resources: ['configmaps'], resourceNames: ['b'] }] },
  { level: 'Metadata', resources: [{ group: '', resources: ['secrets', '*/token'] }] },
  { level: 'Metadata', users: ['alice'], verbs: ['delete'], resources: [{ group: '' }] },
  { level: 'Request', users: ['admin'], verbs: ['create'], resources: [{ group: '', resources: ['configmaps'] }] },
  {
    level: 'RequestResponse',
    userGroups: ['system:masters'],
    namespaces: ['blue'],
    resources: [{ group: '', resources: ['serviceaccounts/*', 'configmaps'] }],
  },
  { level: 'RequestResponse', verbs: ['create'], resources: [{ group: '', resources: ['namespaces'] }] },
  { level: 'Request', nonResourceURLs: ['*'] },
  { level: 'Metadata' },
];
const LEVELS = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: RULES };

type Username = 'admin' | 'alice' | 'thief';
type AuditedRequest = Pick<TransportRequest, 'method' | 'path'> & {
  readonly who?: Username;
  readonly as?: string;
  readonly body?: object;
};

const MAPS = '/api/v1/namespaces/red/configmaps';
const SECRETS = '/api/v1/namespaces/red/secrets';
const ACCOUNTS = '/api/v1/namespaces/red/serviceaccounts';

const AUDITED_REQUESTS: readonly (AuditedRequest & { readonly what: string })[] = [
  { what: 'a namespace is created', method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'red' } } },
  {
    what: 'a ConfigMap is created',
    method: 'POST',
    path: `${MAPS}?fieldManager=test`,
    body: { metadata: { name: 'a' } },
  },
  { what: 'a ConfigMap is created twice', method: 'POST', path: MAPS, body: { metadata: { name: 'a' } } },
  { what: 'a ConfigMap is patched', method: 'PATCH', path: `${MAPS}/a`, body: { data: { a: 'b' } } },
  { what: 'a missing ConfigMap is patched', method: 'PATCH', path: `${MAPS}/b`, body: { data: { a: 'b' } } },
  {
    what: 'a ConfigMap is replaced with an invalid one',
    method: 'PUT',
    path: `${MAPS}/a`,
    body: { metadata: { name: 'a' }, data: { 'a b': '' } },
  },
  {
    what: 'a Secret is created',
    method: 'POST',
    path: SECRETS,
    body: { metadata: { name: 's' }, stringData: { a: 'b' } },
  },
  { what: 'Secrets are listed', method: 'GET', path: `${SECRETS}?limit=500` },
  { what: 'a missing Secret is read', method: 'GET', path: `${SECRETS}/t` },
  { what: 'a Secret is deleted in a dry run', method: 'DELETE', path: `${SECRETS}/s?dryRun=All` },
  { what: 'a ServiceAccount is created', method: 'POST', path: ACCOUNTS, body: { metadata: { name: 'robot' } } },
  { what: 'a ServiceAccount requests a token', method: 'POST', path: `${ACCOUNTS}/robot/token`, body: { spec: {} } },
  { what: 'all ConfigMaps are deleted', method: 'DELETE', path: `${MAPS}?labelSelector=a%3Db` },
  { what: 'a user impersonates another user', method: 'GET', path: MAPS, as: 'bob' },
  { what: 'a user is not allowed to read', method: 'GET', path: `${SECRETS}/s`, who: 'alice' },
  { what: 'a user is not allowed to write', method: 'DELETE', path: `${MAPS}/a`, who: 'alice' },
  { what: 'a token is unknown', method: 'GET', path: MAPS, who: 'thief' },
];

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'audit log compared with that of kube-apiserver $version',
  (binaries) => {
    const stack = new AsyncDisposableStack();
    let plane: RealControlPlane;
    let logOf: () => Promise<AuditEvent[]>;
    const audit = new RecordedAudit();
    let real: Caller;
    let embedded: Caller;

    beforeAll(async () => {
      plane = stack.use(await startRealControlPlane(binaries, { auditPolicy: POLICY }));
      logOf = async () => linesOf(await readFile(plane.auditLog, 'utf8'));
      real = await callerOf(plane, plane.url, stack);
      embedded = await callerOf(plane, await startEmbeddedServer(plane, audit, stack), stack);
    });
    afterAll(() => stack.disposeAsync());

    test.each(AUDITED_REQUESTS)('records the same event when $what', async (auditedRequest) => {
      const id = `same-${AUDITED_REQUESTS.findIndex(({ what }) => what === auditedRequest.what)}`;
      const codes = [await embedded(auditedRequest, id), await real(auditedRequest, id)];
      const records = (await logOf()).filter(({ auditID }) => auditID === id);
      const audited = audit.events.filter(({ auditID }) => auditID === id);

      expect(codes[0]).toBe(codes[1]);
      expect(audited).toHaveLength(1);
      expect(audited.map(comparable)).toEqual(records.map(comparable));
      for (const event of [...audited, ...records]) {
        expect(event.stageTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        expect(event.requestReceivedTimestamp <= event.stageTimestamp).toBe(true);
      }
    });

    // The wording has changed since 1.35, and the decision is missing.
    test('records the caller, object and code of a refused impersonation', async () => {
      const auditedRequest: AuditedRequest = { method: 'GET', path: MAPS, who: 'alice', as: 'bob' };
      await embedded(auditedRequest, 'refused');
      await real(auditedRequest, 'refused');
      const [audited] = audit.events.filter(({ auditID }) => auditID === 'refused');
      const [records] = (await logOf()).filter(({ auditID }) => auditID === 'refused');

      const { verb, user, objectRef, impersonatedUser } = records ?? {};
      expect(audited).toMatchObject({ verb, user, objectRef, responseStatus: { reason: 'Forbidden', code: 403 } });
      expect([impersonatedUser, audited?.impersonatedUser]).toEqual([undefined, undefined]);
      expect(records?.responseStatus).toMatchObject({ reason: 'Forbidden', code: 403 });
    });

    test('records a request through the gateway under one ID in both logs, and the tenant as the user', async () => {
      const certificate = await plane.pki.clientCertificate('gateway', ['system:masters']);
      const certificateAuthority = plane.pki.authority.certificatePem;
      const upstream = new Upstream({ server: plane.url, certificateAuthority, clientCertificate: () => certificate });
      stack.defer(() => upstream.close());
      const front = stack.use(await startFrontEnd(upstream, { username: 'carol', groups: ['system:masters'] }));
      const transport = new HttpsTransport({
        server: front.server.url,
        certificateAuthority: front.server.authority.certificatePem,
      });
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'made-' } });
      const headers = { 'content-type': 'application/json' };
      const response = await transport.request({ method: 'POST', path: SECRETS, headers, body });
      const { metadata } = JSON.parse(await response.text()) as { metadata: { name: string } };
      transport.close();
      await front.requestsFinished();
      const [audited] = front.audit.events;
      const [records] = (await logOf()).filter(({ auditID }) => auditID === response.headers['audit-id']);

      expect(audited).toMatchObject({
        auditID: records?.auditID,
        user: { username: 'carol' },
        responseStatus: { code: 201 },
      });
      expect(audited?.objectRef).toMatchObject({ resource: 'secrets', namespace: 'red', name: metadata.name });
      expect(records).toMatchObject({ user: { username: 'gateway' }, impersonatedUser: { username: 'carol' } });
      expect(records?.sourceIPs).toEqual(['127.0.0.1']);
    });
  },
);

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'audit policy with levels, compared with kube-apiserver $version',
  (binaries) => {
    const stack = new AsyncDisposableStack();
    let plane: RealControlPlane;
    const audit = new RecordedAudit(systemClock, undefined, auditPolicyOf(parsePolicyFile(JSON.stringify(LEVELS))));
    let real: Caller;
    let embedded: Caller;

    beforeAll(async () => {
      plane = stack.use(await startRealControlPlane(binaries, { auditPolicy: JSON.stringify(LEVELS) }));
      real = await callerOf(plane, plane.url, stack);
      embedded = await callerOf(plane, await startEmbeddedServer(plane, audit, stack), stack);
    });
    afterAll(() => stack.disposeAsync());

    test.each(AUDITED_REQUESTS.map((auditedRequest) => inNamespace(auditedRequest, 'blue')))(
      'records the same detail when $what',
      async (auditedRequest) => {
        const id = `level-${AUDITED_REQUESTS.findIndex(({ what }) => what === auditedRequest.what)}`;
        await embedded(auditedRequest, id);
        await real(auditedRequest, id);
        const records = linesOf(await readFile(plane.auditLog, 'utf8')).filter(({ auditID }) => auditID === id);
        const audited = audit.events.filter(({ auditID }) => auditID === id);

        expect(audited.map(quoted)).toEqual(records.map(quoted));
      },
    );
  },
);

/** Starts the embedded server with the CAs of the real one; resolves with its URL. */
async function startEmbeddedServer(
  plane: RealControlPlane,
  audit: RecordedAudit,
  stack: AsyncDisposableStack,
): Promise<string> {
  const gateway = createGateway({
    store: new MemoryStore(),
    version: '0.0.0',
    auditor: audit.auditor,
    issuer: 'https://fairway.test',
    authority: plane.pki.authority,
    serviceAccountKeys: plane.pki.serviceAccountKeys,
    clouds: noConfiguredClouds(),
    credentials: () => {
      throw new Error('no part of this test');
    },
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  });
  await gateway.start();
  const { certificate: cert, privateKey: key } = plane.pki.serving;
  const clientCa = plane.pki.authority.certificatePem;
  const { url } = await gateway.server.listen({ host: '127.0.0.1', port: 0, tls: { cert, key, clientCa } });
  stack.defer(() => gateway.server.close());
  return url;
}

/** The content of an event, without the fields that each server adds to an object. */
function quoted({ level, requestObject, responseObject }: AuditEvent): object {
  const named = (object: unknown) => {
    const { kind, metadata, data } = object as { kind?: string; metadata?: { name?: string }; data?: object };
    return { kind, name: metadata?.name, data };
  };
  return {
    level,
    request: requestObject === undefined ? undefined : named(requestObject),
    response: responseObject === undefined ? undefined : named(responseObject),
  };
}

function inNamespace<T extends AuditedRequest>(auditedRequest: T, namespace: string): T {
  const { body, path } = auditedRequest;
  const renamed = path.endsWith('/namespaces') ? { metadata: { name: namespace } } : body;
  return { ...auditedRequest, path: path.replace('/red/', `/${namespace}/`), ...(renamed && { body: renamed }) };
}

type Caller = (auditedRequest: AuditedRequest, auditId: string) => Promise<number>;

/** Callers with certificates from one CA, so that both servers see the same users. */
async function callerOf({ pki }: RealControlPlane, server: string, stack: AsyncDisposableStack): Promise<Caller> {
  const known = knownRecords.get(pki) ?? {};
  knownRecords.set(pki, known);
  const certificateAuthority = pki.authority.certificatePem;
  const transports = new Map<Username, HttpsTransport>();
  for (const [who, groups] of [
    ['admin', ['system:masters']],
    ['alice', []],
  ] as const) {
    known[who] ??= await pki.clientCertificate(who, groups);
    const certificate = known[who];
    transports.set(who, new HttpsTransport({ server, certificateAuthority, clientCertificate: () => certificate }));
  }
  transports.set('thief', new HttpsTransport({ server, certificateAuthority, bearerToken: () => 'stolen' }));
  for (const transport of transports.values()) stack.defer(() => transport.close());
  return async ({ who = 'admin', as, method, path, body }, auditId) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = {
      'audit-id': auditId,
      'content-type': type,
      'user-agent': 'test/1.0',
      ...(as !== undefined && { 'impersonate-user': as, 'impersonate-group': 'system:masters' }),
    };
    const kinds = body === undefined ? undefined : JSON.stringify({ ...typeOf(path), ...body });
    const response = await transports.get(who)?.request({ method, path, headers, ...(kinds && { body: kinds }) });
    await response?.text();
    return response?.status ?? 0;
  };
}

const knownRecords = new WeakMap<
  RealControlPlane['pki'],
  Partial<Record<Username, { readonly certificate: string; readonly privateKey: string }>>
>();

function typeOf(path: string): object {
  if (path.endsWith('/token')) return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const kinds = {
    configmaps: 'ConfigMap',
    secrets: 'Secret',
    serviceaccounts: 'ServiceAccount',
    namespaces: 'Namespace',
  };
  const plural = Object.keys(kinds).find((name) => path.includes(name)) as keyof typeof kinds;
  return { apiVersion: 'v1', kind: kinds[plural] };
}

function linesOf(text: string): AuditEvent[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

/** An event without the differences listed in docs/operators/audit.md, and without generated values. */
function comparable(whole: AuditEvent): object {
  const { requestReceivedTimestamp: _, stageTimestamp: __, ...event } = whole;
  const { uid: ___, resourceVersion: ____, ...objectRef } = { ...event.objectRef } as Record<string, unknown>;
  const { code, status, reason, message, details } = { ...event.responseStatus };
  const isFailure = (code ?? 0) >= 400;
  const isSecret = objectRef['resource'] === 'secrets' || objectRef['subresource'] === 'token';
  const { causes: _____, uid: ______, ...auditedDetails } = { ...details } as Record<string, unknown>;
  return {
    ...event,
    annotations: {
      ...event.annotations,
      'authentication.kubernetes.io/issued-credential-id': undefined,
      [DRY_RUN_ANNOTATION]: undefined,
    },
    stage: 'ResponseComplete',
    objectRef,
    responseStatus: {
      metadata: {},
      code,
      ...(isFailure && { status, reason, details: auditedDetails }),
      ...(isFailure && !isSecret && code !== 401 && code !== 422 && { message }),
    },
  };
}

function noConfiguredClouds(): ConfiguredClouds {
  return new ConfiguredClouds({
    nameOf: () => undefined,
    open: () => undefined,
    credentialOf: () => undefined,
    openProject: () => undefined,
  });
}
