import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered, old } = await testReleases();
const release = offered ?? old;
const described = release ? `with Kubernetes ${release.described}` : '(skipped: no binaries are found)';
const MIB = 2 ** 20;

describe.skipIf(release === undefined)(`a database that reaches its quota ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;
  let client: KubeClient;

  const configMaps = () => client.resource<ConfigMap>(ConfigMaps);
  const isFull = ({ reason }: ControlPlaneState) => reason === 'DatabaseFull';
  const write = (name: string, bytes = 375_000) => {
    const metadata = { name, namespace: 'default', labels: { big: 'true' } };
    return configMaps().create({ metadata, data: { value: randomBytes(bytes).toString('base64') } });
  };
  /** Writes until etcd refuses more writes. */
  const fill = async (prefix: string) => {
    for (let index = 0; ; index++) {
      try {
        await write(`${prefix}-${index}`);
      } catch (error) {
        expect(String(error)).toContain('database space exceeded');
        return;
      }
    }
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-quota-'));
    cluster = await ProcessCluster.open(parent, release?.assets(parent) ?? '', release?.version ?? '');
    cluster.spec = { ...cluster.spec, etcdQuotaBytes: 8 * MIB };
    client = await cluster.connect(await cluster.waitForState(isRunning));
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  test('reports that it is full, and who must act', async () => {
    await fill('a');

    const state = await cluster.waitForState(isFull);

    expect(state).toMatchObject({ phase: 'Failed', ready: false, message: expect.stringContaining('Delete objects') });
  });

  test('accepts writes again when objects are deleted', async () => {
    const { items } = await configMaps().list({ namespace: 'default', labelSelector: 'big=true' });
    for (const { metadata } of items) await configMaps().delete(metadata.name ?? '', { namespace: 'default' });

    await cluster.waitForState(isRunning);

    // Small, because space freed by later deletions becomes available only at etcd's next compaction.
    expect((await write('again', 1000)).metadata.name).toBe('again');
  });

  test('accepts writes again when the plan allows more, as it does with more nodes', async () => {
    await fill('b');
    await cluster.waitForState(isFull);

    cluster.spec = { ...cluster.spec, etcdQuotaBytes: 32 * MIB };
    await cluster.waitForState(isRunning);

    expect((await write('more')).metadata.name).toBe('more');
  });

  test('gets the plan’s increase before it is full, even if nothing else changes', async () => {
    cluster.spec = { ...cluster.spec, etcdQuotaBytes: 64 * MIB };
    await cluster.waitForState(isRunning);
    const notified = Promise.withResolvers<void>();
    const unsubscribe = cluster.runtime.onChange(() => notified.resolve());

    for (let index = 0; index < 24; index++) await write(`c-${index}`);
    await notified.promise;
    unsubscribe();
    await cluster.waitForState(({ phase }) => phase === 'Updating');
    await cluster.waitForState(isRunning);

    for (let index = 0; index < 40; index++) await write(`d-${index}`);
    expect(await cluster.runtime.ensure(cluster.spec)).toMatchObject({ phase: 'Running' });
  });
});
