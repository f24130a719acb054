import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Namespaces, RoleBindings, Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { MIN_CEL_MINOR } from '@fairway/service/install/definitions';
import { Home } from '@fairway/service/up/home';
import type { Cloud } from '@fairway/simulator/cloud';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Environment,
  fairwayCommand,
  type MovableFairway,
  startEnvironment,
  startLaptop,
  startReplica,
} from '../backup/movable-fairway.ts';
import { findBinaries, type KubernetesBinaries } from '../contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from '../management/management-cluster.ts';
import { clientOf } from '../session/client-of.ts';

function isReady(object: Cluster | NodePool | Machine): boolean {
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && object.status?.observedGeneration === object.metadata.generation;
}

/** Waits until two clusters and this many machines are Ready, as reported by the current Fairway. */
async function allReady(client: KubeClient, machineCount: number): Promise<readonly Machine[]> {
  await eventually(client.resource(clusters), {}, (all) => all.length === 2 && all.every(isReady));
  await eventually(client.resource(nodePools), {}, (all) => all.length === 2 && all.every(isReady));
  const isUp = (all: readonly Machine[]) => all.length === machineCount && all.every(isReady);
  return eventually(client.resource(machines), {}, isUp);
}

/** Calls that create, change or delete something: all calls except reads and token requests. */
function writes(cloud: Cloud): number {
  const counts = cloud.calls.counts().filter(({ method, service }) => method !== 'GET' && service !== 'identity');
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
}

async function populate(client: KubeClient): Promise<void> {
  const annotations = { 'fairway.dev/cloud': 'simulator' };
  await client.resource(Namespaces).create({ metadata: { name: 'team', annotations }, spec: {} });
  await client.resource(RoleBindings).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'alice', namespace: 'team' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-member' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  const place = [
    { namespace: 'default', name: 'demo', pool: { flavor: 'b3-8', replicas: 2 } },
    {
      namespace: 'team',
      name: 'second',
      pool: { flavor: 'b3-8', replicas: 1, antiAffinity: true, floatingIPs: { enabled: true } },
    },
  ];
  for (const { namespace, name, pool } of place) {
    const cluster = { apiVersion: API_VERSION, kind: clusters.kind, metadata: { namespace, name }, spec: {} };
    await client.resource(clusters).create(cluster as Cluster);
    const spec = { clusterName: name, ...pool };
    const poolManifest = { apiVersion: API_VERSION, kind: nodePools.kind, metadata: { namespace, name }, spec };
    await client.resource(nodePools).create(poolManifest as unknown as NodePool);
  }
}

const found = findBinaries();
const releases = found.map((binaries): [string, KubernetesBinaries] => [`of Kubernetes ${binaries.version}`, binaries]);
/** Without a release, the test is reported as skipped instead of being absent. */
const SKIPPED: [string, KubernetesBinaries] = ['(skipped: no Kubernetes binaries are found)', undefined as never];

describe.skipIf(found.length === 0).each(found.length === 0 ? [SKIPPED] : releases)(
  'backup from a laptop to a management cluster %s, and back',
  (_, binaries) => {
    let around: Environment;
    let home: Home;
    let management: ManagementCluster;
    let admin: string;
    let fairway: MovableFairway | undefined;
    let initialContents: ReturnType<typeof resourceCounts>;
    let identities: readonly string[];
    const command = (...args: readonly string[]) => fairwayCommand(around.folder, args);
    const stop = async () => {
      await fairway?.[Symbol.asyncDispose]();
      fairway = undefined;
    };

    beforeAll(async () => {
      around = await startEnvironment();
      management = await startManagementCluster(binaries);
      admin = management.kubeconfigs.admin;
      home = new Home(join(around.folder, 'home'));
      initialContents = resourceCounts(around.cloud);
      fairway = await startLaptop(home);
      await populate(fairway.client);
      identities = (await allReady(fairway.client, 3)).map(identityOf).sort();
    });
    afterAll(async () => {
      await stop();
      await management?.[Symbol.asyncDispose]();
      await around?.[Symbol.asyncDispose]();
    });

    test('reveals nothing to another running Fairway or without the passphrase', async () => {
      const unpausedBackup = await command('backup', '-o', 'unpaused', '--kubeconfig', home.kubeconfig);
      const refused = await command('restore', 'unpaused', '--kubeconfig', admin);
      const wrongEnv = { FAIRWAY_BACKUP_PASSPHRASE: 'not the passphrase' };
      const wrongPassphrase = await fairwayCommand(around.folder, ['backup', 'verify', 'unpaused'], wrongEnv);
      const open = await fairwayCommand(around.folder, ['backup', '-o', 'open', '--kubeconfig', home.kubeconfig], {});
      const verified = await command('backup', 'verify', 'unpaused');

      expect(unpausedBackup).toMatchObject({ code: 0, stdout: expect.stringContaining('NOT paused') });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--source-stopped') });
      expect(wrongPassphrase).toMatchObject({ code: 2, stderr: expect.stringContaining('the passphrase is wrong') });
      expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('--passphrase-file') });
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/2 clusters, 2 nodepools, 3 machines/) });
    });

    test('moves two clusters without touching a server', async () => {
      const backup = await command('backup', '--pause', '-o', 'there', '--kubeconfig', home.kubeconfig);
      const before = writes(around.cloud);
      await stop();
      const dryRun = await command('restore', 'there', '--dry-run', '--kubeconfig', admin);
      const restore = await command('restore', 'there', '--kubeconfig', admin);
      fairway = await startReplica(home, management.kubeconfigs);
      const moved = await allReady(fairway.client, 3);

      expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/2 clusters, 2 nodepools, 3 machines/) });
      expect(dryRun).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('create clusters.fairway.dev team/second'),
      });
      expect(restore).toMatchObject({ code: 0, stdout: expect.stringContaining('restored from the backup') });
      expect(before).toBeGreaterThan(0);
      expect(writes(around.cloud)).toBe(before);
      expect(moved.map(identityOf).sort()).toEqual(identities);
      expect(moved.some(({ metadata }) => identities.includes(metadata.uid ?? ''))).toBe(false);
    });

    test('keeps the clusters’ keys and RBAC', async () => {
      const client = await clientOf(admin);
      const { items } = await client.resource(Secrets).list({ namespace: 'fairway-system' });
      const pkiSecrets = items.filter((secret: Secret) => secret.type === 'fairway.dev/cluster-pki');
      const binding = await client.resource(RoleBindings).get('alice', { namespace: 'team' });
      const namespace = await client.resource(Namespaces).get('team');
      const { items: moved } = await client.resource(clusters).list();
      client.close();

      expect(new Set(pkiSecrets.map(({ metadata }) => metadata.name))).toEqual(
        new Set(moved.map((cluster) => `cluster-${identityOf(cluster)}-pki`)),
      );
      expect(binding.roleRef.name).toBe('fairway-member');
      expect(namespace.metadata.annotations).toMatchObject({ 'fairway.dev/cloud': 'simulator' });
    });

    test('does not let a namespace’s user change a cluster’s identity', async () => {
      const client = await clientOf(admin);
      const patch = client.raw({
        method: 'PATCH',
        path: '/apis/fairway.dev/v1alpha1/namespaces/team/clusters/second/status',
        headers: { 'content-type': 'application/merge-patch+json', 'impersonate-user': 'alice' },
        body: JSON.stringify({ status: { originUID: '123e4567-e89b-42d3-a456-426614174000' } }),
      });

      await expect(patch).rejects.toMatchObject({ reason: 'Forbidden' });
      client.close();
    });

    test.skipIf(binaries !== undefined && binaries.minor < MIN_CEL_MINOR)(
      'does not even let an administrator change a cluster’s identity (since 1.31: CEL rules)',
      async () => {
        const client = await clientOf(admin);
        const options = { namespace: 'team', subresource: 'status' };
        for (const status of [{ originUID: '123e4567-e89b-42d3-a456-426614174000' }, { originUID: null }, null]) {
          const patch = client.resource(clusters).patch('second', { type: 'merge', value: { status } }, options);
          await expect(patch).rejects.toThrow(/status\.originUID: Forbidden: cannot be changed once it is set/);
        }
        client.close();
      },
    );

    test('has nothing left to restore when run again', async () => {
      const repeated = await command('restore', 'there', '--kubeconfig', admin);

      expect(repeated).toMatchObject({ code: 0 });
    });

    test('scales the moved clusters up with servers that have the same owner', async () => {
      const { client } = fairway as MovableFairway;
      const value = { spec: { replicas: 3 } };
      await client.resource(nodePools).patch('demo', { type: 'merge', value }, { namespace: 'default' });
      const all = await allReady(client, 4);

      const demo = await client.resource(clusters).get('demo', { namespace: 'default' });
      const own = all.filter(({ spec }) => spec.clusterName === 'demo');
      expect(own.map(({ metadata }) => metadata.labels?.['fairway.dev/cluster-uid'])).toEqual(
        own.map(() => identityOf(demo)),
      );
      expect(resourceCounts(around.cloud)).toMatchObject({ servers: 4 });
    });

    test('pauses and resumes clusters by name, or all of them', async () => {
      const { client } = fairway as MovableFairway;
      const isPaused = ({ status }: Cluster) => status?.conditions?.some(({ type }) => type === 'Paused') ?? false;
      const waitUntilPaused = (names: readonly string[]) => {
        const check = (all: readonly Cluster[]) =>
          all.every((cluster) => isPaused(cluster) === names.includes(cluster.metadata.name ?? ''));
        return eventually(client.resource(clusters), {}, check);
      };

      const none = await command('cluster', 'pause', '--kubeconfig', admin);
      const paused = await command('cluster', 'pause', 'second', '-n', 'team', '--kubeconfig', admin);
      await waitUntilPaused(['second']);
      const resumed = await command('cluster', 'resume', '--all', '--kubeconfig', admin);
      await waitUntilPaused([]);

      expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--all') });
      expect(paused).toMatchObject({ code: 0, stdout: 'cluster.fairway.dev/second paused\n' });
      expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('cluster.fairway.dev/demo resumed') });
    });

    test('rejects a restore over different objects, reports each difference, and changes nothing', async () => {
      const refused = await command('restore', 'there', '--kubeconfig', admin);

      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/nodepools\.fairway\.dev default\/demo: it exists and differs in spec\.replicas/),
      });
    });

    test('moves the clusters back into an empty Fairway', async () => {
      const { client } = fairway as MovableFairway;
      const before = namesOf((await client.resource(machines).list()).items);
      const backup = await command('backup', '--pause', '-o', 'back', '--kubeconfig', admin);
      const written = writes(around.cloud);
      await stop();
      for (const suffix of ['', '-wal', '-shm']) await rm(home.database + suffix, { force: true });
      fairway = await startLaptop(home);
      const restore = await command('restore', 'back', '--kubeconfig', home.kubeconfig);
      const moved = await allReady(fairway.client, 4);

      expect(backup).toMatchObject({ code: 0 });
      expect(restore).toMatchObject({ code: 0 });
      expect(namesOf(moved)).toEqual(before);
      expect(identities.every((identity) => moved.map(identityOf).includes(identity))).toBe(true);
      expect(writes(around.cloud)).toBe(written);
    });

    test('leaves nothing behind when the clusters are deleted', async () => {
      const { client } = fairway as MovableFairway;
      await client.resource(clusters).delete('demo', { namespace: 'default' });
      await client.resource(clusters).delete('second', { namespace: 'team' });
      await eventually(client.resource(clusters), {}, (remaining) => remaining.length === 0);

      expect(resourceCounts(around.cloud)).toEqual(initialContents);
    });

    test('encrypts its output', async () => {
      const text = await readFile(join(around.folder, 'there'), 'latin1');

      expect(text).toMatch(/^\{"format":"fairway-backup","version":1,/);
      expect(text).not.toContain('fairway.dev/cluster-pki');
    });
  },
);
