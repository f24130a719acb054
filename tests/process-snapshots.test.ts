import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap, Secret } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kill, pidsOf, processesIn } from './process-runtime/local-processes.ts';
import { CLUSTER_UID, isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { type TestRelease, testReleases } from './process-runtime/releases.ts';

const { offered, old } = await testReleases();
const HOUR_MS = 3_600_000;

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fairway-snapshots-'));
});
afterAll(async () => {
  await rm(parent, { recursive: true, force: true });
});

for (const [release, missing] of [
  [offered, 'no binaries of 1.31 or later are found'],
  [old, 'testbed/kubernetes is not built'],
] as const) {
  const described = release ? `with Kubernetes ${release.described}` : `(skipped: ${missing})`;
  const isMissing = release === undefined || !release.hasRestoreTool;
  const why = release && !release.hasRestoreTool ? ' (skipped: neither etcdutl nor etcdctl is beside its etcd)' : '';
  describe.skipIf(isMissing)(`snapshots ${described}${why}`, () => {
    snapshotCases(release);
  });
}

function snapshotCases(release: TestRelease | undefined): void {
  const inDefault = { namespace: 'default' };
  let cluster: ProcessCluster;
  let client: KubeClient;
  let snapshot: string;

  const newestOf = ({ snapshots }: ControlPlaneState) => snapshots?.list[0]?.name;
  const write = (name: string) =>
    client.resource<ConfigMap>(ConfigMaps).create({ metadata: { name, ...inDefault }, data: { value: name } });
  const exists = async (name: string) => {
    try {
      await client.resource<ConfigMap>(ConfigMaps).get(name, inDefault);
      return true;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return false;
      throw error;
    }
  };
  /** Whether the request is done and the control plane is running. */
  const isRestored = (state: ControlPlaneState) => {
    const { restored, restoring } = state.snapshots ?? {};
    const { snapshot: name, requestedAt } = cluster.spec.restore ?? {};
    const isDone = restored?.snapshot === name && restored?.requestedAt === requestedAt;
    return isDone && restoring === undefined && isRunning(state);
  };
  /** Requests a snapshot of the current state, and waits for it. */
  const takeSnapshot = async () => {
    const requestedAtMs = Date.now();
    cluster.spec = { ...cluster.spec, snapshots: { intervalMs: HOUR_MS, keep: 10, requestedAtMs } };
    const state = await cluster.waitForState(({ snapshots }) => (snapshots?.list[0]?.takenAtMs ?? 0) >= requestedAtMs);
    return newestOf(state) ?? '';
  };

  beforeAll(async () => {
    const own = await mkdtemp(join(parent, 'release-'));
    cluster = await ProcessCluster.open(own, release?.assets(own) ?? '', release?.version ?? '');
    cluster.spec = { ...cluster.spec, snapshots: { intervalMs: HOUR_MS, keep: 10 } };
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
  });

  test('are taken as soon as etcd serves requests, and on demand', async () => {
    client = await cluster.connect(await cluster.waitForState(isRunning));
    await cluster.waitForState(({ snapshots }) => snapshots?.list.length === 1);
    await write('before');
    const data = { value: Buffer.from('hidden').toString('base64') };
    await client.resource<Secret>(Secrets).create({ metadata: { name: 'secret', ...inDefault }, data });

    snapshot = await takeSnapshot();

    const { snapshots } = await cluster.runtime.ensure(cluster.spec);
    expect(snapshots).toMatchObject({ problem: undefined, restored: undefined, restoring: undefined });
    expect(snapshots?.list).toHaveLength(2);
    expect(snapshots?.list[0]?.sizeBytes).toBeGreaterThan(10_000);
  });

  test('restore deleted objects, remove those created later, and continue resource versions', async () => {
    const { metadata } = await write('after');
    await client.resource<ConfigMap>(ConfigMaps).delete('before', inDefault);

    cluster.spec = { ...cluster.spec, restore: { snapshot } };
    expect(await cluster.runtime.ensure(cluster.spec)).toMatchObject({ phase: 'Updating', reason: 'Restoring' });
    await cluster.waitForState(isRestored);

    expect([await exists('before'), await exists('after')]).toEqual([true, false]);
    const { data } = await client.resource<Secret>(Secrets).get('secret', inDefault);
    expect(data).toEqual({ value: Buffer.from('hidden').toString('base64') });
    const now = Number((await write('later')).metadata.resourceVersion);
    // etcdctl before 3.6 can't raise revisions.
    const passed = release?.bumpsRevisions ? Number(metadata.resourceVersion) : 0;
    expect(now).toBeGreaterThan(passed);
  });

  test('save the previous state before a restore, and remove the previous data', async () => {
    const { snapshots } = await cluster.runtime.ensure(cluster.spec);

    expect(snapshots?.list.map(({ name }) => name)).toContainEqual(
      expect.stringMatching(/-before-restore-[0-9a-f]{8}$/),
    );
    expect(readdirSync(cluster.folder).filter((name) => /^etcd(-\d+)?$/.test(name))).toEqual(['etcd-1']);
  });

  test('are restored only once per request, even after a restart', async () => {
    await cluster.runtime.close();
    cluster.runtime = cluster.openRuntime();
    await cluster.waitForState(isRunning);
    await cluster.waitForState(({ snapshots }) => snapshots?.restoring === undefined);

    expect(await exists('later')).toBe(true);
  });

  test('are restored again with another request time, even if processes are killed partway through', async () => {
    cluster.spec = { ...cluster.spec, restore: { snapshot, requestedAt: '2026-11-21T16:30:00Z' } };
    const restoring = cluster.runtime.ensure(cluster.spec);
    // Left behind by a crash while data was being created.
    writeFileSync(join(cluster.folder, 'etcd-2'), 'half');
    await restoring;
    kill(pidsOf(cluster.folder)['kube-apiserver']);
    await cluster.waitForState(isRestored);

    expect([await exists('before'), await exists('later')]).toEqual([true, false]);
  });

  test('save existing data before a restore if Fairway starts with a restore request and nothing running', async () => {
    await write('unsaved');
    await cluster.runtime.close();
    // Left behind by a Fairway that was killed after all processes had exited but before the new data was in use.
    cluster.spec = { ...cluster.spec, restore: { snapshot, requestedAt: '2026-11-21T16:45:00Z' } };
    cluster.runtime = cluster.openRuntime();
    const { snapshots } = await cluster.waitForState(isRestored);

    expect([await exists('before'), await exists('unsaved')]).toEqual([true, false]);
    const saved = snapshots?.list.filter(({ name }) => name.includes('-before-restore-'));
    expect(saved).toHaveLength(3);
  });

  test('leave the cluster unchanged if invalid, and report the reason', async () => {
    cluster.spec = { ...cluster.spec, restore: { snapshot: '20200101-000000-000' } };
    const state = await cluster.waitForState(({ snapshots }) => snapshots?.restoring?.problem !== undefined);
    expect(state.snapshots?.restoring).toMatchObject({
      problem: 'NotFound',
      message: expect.stringContaining(`snapshot 20200101-000000-000 of the cluster does not exist; available: `),
    });

    const file = join(cluster.folder, '../../snapshots', CLUSTER_UID, `${snapshot}.db`);
    writeFileSync(file, 'other', { flag: 'r+' });
    cluster.spec = { ...cluster.spec, restore: { snapshot, requestedAt: '2026-11-21T17:00:00Z' } };
    const damaged = await cluster.waitForState(
      ({ snapshots }) =>
        snapshots?.restoring?.request === cluster.spec.restore && snapshots?.restoring?.problem !== undefined,
    );
    expect(damaged.snapshots?.restoring?.message).toContain('its checksum does not match');
    expect((await cluster.waitForState(isRunning)).ready).toBe(true);
    expect(await exists('before')).toBe(true);
  });

  test('are deleted with their cluster', async () => {
    const folder = join(cluster.folder, '../../snapshots', CLUSTER_UID);
    expect(existsSync(folder)).toBe(true);
    const removed = Promise.withResolvers<void>();
    cluster.runtime.onChange(() => existsSync(cluster.folder) || removed.resolve());
    await cluster.runtime.remove(CLUSTER_UID);
    await removed.promise;

    expect(existsSync(folder)).toBe(false);
    expect(processesIn(cluster.folder)).toEqual([]);
  });
}
