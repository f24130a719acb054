import { API_VERSION } from '@fairway/api/group';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, TEAM, TestGateway, UNKNOWN_CLOUD_TEAM } from '../../testing/test-gateway.ts';

const listOf = (namespace: string) => `/apis/${API_VERSION}/namespaces/${namespace}/auditevents`;

interface EventList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly continue?: string };
  readonly items: readonly AuditEvent[];
}

describe.each(FORMS)('audit events behind the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    for (const name of ['one', 'two', 'three']) await gateway.createCluster(name);
    // This request is refused, but audited.
    await gateway.createCluster('elsewhere', {}, UNKNOWN_CLOUD_TEAM).catch(() => undefined);
  });
  afterAll(() => gateway.close());

  async function list(person: 'alice' | 'rita', query = '', namespace = TEAM): Promise<EventList> {
    const { status, body } = await gateway.call(person, 'GET', `${listOf(namespace)}${query}`);
    expect(status).toBe(200);
    return body as EventList;
  }

  test.each(['alice', 'rita'] as const)(
    'are listed for %s only in their own namespace, newest first',
    async (person) => {
      const { items } = await list(person, '?fieldSelector=verb=create,objectRef.resource=clusters');

      expect(gateway.audit.lines.join()).toContain('elsewhere');
      expect(items.map(({ user, objectRef }) => [user.username, objectRef?.namespace, objectRef?.name])).toEqual([
        ['alice', TEAM, 'three'],
        ['alice', TEAM, 'two'],
        ['alice', TEAM, 'one'],
      ]);
    },
  );

  test('are objects that kubectl can handle, unless Kubernetes Events are requested', async () => {
    const objects = await list('alice', '?limit=1');
    const events = await list('alice', '?limit=1&as=EventList');
    const [{ auditID, stageTimestamp } = events.items[0] as AuditEvent] = objects.items;

    expect(objects).toMatchObject({
      kind: 'AuditEventList',
      apiVersion: API_VERSION,
      items: [{ kind: 'AuditEvent', apiVersion: API_VERSION, metadata: { name: auditID, namespace: TEAM } }],
    });
    expect(events).toMatchObject({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      items: [{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', auditID, stageTimestamp }],
    });
    expect(events.items[0]).not.toHaveProperty('metadata');
  });

  test('are listed in pages', async () => {
    const query = '?limit=2&fieldSelector=verb=create,objectRef.resource=clusters';
    const first = await list('alice', query);
    const second = await list('alice', `${query}&continue=${first.metadata.continue}`);

    expect([first, second].map(({ items }) => items.map(({ objectRef }) => objectRef?.name))).toEqual([
      ['three', 'two'],
      ['one'],
    ]);
    expect(second.metadata.continue).toBeUndefined();
  });

  test.each([
    { who: 'an operator', reader: { username: 'root', groups: ['system:masters'] }, sees: true },
    { who: 'herself', reader: 'alice' as const, sees: true },
    { who: 'another user of the namespace', reader: 'rita' as const, sees: false },
  ])('show $who details of alice’s event in addition to the user name: $sees', async ({ reader, sees }) => {
    const query = '?fieldSelector=user.username=alice,verb=create,objectRef.name=one';
    const { status, body } = await gateway.call(reader, 'GET', `${listOf(TEAM)}${query}`);
    const [event] = (body as EventList).items;

    expect(status).toBe(200);
    expect(event?.user.username).toBe('alice');
    expect('groups' in (event?.user ?? {})).toBe(sees);
  });

  test('are refused to a user without permission', async () => {
    expect(await gateway.call('rita', 'GET', listOf(UNKNOWN_CLOUD_TEAM))).toMatchObject({ status: 403 });
    expect(await gateway.call('nobody', 'GET', listOf(TEAM))).toMatchObject({ status: 403 });
    expect(await gateway.call('alice', 'GET', `/apis/${API_VERSION}/auditevents`)).toMatchObject({ status: 403 });
  });

  test.each([
    ['POST', '', 405],
    ['GET', '/one', 405],
    ['GET', '?watch=true', 405],
    ['GET', '?fieldSelector=metadata.name=a', 400],
    ['GET', '?continue=x', 400],
    ['GET', '?as=Secrets', 400],
  ] as const)('respond to %s %s with %s', async (method, rest, status) => {
    const user = { username: 'root', groups: ['system:masters'] };
    const body =
      method === 'POST' ? { apiVersion: API_VERSION, kind: 'AuditEvent', metadata: { name: 'a' } } : undefined;

    expect(await gateway.call(user, method, `${listOf(TEAM)}${rest}`, body)).toMatchObject({ status });
  });

  test('are empty for a namespace that does not exist', async () => {
    const user = { username: 'root', groups: ['system:masters'] };

    expect(await gateway.call(user, 'GET', listOf('missing'))).toMatchObject({ status: 200, body: { items: [] } });
  });

  test('appear in discovery', async () => {
    const { body } = await gateway.call('alice', 'GET', `/apis/${API_VERSION}`);
    const { resources } = body as { resources: { name: string }[] };

    expect(resources.find(({ name }) => name === 'auditevents')).toEqual({
      name: 'auditevents',
      singularName: 'auditevent',
      namespaced: true,
      kind: 'AuditEvent',
      verbs: ['list'],
    });
  });
});
