import { API_VERSION } from '@fairway/api/group';
import { aCluster } from '@fairway/api/testing/objects';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FORMS, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const CLUSTERS = `/apis/${API_VERSION}/namespaces/${TEAM}/clusters`;

describe.each(FORMS)('the audit log of the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
    await gateway.setEndpoint('demo');
  });
  afterAll(() => gateway.close());
  beforeEach(() => gateway.audit.clear());

  const auditEventsOf = (username: string): AuditEvent[] =>
    gateway.audit.events.filter(({ user }) => user.username === username);

  test('records who got a kubeconfig, without its contents', async () => {
    const body = { apiVersion: API_VERSION, kind: 'KubeconfigRequest', spec: { expirationSeconds: 900 } };
    const { status, body: responseBody } = await gateway.call('alice', 'POST', `${CLUSTERS}/demo/kubeconfig`, body);
    const { kubeconfig } = (responseBody as { status: { kubeconfig: string } }).status;

    expect(status).toBe(201);
    expect(auditEventsOf('alice')).toMatchObject([
      {
        verb: 'create',
        requestURI: `${CLUSTERS}/demo/kubeconfig`,
        objectRef: {
          resource: 'clusters',
          subresource: 'kubeconfig',
          namespace: TEAM,
          name: 'demo',
          apiGroup: 'fairway.dev',
          apiVersion: 'v1alpha1',
        },
        responseStatus: { code: 201 },
        annotations: { 'authorization.k8s.io/decision': 'allow' },
      },
    ]);
    const [secret] = /client-key-data: (\S{20})/.exec(kubeconfig) ?? [];
    expect(secret).toBeDefined();
    expect(gateway.audit.lines.join()).not.toContain(secret);
  });

  test('records who was refused a kubeconfig', async () => {
    const body = { apiVersion: API_VERSION, kind: 'KubeconfigRequest', spec: {} };
    await gateway.call('rita', 'POST', `${CLUSTERS}/demo/kubeconfig`, body);

    expect(auditEventsOf('rita')).toMatchObject([
      {
        objectRef: { subresource: 'kubeconfig', name: 'demo' },
        responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
        annotations: { 'authorization.k8s.io/decision': 'forbid' },
      },
    ]);
  });

  test('records who created and who changed an object, with the result', async () => {
    const { metadata: _, ...cluster } = aCluster({}, { name: 'a', namespace: TEAM });
    const object = { ...cluster, apiVersion: API_VERSION, kind: 'Cluster', metadata: { name: 'made' } };
    await gateway.call('alice', 'POST', CLUSTERS, object);
    await gateway.call('alice', 'POST', CLUSTERS, object);
    await gateway.call('alice', 'POST', CLUSTERS, { ...object, metadata: { generateName: 'any-' } });
    await gateway.call('alice', 'PATCH', `${CLUSTERS}/made`, { spec: { plan: 'gold' } });
    await gateway.call('alice', 'PATCH', `${CLUSTERS}/made`, { metadata: { labels: { a: 'b' } } });
    await gateway.call('alice', 'GET', `${CLUSTERS}/made`);

    const omittedEvents = auditEventsOf('alice').map(({ verb, objectRef, responseStatus }) =>
      [verb, objectRef?.name?.slice(0, 4), responseStatus?.code, responseStatus?.reason].join(' '),
    );
    expect(omittedEvents).toEqual([
      'create made 201 ',
      'create made 409 AlreadyExists',
      'create any- 201 ',
      expect.stringMatching(/^patch made 4\d\d (?:Invalid|Forbidden)$/),
      'patch made 200 ',
    ]);
  });

  test('never quotes a Secret', async () => {
    const path = `/api/v1/namespaces/${TEAM}/secrets`;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } };
    await gateway.call('alice', 'POST', path, secret);
    await gateway.call('alice', 'POST', path, { ...secret, data: { 'a b hunter2': 'no base 64: hunter2' } });

    expect(auditEventsOf('alice')).toMatchObject([
      { objectRef: { resource: 'secrets', name: 's' }, responseStatus: { code: 201 } },
      { objectRef: { resource: 'secrets' }, responseStatus: { status: 'Failure' } },
    ]);
    expect(gateway.audit.lines.join()).not.toContain('hunter2');
  });
});
