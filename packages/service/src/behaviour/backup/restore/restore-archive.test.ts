import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { systemClock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { controllerRef } from '@fairway/kube/controller/owners';
import { ConfigMaps, Namespaces, RoleBindings, Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '../../../backup/archive.ts';
import { BACKED_UP_KINDS } from '../../../backup/backed-up-kinds.ts';
import { isBeingRestored, type StatefulObject } from '../../../backup/restore/desired-object.ts';
import { type RestoreRequest, restoreArchive } from '../../../backup/restore/restore-archive.ts';
import { takeSnapshot } from '../../../backup/snapshot.ts';
import { KilledError, TestApi } from '../../../backup/testing/test-api.ts';

const { signal } = new AbortController();
const BACKUP = { id: '123e4567-e89b-42d3-a456-426614174000', createdAt: '2026-01-01T00:00:00Z' };
const FINALIZERS = ['fairway.dev/cloud-resources'];

/** A Fairway with two clusters: one is being deleted, and one was paused by a user. */
async function source(): Promise<{ readonly api: TestApi; readonly archive: Archive }> {
  const api = new TestApi();
  for (const name of ['fairway-system', 'team', 'unrelated'])
    await api.create(Namespaces, { metadata: { name }, spec: {} });
  const team = { namespace: 'team' };
  const credential = await api.create(cloudCredentials, {
    metadata: { name: 'mine', ...team, finalizers: FINALIZERS },
    spec: { cloud: 'west', secretRef: { name: 'mine' }, reclaimPolicy: 'Retain' },
  });
  const ownerReferences = [controllerRef(credential, cloudCredentials)];
  await api.create(Secrets, { metadata: { name: 'mine', ...team, ownerReferences }, data: { trust_id: 'YQ==' } });
  await api.create(Secrets, { metadata: { name: 'cluster-pki', namespace: 'fairway-system' }, data: { key: 'YQ==' } });
  await api.create(RoleBindings, {
    metadata: { name: 'alice', ...team },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-member' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  await addCluster(api, 'demo', { 'fairway.dev/paused': 'backup' });
  await addCluster(api, 'held', { 'fairway.dev/paused': 'by hand' });
  await addCluster(api, 'leaving', { 'fairway.dev/paused': 'backup' });
  await api.client.resource(clusters).delete('leaving', team);
  const { objects, resourceVersions } = await takeSnapshot(api.client, { signal });
  return { api, archive: { contents: { server: 'https://source', paused: true, resourceVersions }, objects } };
}

async function addCluster(api: TestApi, name: string, annotations: Record<string, string>): Promise<void> {
  const meta = { name, namespace: 'team', finalizers: FINALIZERS };
  const cluster = await api.create(clusters, aCluster({}, { ...meta, annotations }));
  await api.setStatus(clusters, cluster, {
    observedGeneration: 1,
    phase: 'Ready',
    endpoint: { host: 'h', port: 6443 },
  });
  const ownerReferences = [controllerRef(cluster, clusters)];
  const pool = await api.create(nodePools, aNodePool({ clusterName: name }, { ...meta, ownerReferences }));
  await api.setStatus(nodePools, pool, { observedGeneration: 1, serverGroupID: `group-of-${name}` });
  const machine = await api.create(machines, {
    metadata: { ...meta, name: `${name}-1`, ownerReferences: [controllerRef(pool, nodePools)] },
    spec: { clusterName: name, nodePoolName: name, flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
  });
  await api.setStatus(machines, machine, { observedGeneration: 1, serverID: `server-of-${name}` });
}

function restore(client: KubeClient, archive: Archive, options: Partial<RestoreRequest> = {}): Promise<void> {
  return restoreArchive(client, {
    backup: BACKUP,
    archive,
    overwrite: false,
    keepPaused: false,
    clock: systemClock,
    signal,
    onPlan: ({ conflicts }) => {
      if (conflicts.length > 0) throw new Error(conflicts.join('\n'));
    },
    onDone: () => {},
    ...options,
  });
}

/** All objects of a target, with owners identified by name instead of UID, and without server-specific fields. */
async function contentOf({ client }: TestApi): Promise<readonly object[]> {
  const objects: StatefulObject[] = [];
  for (const type of BACKED_UP_KINDS) {
    const { items } = await client.resource(type).list();
    objects.push(...items.map((item) => ({ ...item, kind: type.kind })));
  }
  const names = new Map(objects.map(({ kind, metadata }) => [metadata.uid, `${kind} ${metadata.name}`]));
  return objects
    .filter(({ metadata }) => !metadata.name?.startsWith('fairway-restore-'))
    .map(({ metadata, ...object }) => ({
      ...object,
      name: metadata.name,
      namespace: metadata.namespace,
      annotations: metadata.annotations,
      finalizers: metadata.finalizers,
      isLeaving: metadata.deletionTimestamp !== undefined,
      owners: metadata.ownerReferences?.map(({ uid }) => names.get(uid)),
    }));
}

const IDENTITY_KINDS: readonly ResourceType[] = [clusters, nodePools, machines];

/** Objects that controllers might reconcile without their cloud identity. */
function objectsWithoutIdentity({ server }: TestApi): readonly KubeObject[] {
  return IDENTITY_KINDS.flatMap((type) => server.reader.list(type)).filter(
    (object) => !isBeingRestored(object) && (object as StatefulObject).status?.originUID === undefined,
  );
}

let origin: Awaited<ReturnType<typeof source>>;
let target: TestApi;
beforeEach(async () => {
  origin = await source();
  target = new TestApi();
});
afterEach(async () => {
  await origin.api.close();
  await target.close();
});

describe('a restored Fairway', () => {
  test('has all objects with their cloud identity and owners', async () => {
    await restore(target.client, origin.archive);

    const restoredClusters = await target.client.resource(clusters).list({ namespace: 'team' });
    const before = await origin.api.client.resource(clusters).list({ namespace: 'team' });
    const content = await contentOf(target);
    expect(restoredClusters.items.map(identityOf)).toEqual(before.items.map(({ metadata }) => metadata.uid));
    expect(content).toContainEqual(
      expect.objectContaining({ name: 'demo-1', owners: ['NodePool demo'], finalizers: FINALIZERS }),
    );
    expect(content).toContainEqual(expect.objectContaining({ kind: 'Secret', owners: ['CloudCredential mine'] }));
    expect(content).toContainEqual(
      expect.objectContaining({
        kind: 'Machine',
        name: 'demo-1',
        status: expect.objectContaining({ serverID: 'server-of-demo' }) as object,
      }),
    );
    expect(content.some((each) => 'name' in each && each.name === 'unrelated')).toBe(false);
  });

  test('has no paused objects except those that users had paused', async () => {
    await restore(target.client, origin.archive);

    const { items } = await target.client.resource(clusters).list();
    expect(items.map(({ metadata }) => [metadata.name, metadata.annotations?.['fairway.dev/paused']])).toEqual([
      ['demo', undefined],
      ['held', 'by hand'],
      ['leaving', undefined],
    ]);
  });

  test('resumes deletions that were in progress', async () => {
    await restore(target.client, origin.archive);

    const deletedCluster = await target.client.resource(clusters).get('leaving', { namespace: 'team' });
    expect(deletedCluster.metadata.deletionTimestamp).toBeDefined();
  });

  test('keeps its clusters paused on request, as if set by a user', async () => {
    await restore(target.client, origin.archive, { keepPaused: true });

    const { items } = await target.client.resource(clusters).list();
    expect(items.map(({ metadata }) => metadata.annotations?.['fairway.dev/paused'])).toEqual([
      'true',
      'by hand',
      'true',
    ]);
  });

  test('is not changed by a second restore, which recreates nothing', async () => {
    await restore(target.client, origin.archive);
    const value = { metadata: { finalizers: null } };
    await target.client.resource(machines).patch('demo-1', { type: 'merge', value }, { namespace: 'team' });
    await target.client.resource(machines).delete('demo-1', { namespace: 'team' });
    const before = await contentOf(target);

    await restore(target.client, origin.archive);

    expect(await contentOf(target)).toEqual(before);
  });
});

describe('an existing object that differs', () => {
  const [plan] = SHIPPED_PLANS as [Plan];
  const changed = { ...plan, spec: { ...plan.spec, displayName: 'Changed' } };
  let archive: Archive;
  beforeEach(async () => {
    await origin.api.create(plans, plan);
    await target.create(plans, changed);
    archive = { ...origin.archive, objects: (await takeSnapshot(origin.api.client, { signal })).objects };
  });

  test('is reported, and nothing is written', async () => {
    const before = await contentOf(target);

    await expect(restore(target.client, archive)).rejects.toThrow(/it exists and differs in spec\.displayName/);

    expect(await contentOf(target)).toEqual(before);
  });

  test('is overwritten on request', async () => {
    await restore(target.client, archive, { overwrite: true });

    const { spec } = await target.client.resource(plans).get(plan.metadata.name ?? '');
    expect(spec.displayName).toBe(plan.spec.displayName);
  });
});

function wasKilled(error: unknown): false {
  if (!(error instanceof KilledError)) throw error;
  return false;
}

describe('a restore that is killed', () => {
  test.each(['before', 'after'] as const)('continues when run again, if killed %s any of its writes', async (when) => {
    const uninterrupted = new TestApi();
    await restore(uninterrupted.client, origin.archive);
    const expected = await contentOf(uninterrupted);
    await uninterrupted.close();

    let isComplete = false;
    for (let count = 1; !isComplete; count++) {
      const killedApi = new TestApi();
      const unidentifiedObjects: KubeObject[] = [];
      const killedClient = killedApi.killableClient(count, when, () =>
        unidentifiedObjects.push(...objectsWithoutIdentity(killedApi)),
      );
      isComplete = await restore(killedClient, origin.archive).then(() => true, wasKilled);

      await restore(killedApi.client, origin.archive);

      expect(unidentifiedObjects, `at write ${count}`).toEqual([]);
      expect(await contentOf(killedApi), `at write ${count}`).toEqual(expected);
      await killedApi.close();
    }
  });

  test('recreates no objects if it is killed while resuming: objects that users have deleted stay deleted', async () => {
    let resumed = false;
    const killedClient = target.killableClient(Number.POSITIVE_INFINITY, 'before', () => {
      resumed ||= target.server.reader
        .list(clusters)
        .some((cluster) => !isBeingRestored(cluster) && cluster.metadata.name === 'demo');
      if (resumed) throw new KilledError();
    });
    await expect(restore(killedClient, origin.archive)).rejects.toThrow(KilledError);
    const value = { metadata: { finalizers: null } };
    await target.client.resource(clusters).patch('demo', { type: 'merge', value }, { namespace: 'team' });
    await target.client.resource(clusters).delete('demo', { namespace: 'team' });

    await restore(target.client, origin.archive);

    const { items } = await target.client.resource(clusters).list();
    const { items: records } = await target.client.resource(ConfigMaps).list({ namespace: 'fairway-system' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['held', 'leaving']);
    expect(items.some(isBeingRestored)).toBe(false);
    expect(records).toMatchObject([{ data: { phase: 'Done', source: 'https://source' } }]);
  });
});
