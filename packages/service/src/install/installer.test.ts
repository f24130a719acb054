import { KINDS } from '@fairway/api/kinds/all';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { HOLLOW_RESOURCES } from '@fairway/hollow/control-plane/resources';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { ClusterRoles, Namespaces } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CustomResourceDefinitions, SCHEMA_ANNOTATION } from './definitions.ts';
import { foreignDefinitions } from './foreign-definitions.ts';
import { type Installed, install } from './installer.ts';
import { manifests } from './manifests.ts';

const MEMBER = 'fairway-member';
let server: ApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = new ApiServer({
    store: new MemoryStore(),
    resources: HOLLOW_RESOURCES,
    definitions: builtinDefinitions(),
    clock: systemClock,
    version: { gitVersion: 'v1.34.2', major: '1', minor: '34' },
  });
  client = new KubeClient(server.transport({ username: 'admin', groups: ['system:masters'] }));
  await client.resource(Namespaces).create({ metadata: { name: 'kube-system' }, spec: {} });
});
afterEach(() => server.close());

async function installed(options: { dryRun?: boolean; forceConflicts?: boolean } = {}): Promise<Installed[]> {
  const told: Installed[] = [];
  const standard = { dryRun: false, forceConflicts: false };
  const signal = new AbortController().signal;
  await install(client, manifests(), { ...standard, ...options, clock: systemClock, signal }, (each) =>
    told.push(each),
  );
  return told;
}

function changes(told: readonly Installed[]): Record<string, number> {
  const counts = Map.groupBy(told, ({ change }) => change);
  return Object.fromEntries([...counts].map(([change, { length }]) => [change, length]));
}

const all = manifests().length;
const operators = manifests().filter(({ isOperators }) => isOperators).length;

test('an empty cluster gets everything, and serves the kinds', async () => {
  const told = await installed();

  expect(changes(told)).toEqual({ created: all });
  expect((await client.resource(clusters).list()).items).toEqual([]);
});

test('a second run changes nothing', async () => {
  await installed();

  expect(changes(await installed())).toEqual({ unchanged: all - operators, kept: operators });
});

test('a dry run reports the same and creates nothing', async () => {
  const told = await installed({ dryRun: true });

  expect(changes(told)).toEqual({ created: all });
  expect((await client.resource(CustomResourceDefinitions).list()).items).toEqual([]);
  expect((await client.resource(Namespaces).list()).items).toHaveLength(1);
});

test('a dry run over an older installation reports the changes', async () => {
  await installed();
  const rules = [{ apiGroups: ['fairway.dev'], resources: ['clusters'], verbs: ['get'] }];
  const role = { metadata: { name: MEMBER }, rules };
  await client.resource(ClusterRoles).apply(role, { fieldManager: 'fairway-install' });

  const told = await installed({ dryRun: true });

  expect(told.filter(({ change }) => change === 'configured').map(({ name }) => name)).toEqual([MEMBER]);
  expect((await client.resource(ClusterRoles).get(MEMBER)).rules).toEqual(rules);
});

test("the operator's changes of plans are kept, and Fairway's fields are reset", async () => {
  await installed();
  await client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxNodes: 7 } } });
  await client.resource(ClusterRoles).delete(MEMBER);

  const told = await installed();

  expect(told.filter(({ change }) => change === 'created').map(({ name }) => name)).toEqual([MEMBER]);
  expect((await client.resource(plans).get('free')).spec.maxNodes).toBe(7);
});

test('CRDs of another release are found', async () => {
  const before = await foreignDefinitions(client);
  await installed();
  const after = await foreignDefinitions(client);
  const annotations = { [SCHEMA_ANNOTATION]: 'another' };
  await client
    .resource(CustomResourceDefinitions)
    .patch('machines.fairway.dev', { type: 'merge', value: { metadata: { annotations } } });

  expect(before).toHaveLength(KINDS.length);
  expect(after).toEqual([]);
  expect(await foreignDefinitions(client)).toEqual(['machines.fairway.dev']);
});

test('foreign labels are kept', async () => {
  await installed();
  const labels = { 'example.org/team': 'platform' };
  await client.resource(ClusterRoles).patch(MEMBER, { type: 'merge', value: { metadata: { labels } } });

  expect(changes(await installed())).not.toHaveProperty('configured');
  expect((await client.resource(ClusterRoles).get(MEMBER)).metadata.labels).toMatchObject(labels);
});

test('a field that another manager has set differently is a conflict, and taken over on request', async () => {
  await installed();
  await client
    .resource(ClusterRoles)
    .patch(MEMBER, { type: 'merge', value: { rules: [] } }, { fieldManager: 'somebody' });

  await expect(installed()).rejects.toThrow(/clusterroles fairway-member: .*somebody.*\.rules/s);
  const told = await installed({ forceConflicts: true });

  expect(told.filter(({ change }) => change === 'configured').map(({ name }) => name)).toEqual([MEMBER]);
});

test('a short name that another CRD has fails the installation with that name', async () => {
  const names = { plural: 'others', singular: 'other', kind: 'Cluster', listKind: 'ClusterList' };
  const schema = { openAPIV3Schema: { type: 'object' as const } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const spec = { group: 'fairway.dev', scope: 'Namespaced', names, versions };
  await client.resource(CustomResourceDefinitions).create({ metadata: { name: 'others.fairway.dev' }, spec });

  await expect(installed()).rejects.toThrow(/clusters\.fairway\.dev: .*Cluster.* in use/);
});
