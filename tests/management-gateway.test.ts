import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FINALIZER } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { ATTEMPTS, attack } from '@fairway/gateway/testing/finalizer-attempts';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Events, Namespaces, Secrets } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { BLUE, GatewayInFrontOfCluster, RED } from './management-gateway/gateway-in-front-of-cluster.ts';
import { poolsLabelled } from './management-gateway/labelled-pools.ts';
import { aCluster, aPool, paused, writeManifest } from './management-gateway/manifests.ts';
import { type CommandResult, RunningFairway, run, start } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

const kubectl = findKubectls().at(-1);
const releases = kubectl === undefined ? [] : findBinaries();
const NONE = { version: '(skipped: there is no kubectl, or no kube-apiserver at hand)', minor: 0 };
/** kube-apiserver's prefix to a webhook's message. */
const DENIED = /admission webhook "admission\.fairway\.dev" denied the request: /;

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'a gateway in front of kube-apiserver $version',
  (binaries) => {
    let cluster: GatewayInFrontOfCluster;
    let standalone: RunningFairway;

    beforeAll(async () => {
      cluster = await GatewayInFrontOfCluster.start(binaries);
      standalone = await RunningFairway.start(join(cluster.folder, 'alone'), '--listen', '127.0.0.1:0');
    });
    afterAll(async () => {
      await standalone?.stop();
      await cluster?.[Symbol.asyncDispose]();
    });

    type Caller = Parameters<GatewayInFrontOfCluster['kubeconfig']>[0];
    const as = (caller: Caller, ...args: readonly string[]) =>
      run(kubectl?.path ?? '', ['--kubeconfig', cluster.kubeconfig(caller), ...args]);
    const manifest = (name: string, ...objects: readonly object[]) => writeManifest(cluster.folder, name, objects);

    describe('authenticates', () => {
      test('client certificates and tokens of ServiceAccounts', async () => {
        expect(await as('alice', 'get', 'clusters')).toMatchObject({ code: 0, stderr: /No resources found/ });
        expect(await as('robot', 'get', 'clusters')).toMatchObject({ code: 0, stderr: /No resources found/ });
      });

      test.skipIf(binaries.minor < 28)('users as whoami reports them (since 1.28)', async () => {
        expect((await as('alice', 'auth', 'whoami', '-o', 'name')).code).toBe(0);
        expect((await as('alice', 'auth', 'whoami')).stdout).toMatch(/Username +alice\n/);
        expect((await as('robot', 'auth', 'whoami')).stdout).toMatch(/Username +system:serviceaccount:blue:robot\n/);
      });

      test('Keystone tokens, whose project gets a namespace and permissions', async () => {
        const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
        const clouds = ['simulator', 'simulator-other', 'simulator-reader'].map((entry) =>
          openCloud(readCloudsYaml(cluster.cloudsYaml), entry, cloudOptions),
        );
        const sessions = clouds.map((cloud) => cloud.client().session);
        const [member, other, reader] = await Promise.all(
          sessions.map(async (session) => cluster.withToken((await session.token()).id)),
        );
        const namespace = (await sessions[0]?.projectId()) ?? '';
        const login = { metadata: { name: 'login', namespace }, stringData: { a: 'b' } };

        expect((await member?.resource(clusters).list({ namespace }))?.items).toEqual([]);
        await member?.resource(Secrets).create(login);
        expect((await reader?.resource(clusters).list({ namespace }))?.items).toEqual([]);
        await expect(reader?.resource(Secrets).create(login)).rejects.toMatchObject({ code: 403 });
        await expect(other?.resource(clusters).list({ namespace })).rejects.toMatchObject({ code: 403 });
        const { metadata } = await cluster.admin.resource(Namespaces).get(namespace);
        expect(metadata.annotations).toMatchObject({ 'fairway.dev/project-id': namespace });
        for (const client of [member, other, reader]) client?.close();
        for (const cloud of clouds) await cloud.close();
      });

      test('no other credentials', async () => {
        expect(await as('nobody', 'get', 'clusters')).toMatchObject({ code: 1, stderr: /Unauthorized|logged in/ });
        const anonymous = cluster.anonymous();
        await expect(anonymous.resource(nodePools).list({ namespace: RED })).rejects.toMatchObject({
          code: 401,
          reason: 'Unauthorized',
        });
        anonymous.close();
      });

      test('gives tenants their own namespaces and no access to other namespaces', async () => {
        const canI = async (caller: Caller, namespace: string) =>
          (await as(caller, 'auth', 'can-i', 'create', 'clusters', '-n', namespace)).stdout.trim();
        expect([await canI('alice', RED), await canI('alice', BLUE)]).toEqual(['yes', 'no']);
        expect([await canI('robot', RED), await canI('robot', BLUE)]).toEqual(['no', 'yes']);

        const { code, stderr } = await as('alice', 'get', 'clusters', '-n', BLUE);
        expect(code).toBe(1);
        expect(stderr).toContain(
          'clusters.fairway.dev is forbidden: User "alice" cannot list resource "clusters" in API group "fairway.dev" in the namespace "blue"',
        );
      });

      test.each<[string, string[]]>([
        ['Secrets of Fairway itself', ['get', '--raw', '/api/v1/namespaces/fairway-system/secrets']],
        ['resources that do not concern tenants', ['get', '--raw', '/api/v1/namespaces/red/pods']],
        ['the roles of the management cluster', ['get', '--raw', '/apis/rbac.authorization.k8s.io/v1/clusterroles']],
      ])('blocks %s for all users', async (_, args) => {
        expect(await as('alice', ...args)).toMatchObject({ code: 1, stderr: /Forbidden|forbidden/ });
      });

      test('shows allowed kinds and clusters/kubeconfig in discovery', async () => {
        const { stdout } = await as('alice', 'api-resources', '-o', 'name', '--cached=false');
        const names = stdout.trim().split('\n');

        expect(names).toContain('clusters.fairway.dev');
        expect(names).toContain('secrets');
        expect(names).not.toContain('pods');
        const version = await as('alice', 'get', '--raw', '/apis/fairway.dev/v1alpha1');
        expect(version.stdout).toContain('"clusters/kubeconfig"');
      });
    });

    test('lets fairway doctor find its kinds and its webhook healthy', async () => {
      const home = join(cluster.folder, 'home');
      const admin = ['--kubeconfig', cluster.kubeconfig('admin')];
      const { code, stdout } = await run('npx', ['fairway', 'doctor', '--home', home, ...admin]);

      expect(stdout).toMatch(/^ok +kinds +are from this release$/m);
      expect(stdout).toMatch(/^ok +webhook +kube-apiserver calls https:.*, which answers$/m);
      expect(stdout).toMatch(/^ok +webhook certificate +valid until /m);
      expect(code).toBe(0);
    });

    describe('kubectl through the gateway', () => {
      test('explains kinds', async () => {
        const { stdout } = await as('alice', 'explain', 'cluster.spec.plan');
        expect(stdout).toMatch(/KIND: +Cluster/);
      });

      test('applies server-side, waits, describes, and gets with -w', async () => {
        const file = await manifest('demo', aCluster('demo'), aPool('general'));
        const watch = start(kubectl?.path ?? '', [
          '--kubeconfig',
          cluster.kubeconfig('alice'),
          'get',
          'cluster',
          'demo',
          '-w',
          '--output-watch-events',
        ]);
        const applied = await as('alice', 'apply', '--server-side', '-f', file);
        const waited = await as('alice', 'wait', '--for=condition=Ready', 'cluster/demo', '--timeout=5m');
        const described = await as('alice', 'describe', 'cluster', 'demo');
        watch.stop();
        await watch.result;

        expect(applied.stderr + applied.stdout).toContain('cluster.fairway.dev/demo serverside-applied');
        expect(waited).toMatchObject({ code: 0, stdout: 'cluster.fairway.dev/demo condition met\n' });
        expect(described.stdout).toMatch(/Events:\n/);
      });

      test('shows a diff', async () => {
        // Controllers ignore the object, so only kubectl changes it.
        const pausedPool = (replicas: number) => paused(aPool('still', { replicas }));
        const diff = async (...objects: readonly object[]) =>
          as('alice', 'diff', '--server-side', '-f', await manifest('diff', ...objects));
        await as('alice', 'apply', '--server-side', '-f', await manifest('still', pausedPool(1)));
        const [same, changed] = [await diff(pausedPool(1)), await diff(pausedPool(2))];
        await as('alice', 'delete', 'nodepool', 'still');

        expect(same).toMatchObject({ code: 0, stdout: '' });
        expect(changed).toMatchObject({ code: 1, stdout: expect.stringMatching(/-\s+replicas: 1\n\+\s+replicas: 2/) });
      });

      test('watches each step as it happens', async () => {
        const client = await cluster.clientOfAlice();
        const abort = new AbortController();
        const { metadata } = await client.resource(nodePools).list({ namespace: RED });
        const events = client.resource(nodePools).watch({
          namespace: RED,
          resourceVersion: metadata.resourceVersion ?? '',
          signal: abort.signal,
        });
        await as('alice', 'label', 'nodepool', 'general', 'seen=yes');
        let seen: string | undefined;
        for await (const { type, object } of events) {
          if (object.metadata.labels?.['seen'] !== 'yes') continue;
          seen = type;
          break;
        }
        expect(seen).toBe('MODIFIED');
        abort.abort();
        client.close();
      });
    });

    describe('clusters/kubeconfig', () => {
      test('gives access to the cluster with fairway kubeconfig, and records it in an Event', async () => {
        const issued = await run('npx', ['fairway', 'kubeconfig', 'demo'], { KUBECONFIG: cluster.kubeconfig('alice') });
        await writeFile(join(cluster.folder, 'demo.kubeconfig'), issued.stdout);
        const nodes = await run(kubectl?.path ?? '', [
          '--kubeconfig',
          join(cluster.folder, 'demo.kubeconfig'),
          'get',
          'nodes',
          '-o',
          'name',
        ]);

        expect(issued).toMatchObject({ code: 0 });
        expect(nodes.stdout.trim().split('\n')).toHaveLength(1);
        const selector = { namespace: RED, fieldSelector: 'involvedObject.name=demo,reason=KubeconfigIssued' };
        const [event] = await eventually(cluster.admin.resource(Events), selector, (events) => events.length > 0);
        expect(event?.message).toMatch(/^alice was issued a kubeconfig that expires at /);
      });

      test('is refused without permission, like any other subresource', async () => {
        const { code, stderr } = await run('npx', ['fairway', 'kubeconfig', 'demo', '-n', RED], {
          KUBECONFIG: cluster.kubeconfig('robot'),
        });

        expect(code).not.toBe(0);
        expect(stderr).toContain('cannot create resource "clusters/kubeconfig"');
      });
    });

    describe('direct requests to kube-apiserver', () => {
      const refusals: readonly { what: string; objects: readonly object[] }[] = [
        { what: 'a plan that is not offered', objects: [aCluster('bad', { plan: 'gold' })] },
        { what: 'a version that is not offered', objects: [aCluster('bad', { version: '1.12' })] },
        { what: 'a flavor that the cloud does not have', objects: [aPool('bad', { flavor: 'b3-9' })] },
        { what: 'several mistakes', objects: [aPool('bad', { flavor: 'b3-9', availabilityZones: ['nova-z'] })] },
      ];

      test.each(refusals)('refuses $what, with the message of the embedded engine', async ({ objects }) => {
        const file = await manifest('bad', ...objects);
        const direct = await as('admin', 'create', '-n', RED, '-f', file);
        const through = await as('alice', 'create', '-f', file);
        const dryRun = await as('admin', 'create', '-n', RED, '--dry-run=server', '-f', file);
        const embedded = await run(kubectl?.path ?? '', ['--kubeconfig', standalone.kubeconfig, 'create', '-f', file]);

        expect(embedded.code).toBe(1);
        const refusal = embedded.stderr;
        expect([direct, through, dryRun].map(withoutPrefix)).toEqual([refusal, refusal, refusal]);
      });

      test('refuses more nodes than the plan allows through scale', async () => {
        await as('admin', 'create', '-n', RED, '-f', await manifest('large', paused(aPool('large', { replicas: 60 }))));
        const scale = (replicas: number) =>
          as('admin', 'scale', '-n', RED, 'nodepool/general', `--replicas=${replicas}`);
        const refused = await scale(50);
        await as('admin', 'delete', '-n', RED, 'nodepool', 'large');

        expect(refused).toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/spec\.replicas: .*must be at most 40/),
        });
        expect(await scale(2)).toMatchObject({ code: 0 });
      });

      test('returns warnings as warnings', async () => {
        const file = await manifest('early', aPool('early', { clusterName: 'later' }));
        const { code, stderr } = await as('admin', 'create', '-n', RED, '--dry-run=server', '-f', file);

        expect(code).toBe(0);
        expect(stderr).toContain('Warning: spec.clusterName: the namespace has no cluster "later" yet');
      });

      test('refuses a one-time annotation with a mistyped year', async () => {
        const annotatePool = (time: string) =>
          as('admin', 'annotate', '-n', RED, 'nodepool/general', '--overwrite', `fairway.dev/retry-requested=${time}`);

        expect(await annotatePool('2162-01-01T00:00:00Z')).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('is more than a day in the future'),
        });
        expect(await annotatePool('2026-01-01T00:00:00Z')).toMatchObject({ code: 0, stderr: '' });
        expect(await as('admin', 'label', '-n', RED, 'nodepool/general', 'seen=yes')).toMatchObject({ code: 0 });
      });

      test('refuses a change to an immutable field', async () => {
        const change = [
          'patch',
          '-n',
          RED,
          'nodepool',
          'general',
          '--type=merge',
          '-p',
          '{"spec":{"antiAffinity":true}}',
        ];

        expect(await as('admin', ...change)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('antiAffinity'),
        });
      });

      test('refuses to remove a finalizer for a user, in any way', async () => {
        const alice = await cluster.clientOfAlice();
        const held = (object: { readonly metadata: object }) => {
          const { metadata, ...rest } = paused(object);
          return {
            ...rest,
            metadata: { ...metadata, namespace: RED, finalizers: [FINALIZER] },
          } as unknown as KubeObject;
        };
        const kinds: readonly ResourceType[] = [nodePools, clusters];
        await alice.resource<KubeObject>(clusters).create(held(aCluster('held')));
        await alice.resource<KubeObject>(nodePools).create(held(aPool('held', { clusterName: 'held' })));
        const remaining: unknown[] = [];
        // An older API server does not report which user Fairway is, and an administrator may be that same user.
        for (const thief of binaries.minor < 28 ? [alice] : [alice, cluster.admin]) {
          for (const attempt of ATTEMPTS) {
            for (const kind of kinds) {
              const target = await cluster.admin.resource(kind).get('held', { namespace: RED });
              await attack(thief, attempt, target, kind.plural);
              const { metadata } = await cluster.admin.resource(kind).get('held', { namespace: RED });
              const isHeld = metadata.uid === target.metadata.uid && metadata.finalizers?.includes(FINALIZER);
              if (!isHeld) remaining.push([attempt.description, kind.plural, metadata]);
            }
          }
        }
        expect(remaining).toEqual([]);

        const value = { metadata: { annotations: { 'fairway.dev/paused': null }, finalizers: [FINALIZER] } };
        for (const kind of kinds)
          await alice.resource(kind).patch('held', { type: 'merge', value }, { namespace: RED });
        await eventually(
          alice.resource(clusters),
          { namespace: RED },
          (found) => !found.some(({ metadata }) => metadata.name === 'held'),
        );
        alice.close();
      });

      test('refuses to remove a finalizer that belongs to Fairway', async () => {
        const change = [
          'patch',
          '-n',
          RED,
          'cluster',
          'demo',
          '--type=merge',
          '-p',
          '{"metadata":{"finalizers":null}}',
        ];

        // Before 1.28 Fairway cannot find out whether it is itself the administrator.
        const others = binaries.minor < 28 ? (['alice'] as const) : (['admin', 'alice'] as const);
        for (const who of others) {
          expect(await as(who, ...change)).toMatchObject({
            code: 1,
            stderr: expect.stringContaining('metadata.finalizers: Forbidden: fairway.dev/cloud-resources must stay'),
          });
        }
      });
    });

    describe('the gateway across restarts', () => {
      let client: KubeClient;
      beforeAll(async () => {
        client = await cluster.clientOfAlice();
      });
      afterAll(() => client?.close());

      const seen = (round: string, meanwhile: () => Promise<void>) =>
        poolsLabelled(client, { namespace: RED, round }, meanwhile);
      const setLabel = async (label: string) => {
        const value = { metadata: { labels: { round: label } } };
        await cluster.admin.resource(nodePools).patch('general', { type: 'merge', value }, { namespace: RED });
      };

      test('loses no watch events during a restart of Fairway', async () => {
        const changed = await seen('one', async () => {
          await cluster.stopGateway();
          // A label does not change the spec, so since 1.28 the webhook is not called for it.
          if (binaries.minor >= 28) await setLabel('one');
          await cluster.startGateway();
          if (binaries.minor < 28) await setLabel('one');
        });

        expect(changed).toEqual(['general']);
      });

      test('continues after a restart of the API server, and reports the outage while it lasts', async () => {
        const changed = await seen('two', async () => {
          await cluster.plane.restartApiServer(async () => {
            const refused: CommandResult = await as(
              'alice',
              'get',
              '--raw',
              '/apis/fairway.dev/v1alpha1/namespaces/red/clusters',
            );
            expect(refused.code).toBe(1);
            expect(refused.stderr).toMatch(/unable to handle the request|does not respond/);
          });
          await setLabel('two');
        });
        expect(changed).toEqual(['general']);
        expect((await as('robot', 'get', 'clusters')).code).toBe(0);
      });

      test('deletes a cluster completely', async () => {
        const { code } = await as('alice', 'delete', 'cluster', 'demo', '--timeout=5m');

        expect(code).toBe(0);
        await eventually(cluster.admin.resource(nodePools), { namespace: RED }, (remaining) => remaining.length === 0);
      });
    });
  },
);

function withoutPrefix({ stderr }: CommandResult): string {
  return stderr.replace(DENIED, '');
}
