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
import { type InstallOptions, type InstallResult, install } from '../../install/installer.ts';
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
  options: Partial<Pick<InstallOptions, 'dryRun' | 'forceConflicts' | 'allowDowngrade' | 'onFieldLoss'>> = {},
): Promise<InstallResult[]> {
  const results: InstallResult[] = [];
  const defaultOptions = { dryRun: false, forceConflicts: false };
  const signal = new AbortController().signal;
  await install(client, manifests(), { ...defaultOptions, ...options, clock: systemClock, signal }, (each) =>
    results.push(each),
  );
  return results;
}

function changes(results: readonly InstallResult[]): Record<string, number> {
  const counts = Map.groupBy(results, ({ change }) => change);
  return Object.fromEntries([...counts].map(([change, { length }]) => [change, length]));
}

const all = manifests().length;
const operatorOwnedCount = manifests().filter(({ isOperatorOwned }) => isOperatorOwned).length;

test('installs everything in an empty cluster, and serves the kinds', async () => {
  const results = await installed();

  expect(changes(results)).toEqual({ created: all });
  expect((await client.resource(clusters).list()).items).toEqual([]);
});

test('changes nothing on a second run', async () => {
  await installed();

  expect(changes(await installed())).toEqual({ unchanged: all - operatorOwnedCount, kept: operatorOwnedCount });
});

test('reports the same in a dry run, but creates nothing', async () => {
  const results = await installed({ dryRun: true });

  expect(changes(results)).toEqual({ created: all });
  expect((await client.resource(CustomResourceDefinitions).list()).items).toEqual([]);
  expect((await client.resource(Namespaces).list()).items).toHaveLength(1);
});

test('reports the changes in a dry run over an older installation', async () => {
  await installed();
  const rules = [{ apiGroups: ['fairway.dev'], resources: ['clusters'], verbs: ['get'] }];
  const role = { metadata: { name: MEMBER }, rules };
  await client.resource(ClusterRoles).apply(role, { fieldManager: 'fairway-install' });

  const results = await installed({ dryRun: true });

  expect(results.filter(({ change }) => change === 'configured').map(({ name }) => name)).toEqual([MEMBER]);
  expect((await client.resource(ClusterRoles).get(MEMBER)).rules).toEqual(rules);
});

test("keeps the operator's changes to plans, and resets Fairway's fields", async () => {
  await installed();
  await client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxNodes: 7 } } });
  await client.resource(ClusterRoles).delete(MEMBER);

  const results = await installed();

  expect(results.filter(({ change }) => change === 'created').map(({ name }) => name)).toEqual([MEMBER]);
  expect((await client.resource(plans).get('free')).spec.maxNodes).toBe(7);
});

test('finds CRDs from another release', async () => {
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

test('keeps foreign labels', async () => {
  await installed();
  const labels = { 'example.org/team': 'platform' };
  await client.resource(ClusterRoles).patch(MEMBER, { type: 'merge', value: { metadata: { labels } } });

  expect(changes(await installed())).not.toHaveProperty('configured');
  expect((await client.resource(ClusterRoles).get(MEMBER)).metadata.labels).toMatchObject(labels);
});

test('reports a field that another manager has set differently as a conflict, and takes it over on request', async () => {
  await installed();
  await client
    .resource(ClusterRoles)
    .patch(MEMBER, { type: 'merge', value: { rules: [] } }, { fieldManager: 'somebody' });

  await expect(installed()).rejects.toThrow(/clusterroles fairway-member: .*somebody.*\.rules/s);
  const results = await installed({ forceConflicts: true });

  expect(results.filter(({ change }) => change === 'configured').map(({ name }) => name)).toEqual([MEMBER]);
});

test('fails if another CRD uses a name of Fairway’s kinds, and reports the name', async () => {
  const names = { plural: 'others', singular: 'other', kind: 'Cluster', listKind: 'ClusterList' };
  const schema = { openAPIV3Schema: { type: 'object' as const } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const spec = { group: 'fairway.dev', scope: 'Namespaced', names, versions };
  await client.resource(CustomResourceDefinitions).create({ metadata: { name: 'others.fairway.dev' }, spec });

  await expect(installed()).rejects.toThrow(/clusters\.fairway\.dev: .*Cluster.* in use/);
});

describe('kinds with an additional field', () => {
  /** Installs a release with `spec.later`, and a plan that uses it if `isUsed`. */
  async function installNewerVersion(release: string | undefined, isUsed: boolean): Promise<void> {
    const foreignManifests = manifests().map((each) => ({ ...each, object: structuredClone(each.object) }));
    const crd = foreignManifests.find(({ object }) => object.metadata.name === 'plans.fairway.dev')?.object;
    const { versions } = (crd as CustomResourceDefinition).spec;
    const properties = versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties;
    if (crd === undefined || properties === undefined) throw new Error('the CRD of plans has no schema');
    Object.assign(properties, { later: { type: 'string', description: 'A field that a later release added.' } });
    const { [RELEASE_ANNOTATION]: _, ...rest } = crd.metadata.annotations ?? {};
    crd.metadata.annotations = { ...rest, ...(release !== undefined && { [RELEASE_ANNOTATION]: release }) };
    const { signal } = new AbortController();
    await install(
      client,
      foreignManifests,
      { dryRun: false, forceConflicts: false, clock: systemClock, signal },
      () => {},
    );
    if (!isUsed) return;
    const value = { spec: { later: 'set' } };
    await client.resource(plans).patch('free', { type: 'merge', value });
  }

  async function newerField(): Promise<unknown> {
    return ((await client.resource(plans).get('free')).spec as { readonly later?: unknown }).later;
  }

  test('refuses to install an earlier release while an object uses the field', async () => {
    await installNewerVersion('99.1.0', true);

    const refused = installed();

    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(
      /are from Fairway 99\.1\.0; this is Fairway .*\n {2}plans: spec\.later, which free has$/,
    );
    expect(await newerField()).toBe('set');
  });

  test('installs an earlier release if allowed, or if no object uses the field', async () => {
    const losses: string[] = [];
    const onLoss = (fields: readonly LostField[]) => void losses.push(...fields.map(({ field }) => field));
    await installNewerVersion('99.1.0', true);
    await installed({ allowDowngrade: true, onFieldLoss: onLoss });
    expect(losses).toEqual(['spec.later']);

    await installNewerVersion('99.1.0', false);
    const value = { spec: { later: null } };
    await client.resource(plans).patch('free', { type: 'merge', value });
    expect(changes(await installed({ onFieldLoss: onLoss }))).toMatchObject({ configured: 1 });
    expect(losses).toEqual(['spec.later']);
  });

  test('reports data loss when an upgrade removes the field', async () => {
    const losses: string[] = [];
    await installNewerVersion(undefined, true);

    await installed({ onFieldLoss: (fields) => void losses.push(...fields.map(({ field }) => field)) });

    expect(losses).toEqual(['spec.later']);
  });
});
