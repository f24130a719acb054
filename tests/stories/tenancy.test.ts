import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject } from '@fairway/kube/object/meta';
import { codeOf } from '@fairway/kube/testing/code-of';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resign, tamper } from '../session/forge-token.ts';
import { RunningFairway } from '../session/running-fairway.ts';
import { coreType, People, type Person } from '../session/tenant.ts';

const Namespaces = coreType('namespaces', 'Namespace', false);
const Secrets = coreType('secrets', 'Secret');

function cluster(namespace: string, name: string, spec: object = {}): Cluster {
  return { apiVersion: API_VERSION, kind: 'Cluster', metadata: { name, namespace }, spec } as Cluster;
}

function pool(namespace: string, name: string, clusterName: string, replicas = 1): NodePool {
  const spec = { clusterName, flavor: 'b3-8', replicas };
  return { apiVersion: API_VERSION, kind: 'NodePool', metadata: { name, namespace }, spec } as NodePool;
}

describe('two tenants of one Fairway', () => {
  let folder: string;
  let fairway: RunningFairway;
  let people: People;
  /** A member of namespace a, a reader in it, and a member of namespace b, which has another project. */
  let alice: Person;
  let rita: Person;
  let bob: Person;
  let aliceNetwork: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-tenancy-'));
    fairway = await RunningFairway.start(join(folder, 'home'), '--listen', '127.0.0.1:0');
    people = await People.of(fairway.kubeconfig);
    await people.createNamespace('a', 'simulator');
    await people.createNamespace('b', 'simulator-other');
    alice = await people.joinProject('a', 'alice', 'fairway-member');
    rita = await people.joinProject('a', 'rita', 'fairway-reader');
    bob = await people.joinProject('b', 'bob', 'fairway-member');
    await alice.client.resource(clusters).create(cluster('a', 'demo'));
    await alice.client.resource(nodePools).create(pool('a', 'general', 'demo'));
    aliceNetwork = await readyNetwork(alice.client);
  });
  afterAll(async () => {
    people?.close();
    await fairway?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('a member creates clusters and sees them with their machines', async () => {
    const [machine] = (await alice.client.resource(machines).list({ namespace: 'a' })).items;

    expect(machine).toMatchObject({ spec: { clusterName: 'demo' }, status: { phase: 'Ready' } });
    expect(await codeOf(kubeconfigOf(alice.client))).toBe(0);
  });

  test.each<[what: string, call: (client: KubeClient) => Promise<unknown>]>([
    ['list clusters', (client) => client.resource(clusters).list({ namespace: 'a' })],
    ['list clusters of all namespaces', (client) => client.resource(clusters).list()],
    ['watch clusters', (client) => firstEvent(client)],
    ['get a cluster', (client) => client.resource(clusters).get('demo', { namespace: 'a' })],
    ['get a cluster that does not exist', (client) => client.resource(clusters).get('nope', { namespace: 'a' })],
    ['create a cluster', (client) => client.resource(clusters).create(cluster('a', 'evil'))],
    ['delete a cluster', (client) => client.resource(clusters).delete('demo', { namespace: 'a' })],
    ['scale a pool', (client) => scale(client)],
    ['list machines', (client) => client.resource(machines).list({ namespace: 'a' })],
    ['delete all machines', (client) => client.resource(machines).deleteCollection({ namespace: 'a' })],
    ['get a kubeconfig', (client) => kubeconfigOf(client)],
    ['read events', (client) => client.resource(coreType('events', 'Event')).list({ namespace: 'a' })],
  ])('a member of another tenant may not %s', async (_, call) => {
    expect(await codeOf(call(bob.client))).toBe(403);
  });

  test("a pool that references another tenant's cluster gets no cluster", async () => {
    await bob.client.resource(nodePools).create(pool('b', 'parasite', 'demo', 2));
    await bob.client.resource(clusters).create(cluster('b', 'own'));
    await bob.client.resource(nodePools).create(pool('b', 'own', 'own'));
    await readyCondition(bob.client, 'b', 'own');
    const alicesObjects = await alice.client.resource(clusters).get('demo', { namespace: 'a' });
    const bobMachines = (await bob.client.resource(machines).list({ namespace: 'b' })).items;

    expect(alicesObjects.status?.nodes).toMatchObject({ desired: 1, current: 1 });
    expect(bobMachines.map(({ spec }) => spec.clusterName)).toEqual(['own']);
  });

  test("a cluster that references another project's network is refused", async () => {
    const spec = { network: { networkID: aliceNetwork } };
    const refused = await bob.client
      .resource(clusters)
      .create(cluster('b', 'inside', spec))
      .catch((error) => error);

    expect(refused).toMatchObject({ code: 422, message: expect.stringContaining('spec.network.networkID: Not found') });
  });

  test.each<[what: string, call: (client: KubeClient) => Promise<unknown>, code: number]>([
    ['may get a cluster', (client) => client.resource(clusters).get('demo', { namespace: 'a' }), 0],
    ['may list machines', (client) => client.resource(machines).list({ namespace: 'a' }), 0],
    ['may not create', (client) => client.resource(clusters).create(cluster('a', 'more')), 403],
    ['may not patch', (client) => patchLabels(client), 403],
    ['may not scale', (client) => scale(client), 403],
    ['may not delete', (client) => client.resource(nodePools).delete('general', { namespace: 'a' }), 403],
    ['may not get a kubeconfig', (client) => kubeconfigOf(client), 403],
  ])('a reader %s', async (_, call, code) => {
    expect(await codeOf(call(rita.client))).toBe(code);
  });

  test.each<[what: string, call: (client: KubeClient) => Promise<unknown>]>([
    ['create a machine', (client) => client.resource(machines).create(machine('a'))],
    ["read Fairway's secrets", (client) => client.resource(Secrets).list({ namespace: 'fairway-system' })],
    ['read secrets of all namespaces', (client) => client.resource(Secrets).list()],
    ['choose another cloud for its namespace', (client) => annotateNamespace(client)],
    ['create a namespace', (client) => client.resource(Namespaces).create({ metadata: { name: 'c' } })],
    ['write the status of a cluster', (client) => patchStatus(client)],
  ])('a member may not %s', async (_, call) => {
    expect(await codeOf(call(alice.client))).toBe(403);
  });

  test.each<[what: string, token: (validToken: string, key: string) => string, code: number]>([
    ['a token that was never issued', () => 'nonsense', 401],
    ['a token with another signature', (validToken) => tamper(validToken), 401],
    [
      'a token that has expired',
      (validToken, key) => resign(validToken, key, { iat: seconds(-7200), nbf: seconds(-7200), exp: seconds(-3600) }),
      401,
    ],
    [
      'a token that is not valid yet',
      (validToken, key) => resign(validToken, key, { nbf: seconds(3600), exp: seconds(7200) }),
      401,
    ],
    ['the same token signed again', (validToken, key) => resign(validToken, key, {}), 0],
  ])('the API validates %s', async (_, forge, code) => {
    const key = await readFile(join(fairway.home, 'pki', 'service-account.key'), 'utf8');
    const { client } = people.withToken(forge(alice.token ?? '', key));

    expect(await codeOf(client.resource(clusters).list({ namespace: 'a' }))).toBe(code);
  });

  test('a token becomes invalid when its ServiceAccount is deleted', async () => {
    const carl = await people.joinProject('a', 'carl', 'fairway-reader');
    const before = await codeOf(carl.client.resource(clusters).list({ namespace: 'a' }));
    await people.admin.client
      .resource(coreType('serviceaccounts', 'ServiceAccount'))
      .delete('carl', { namespace: 'a' });
    const after = await codeOf(carl.client.resource(clusters).list({ namespace: 'a' }));

    expect([before, after]).toEqual([0, 401]);
  });
});

/** ID of the network that belongs to cluster `a/demo`, once the cluster is Ready. */
async function readyNetwork(client: KubeClient): Promise<string> {
  const { status } = await readyCondition(client, 'a', 'demo');
  return status?.network?.networkID ?? '';
}

async function readyCondition(client: KubeClient, namespace: string, name: string): Promise<Cluster> {
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const { items, metadata } = await client.resource(clusters).list(selection);
  const isReady = ({ status }: Cluster) =>
    status?.nodes?.desired === 1 &&
    status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  const [now] = items;
  if (now && isReady(now)) return now;
  const { resourceVersion = '' } = metadata;
  for await (const { object } of client.resource(clusters).watch({ ...selection, resourceVersion })) {
    if (isReady(object)) return object;
  }
  throw new Error(`the watch of cluster ${name} ended before it was ready`);
}

async function firstEvent(client: KubeClient): Promise<void> {
  for await (const _ of client.resource(clusters).watch({ namespace: 'a', timeoutSeconds: 1 })) return;
}

function scale(client: KubeClient): Promise<unknown> {
  const patch = { type: 'merge', value: { spec: { replicas: 3 } } } as const;
  return client.resource(nodePools).patch('general', patch, { namespace: 'a', subresource: 'scale' });
}

function patchLabels(client: KubeClient): Promise<unknown> {
  const patch = { type: 'merge', value: { metadata: { labels: { evil: 'yes' } } } } as const;
  return client.resource(clusters).patch('demo', patch, { namespace: 'a' });
}

function patchStatus(client: KubeClient): Promise<unknown> {
  const patch = { type: 'merge', value: { status: { phase: 'Failed' } } } as const;
  return client.resource(clusters).patch('demo', patch, { namespace: 'a', subresource: 'status' });
}

function annotateNamespace(client: KubeClient): Promise<unknown> {
  const patch = {
    type: 'merge',
    value: { metadata: { annotations: { 'fairway.dev/cloud': 'simulator-admin' } } },
  } as const;
  return client.resource(Namespaces).patch('a', patch);
}

function kubeconfigOf(client: KubeClient): Promise<KubeObject> {
  const request = { apiVersion: API_VERSION, kind: 'KubeconfigRequest', metadata: {}, spec: {} } as KubeObject;
  return client.resource(clusters).createSubresource('demo', 'kubeconfig', request, { namespace: 'a' });
}

function machine(namespace: string): Machine {
  const spec = {
    clusterName: 'demo',
    nodePoolName: 'general',
    flavor: 'b3-8',
    image: 'x',
    version: '1.34.2',
    floatingIP: false,
  };
  return { apiVersion: API_VERSION, kind: 'Machine', metadata: { name: 'mine', namespace }, spec };
}

function seconds(offsetSeconds: number): number {
  return Math.floor(Date.now() / 1000) + offsetSeconds;
}
