import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { silentLogger } from '@fairway/base/log';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { ApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PendingNodegroups } from '../../clusters/pending-nodegroups.ts';
import { TestMagnum } from '../../testing/test-magnum.ts';

const BODY = { name: 'demo', cluster_template_id: 'k8s-1.34-free', flavor_id: 'b3-8', node_count: 2 };

let magnum: TestMagnum;
beforeEach(async () => {
  magnum = await TestMagnum.start();
});
afterEach(() => magnum.close());

const isPool = ({ method, path }: TransportRequest) => method === 'POST' && /\/nodepools\?(?!.*dryRun)/.test(path);
const isCluster = ({ method, path }: TransportRequest) => method === 'POST' && /\/clusters\?(?!.*dryRun)/.test(path);
const create = (overrides: object = {}) => magnum.call('alice', 'POST', '/v1/clusters', { ...BODY, ...overrides });
const operator = () => magnum.gateway.as('operator');
const pools = async () => (await operator().resource(nodePools).list({ namespace: TEAM })).items;
const notes = async () =>
  (await operator().resource(ConfigMaps).list({ labelSelector: 'fairway.dev/magnum-owed' })).items;
/** Runs a pass as another process would, this many seconds from now. */
const sweepAfter = (seconds: number, client = magnum.gateway.gateway.client) => {
  const { clock } = magnum.gateway;
  const laterClock = { now: () => clock.now() + seconds * 1000 };
  return new PendingNodegroups({ client, clock: laterClock, log: silentLogger }).sweep();
};
/** A client with Fairway's own identity that gets this error when it creates a pool. */
const rejectingClient = (refusal: ApiError) => {
  const { clock, gateway } = magnum.gateway;
  const transport = gateway.server.transport({ username: 'fairway', groups: ['system:masters'] });
  const request = async (sent: TransportRequest): Promise<TransportResponse> => {
    if (!isPool(sent)) return transport.request(sent);
    const text = () => Promise.resolve(JSON.stringify(refusal.toStatus()));
    return { status: refusal.code, headers: {}, text, async *lines() {} };
  };
  return new KubeClient({ ...transport, request }, { clock });
};

test('a created cluster leaves no pending nodegroup', async () => {
  expect((await create()).status).toBe(202);

  expect(await pools()).toHaveLength(1);
  expect(await notes()).toEqual([]);
});

test('a missing nodegroup is created with the requested settings', async () => {
  magnum.failRequests(isPool);
  expect((await create()).status).toBe(202);
  expect(await pools()).toEqual([]);
  expect((await magnum.call('alice', 'GET', '/v1/clusters/demo')).body).toMatchObject({
    status: 'CREATE_IN_PROGRESS',
    node_count: 0,
  });

  await sweepAfter(10);
  expect(await pools()).toEqual([]);
  await sweepAfter(20);

  expect(await pools()).toMatchObject([{ spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 2 } }]);
  expect(await notes()).toEqual([]);
  expect((await magnum.call('alice', 'GET', '/v1/clusters/demo')).body).toMatchObject({ node_count: 2 });
});

test.each([
  { what: 'an error of a busy API server', error: tooManyRequests('busy', 1) },
  { what: 'an error for Fairway’s expired token', error: new ApiError(401, 'Unauthorized', 'Unauthorized') },
])('a missing nodegroup is created after $what', async ({ error }) => {
  magnum.failRequests(isPool);
  await create();

  await sweepAfter(20, rejectingClient(error));
  expect([await pools(), (await notes()).length]).toEqual([[], 1]);
  await sweepAfter(40);

  expect([(await pools()).length, await notes()]).toEqual([1, []]);
});

test('a pending nodegroup is ignored if a user wrote it to a ConfigMap in the project', async () => {
  magnum.failRequests(isPool);
  await create();
  const [note] = await notes();
  const { name = '', namespace = '', labels = {} } = note?.metadata ?? {};
  await operator().resource(ConfigMaps).delete(name, { namespace });
  await operator()
    .resource(ConfigMaps)
    .create({ metadata: { name, namespace: TEAM, labels }, data: note?.data ?? {} });

  await sweepAfter(20);
  expect([await pools(), (await notes()).length]).toEqual([[], 1]);
});

test('a permanently refused nodegroup is not retried', async () => {
  magnum.failRequests(isPool);
  await create();

  await sweepAfter(20, rejectingClient(new ApiError(422, 'Invalid', 'no')));
  expect([await pools(), await notes()]).toEqual([[], []]);
});

test('a nodegroup is created once if another process is creating it', async () => {
  magnum.failRequests((request) => {
    if (isPool(request)) void sweepAfter(20);
    return false;
  });

  expect((await create()).status).toBe(202);
  expect(await pools()).toHaveLength(1);
});

test('a pending nodegroup is deleted if its cluster does not exist', async () => {
  magnum.failRequests(isCluster);
  expect((await create()).status).toBe(500);

  await sweepAfter(100);
  expect(await notes()).toHaveLength(1);
  await sweepAfter(130);
  expect([await notes(), await pools()]).toEqual([[], []]);
});

test('a pending nodegroup is not created for another cluster with the same name', async () => {
  magnum.failRequests(isPool);
  await create();
  await operator().resource(clusters).delete('demo', { namespace: TEAM });
  await magnum.gateway.createCluster('demo', { version: '1.34' });

  await sweepAfter(20);
  expect([await notes(), await pools()]).toEqual([[], []]);
});

test('admission checks the nodegroup before anything is created', async () => {
  const before = await operator().resource(clusters).list({ namespace: TEAM });
  const { status, body } = await create({ flavor_id: 'huge' });

  expect(status).toBe(400);
  expect(body.errors[0].detail).toMatch(/^flavor_id: Not found: "huge"/);
  const after = await operator().resource(clusters).list({ namespace: TEAM });
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});
