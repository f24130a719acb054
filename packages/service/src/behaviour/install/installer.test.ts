import { KINDS } from '@fairway/api/kinds/all';
import { clusters } from '@fairway/api/kinds/cluster';
import { plans } from '@fairway/api/kinds/plan';
import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { HOLLOW_RESOURCES } from '@fairway/hollow/control-plane/resources';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { ClusterRoles, Namespaces } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommandError } from '../../command-error.ts';
import { SCHEMA_ANNOTATION } from '../../install/definitions.ts';
import { foreignDefinitions } from '../../install/foreign-definitions.ts';
import { type Installed, type InstallOptions, install } from '../../install/installer.ts';
import type { LostField } from '../../install/lost-fields.ts';
import { manifests } from '../../install/manifests.ts';
import { RELEASE_ANNOTATION } from '../../install/release.ts';

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

async function installed(
  options: Partial<Pick<InstallOptions, 'dryRun' | 'forceConflicts' | 'allowDowngrade' | 'onLoss'>> = {},
): Promise<Installed[]> {
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

describe('over kinds with an additional field', () => {
  /** Installs a release that has `spec.later`, with a plan that uses it if `isUsed`. */
  async function installLater(release: string | undefined, isUsed: boolean): Promise<void> {
    const theirs = manifests().map((each) => ({ ...each, object: structuredClone(each.object) }));
    const crd = theirs.find(({ object }) => object.metadata.name === 'plans.fairway.dev')?.object;
    const { versions } = (crd as CustomResourceDefinition).spec;
    const properties = versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties;
    if (crd === undefined || properties === undefined) throw new Error('the CRD of plans has no schema');
    Object.assign(properties, { later: { type: 'string', description: 'A later field.' } });
    const { [RELEASE_ANNOTATION]: _, ...rest } = crd.metadata.annotations ?? {};
    crd.metadata.annotations = { ...rest, ...(release !== undefined && { [RELEASE_ANNOTATION]: release }) };
    const { signal } = new AbortController();
    await install(client, theirs, { dryRun: false, forceConflicts: false, clock: systemClock, signal }, () => {});
    if (!isUsed) return;
    const value = { spec: { later: 'set' } };
    await client.resource(plans).patch('free', { type: 'merge', value });
  }

  async function laterField(): Promise<unknown> {
    return ((await client.resource(plans).get('free')).spec as { readonly later?: unknown }).later;
  }

  test('of a later release: an earlier one is not installed while an object uses it', async () => {
    await installLater('99.1.0', true);

    const refused = installed();

    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(
      /are from Fairway 99\.1\.0; this is Fairway .*\n {2}plans: spec\.later, which free has$/,
    );
    expect(await laterField()).toBe('set');
  });

  test('of a later release: it is installed when that is allowed, or when no object uses it', async () => {
    const losses: string[] = [];
    const onLoss = (fields: readonly LostField[]) => void losses.push(...fields.map(({ field }) => field));
    await installLater('99.1.0', true);
    await installed({ allowDowngrade: true, onLoss });
    expect(losses).toEqual(['spec.later']);

    await installLater('99.1.0', false);
    const value = { spec: { later: null } };
    await client.resource(plans).patch('free', { type: 'merge', value });
    expect(changes(await installed({ onLoss }))).toMatchObject({ configured: 1 });
    expect(losses).toEqual(['spec.later']);
  });

  test('of an earlier release: the upgrade reports what is lost', async () => {
    const losses: string[] = [];
    await installLater(undefined, true);

    await installed({ onLoss: (fields) => void losses.push(...fields.map(({ field }) => field)) });

    expect(losses).toEqual(['spec.later']);
  });
});
