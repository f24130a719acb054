import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FORMS, type Person, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const pathOf = (name: string, query = '') => `/apis/${API_VERSION}/namespaces/${TEAM}/clusters/${name}/audit${query}`;
const FILE = 'tenant-audit.log';

interface EventList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly continue?: string };
  readonly items: readonly AuditEvent[];
}

/** One event per second, starting at 12:00. */
function lineOf(second: number, change: Partial<AuditEvent> = {}): string {
  const time = `2026-01-31T12:00:${String(second).padStart(2, '0')}.000000Z`;
  const event: AuditEvent = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Request',
    auditID: `e${second}`,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/pods',
    verb: second % 2 === 0 ? 'create' : 'delete',
    user: { username: 'alice', groups: ['fairway:cluster-admins'] },
    sourceIPs: ['192.0.2.7'],
    objectRef: { resource: 'pods', namespace: 'shop', name: `p${second}`, apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    requestObject: { spec: 'quoted' },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    ...change,
  };
  return `${JSON.stringify(event)}\n`;
}

describe.each(FORMS)('audit events of a cluster behind the %s gateway', (form) => {
  let gateway: TestGateway;
  let uid: string;
  let folder: string;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('silent');
    await gateway.createCluster('elsewhere', { apiServer: { audit: {} } });
    uid = identityOf(await gateway.createCluster('asking', { apiServer: { audit: { level: 'Request' } } }));
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-cluster-audit-'));
    gateway.auditLogs.set(uid, { folder, file: FILE, owners: [process.getuid?.() ?? 0] });
    await writeFile(join(folder, FILE), [1, 2, 3, 4].map((second) => lineOf(second)).join(''));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function list(person: Person, query = ''): Promise<EventList> {
    const reply = await gateway.call(person, 'GET', pathOf('asking', query));
    expect(reply).toMatchObject({ status: 200 });
    return reply.body as EventList;
  }
  const eventIDs = ({ items }: EventList) => items.map(({ auditID }) => auditID);

  test.each(['alice', 'rita'] as const)('can be read by %s, newest first', async (person) => {
    const listed = await list(person);

    expect(listed).toMatchObject({
      kind: 'AuditEventList',
      apiVersion: API_VERSION,
      items: [{ kind: 'AuditEvent', apiVersion: API_VERSION, metadata: { name: 'e4', namespace: TEAM } }, {}, {}, {}],
    });
    expect(eventIDs(listed)).toEqual(['e4', 'e3', 'e2', 'e1']);
    expect(listed.metadata.continue).toBeUndefined();
  });

  test('support the same query as auditevents, including Kubernetes Events', async () => {
    expect(eventIDs(await list('alice', '?fieldSelector=verb=create'))).toEqual(['e4', 'e2']);
    expect(eventIDs(await list('alice', '?fieldSelector=verb!=create,objectRef.name=p1'))).toEqual(['e1']);
    expect(eventIDs(await list('alice', '?sinceTime=2026-01-31T12:00:03Z'))).toEqual(['e4', 'e3']);
    const events = await list('alice', '?as=EventList&limit=1');
    expect(events).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [{ kind: 'Event' }] });
    expect(events.items[0]).not.toHaveProperty('metadata');
  });

  test('are listed in pages, even while the log is rotated', async () => {
    const first = await list('alice', '?limit=2');
    await rename(join(folder, FILE), join(folder, 'tenant-audit-2026-02-01T00-00-00.000.log'));
    await writeFile(join(folder, FILE), lineOf(5));
    const second = await list('alice', `?limit=2&continue=${first.metadata.continue}`);

    expect([eventIDs(first), eventIDs(second)]).toEqual([
      ['e4', 'e3'],
      ['e2', 'e1'],
    ]);
    expect(second.metadata.continue).toBeUndefined();
    expect(eventIDs(await list('alice'))).toEqual(['e5', 'e4', 'e3', 'e2', 'e1']);
  });

  test('have bodies for members, who could read the object with a kubeconfig, but not for readers', async () => {
    expect(JSON.stringify(await list('alice'))).toContain('quoted');
    const { items } = await list('rita');

    expect(JSON.stringify(items)).not.toContain('quoted');
    expect(items).toMatchObject([{ level: 'Metadata' }, {}, {}, {}]);
  });

  test('show users their own source addresses, but not those of other kubeconfig users', async () => {
    expect((await list('alice')).items[0]?.sourceIPs).toEqual(['192.0.2.7']);
    expect((await list('rita')).items[0]).not.toHaveProperty('sourceIPs');
  });

  test('omit lines that are not events, and count them', async () => {
    gateway.skipped.length = 0;
    await appendFile(join(folder, FILE), `${'['.repeat(10_000)}\n{}\n${lineOf(5, { auditID: '' })}${lineOf(6)}`);

    expect(eventIDs(await list('alice'))).toEqual(['e6', 'e4', 'e3', 'e2', 'e1']);
    expect(gateway.skipped).toEqual([3]);
  });

  test('are refused to a user who may not read the cluster', async () => {
    expect(await gateway.call('nobody', 'GET', pathOf('asking'))).toMatchObject({ status: 403 });
    expect(await gateway.call('nobody', 'GET', pathOf('missing'))).toMatchObject({ status: 403 });
  });

  test('are refused for a cluster that does not store them, with advice', async () => {
    const { status, body } = await gateway.call('rita', 'GET', pathOf('silent'));

    expect(status).toBe(409);
    expect((body as { message: string }).message).toMatch(/set spec\.apiServer\.audit.*kubectl patch cluster silent/);
  });

  test('are refused by a replica without the log', async () => {
    const { status, body } = await gateway.call('alice', 'GET', pathOf('elsewhere'));

    expect(status).toBe(503);
    expect((body as { message: string }).message).toMatch(/cluster team\/elsewhere are not available to this replica/);
  });

  test.each([
    ['GET', 'missing', '', 404],
    ['POST', 'silent', '', 405],
    ['GET', 'asking', '?fieldSelector=metadata.name=a', 400],
    ['GET', 'asking', '?labelSelector=a', 400],
    ['GET', 'asking', '?continue=x', 400],
    ['GET', 'asking', '?as=Secrets', 400],
    ['GET', 'asking', '?limit=many', 400],
  ] as const)('respond to %s %s %s with %s', async (method, cluster, query, status) => {
    const user = { username: 'root', groups: ['system:masters'] };
    const body = method === 'POST' ? { apiVersion: API_VERSION, kind: 'AuditEventList', metadata: {} } : undefined;

    expect(await gateway.call(user, method, pathOf(cluster, query), body)).toMatchObject({ status });
  });
});
