import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import { Home } from '@fairway/service/up/home';
import { type SimulatedCloud, startSimulatedCloud } from '@fairway/service/up/simulated-cloud';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from './management/management-cluster.ts';
import { RunningReplica } from './management-gateway/running-replica.ts';
import { run } from './session/running-fairway.ts';
import { findCoeClient, findKubectls } from './session/tools.ts';

const client = findCoeClient();
const [kubectl] = findKubectls();
const [binaries] = findBinaries();
const missing =
  client === undefined
    ? ' (skipped: there is no /usr/bin/openstack with python3-magnumclient)'
    : binaries === undefined || kubectl === undefined
      ? ' (skipped: there is no kubectl, or no kube-apiserver at hand)'
      : ` ${binaries.version}`;
const isMissing = client === undefined || binaries === undefined || kubectl === undefined;
const POLL_OPTIONS = { interval: 1_000 };

/** Each case continues from the previous one. */
describe.skipIf(isMissing)(`Magnum's API on replicas in front of kube-apiserver${missing}`, () => {
  let management: ManagementCluster;
  let admin: KubeClient;
  let simulated: SimulatedCloud;
  let home: Home;
  const replicas: RunningReplica[] = [];
  /** The replica that Keystone's catalog points to. */
  let current: RunningReplica;

  beforeAll(async () => {
    if (binaries === undefined) return;
    management = await startManagementCluster(binaries);
    admin = management.adminClient();
    home = new Home(join(management.folder, 'cloud'));
    home.create();
    const cloudOptions = { home, clock: systemClock, random: Math.random, log: silentLogger, latency: 'none' } as const;
    simulated = await startSimulatedCloud(cloudOptions);
    simulated.startNodes();
    process.env['OS_CLIENT_CONFIG_FILE'] = home.cloudsYaml;
    await bind('fairway-keystone');
  });
  afterAll(async () => {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
    await simulated?.close();
    admin?.close();
    await management?.[Symbol.asyncDispose]();
  });

  const bind = (name: string) =>
    admin.resource(ClusterRoleBindings).create({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: 'fairway', namespace: 'fairway-system' }],
    });
  /** The replica's own login has no role in the tenant's project. */
  const start = async () => {
    const { controllers } = management.kubeconfigs;
    const folder = join(management.folder, 'home');
    const listen = ['--listen', '127.0.0.1:0', '--magnum-listen', '127.0.0.1:0'];
    const clouds = ['--cloud', 'simulator-other', '--keystone', 'simulator-service'];
    const started = await RunningReplica.start(controllers, folder, ...listen, ...clouds);
    replicas.push(started);
    return started;
  };
  const useReplica = (replica: RunningReplica) => {
    current = replica;
    const [, url = ''] = /^ {2}magnum +(\S+),/m.exec(replica.output) ?? [];
    simulated.cloud.announce({ type: 'container-infra', name: 'magnum', url });
  };
  const coe = (entry: string, ...args: readonly string[]) =>
    run(client ?? '', ['--os-cloud', entry, 'coe', ...args], {
      PATH: '/usr/bin:/bin',
      HOME: management.folder,
      SHELL: '/bin/sh',
      OS_CLIENT_CONFIG_FILE: home.cloudsYaml,
      OS_CACERT: join(current.home, 'gateway-ca.crt'),
    });
  const json = async <T = Record<string, unknown>>(entry: string, ...args: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await coe(entry, ...args, '-f', 'json');
    if (code !== 0) throw new Error(`openstack coe ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  const waitForStatus = (status: string) =>
    expect
      .poll(async () => (await json('simulator', 'cluster', 'show', 'Demo_1'))['status'], POLL_OPTIONS)
      .toBe(status);

  test('reports who must grant the permissions that a replica lacks', async () => {
    await expect(start()).rejects.toThrow(
      /for Magnum's API, Fairway lacks permission to list configmaps, .*kubectl create clusterrolebinding fairway-magnum/,
    );
    await bind('fairway-magnum');
  });

  test('lets one replica change what another created', async () => {
    useReplica(await start());
    const { flavor, template } = await offer();
    const args = ['--cluster-template', template, '--flavor', flavor, '--node-count', '1'];
    expect(await coe('simulator', 'cluster', 'create', 'Demo_1', ...args)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('accepted'),
    });
    await waitForStatus('CREATE_COMPLETE');

    useReplica(await start());
    expect(await json<{ name: string }[]>('simulator', 'cluster', 'list')).toMatchObject([
      { name: 'Demo_1', status: 'CREATE_COMPLETE', node_count: 1 },
    ]);
    expect((await coe('simulator', 'cluster', 'resize', 'Demo_1', '2')).code).toBe(0);
    await waitForStatus('UPDATE_COMPLETE');
    const shown = await json('simulator', 'cluster', 'show', 'Demo_1');
    expect(shown['node_addresses']).toHaveLength(2);
  });

  const offer = async () => {
    const templates = await json<{ name: string }[]>('simulator', 'cluster', 'template', 'list');
    return { flavor: 'b3-8', template: templates.map(({ name }) => name).find((name) => name.endsWith('-free')) ?? '' };
  };

  test('returns a cluster config that works with kubectl', async () => {
    const folder = join(management.folder, 'config');
    await mkdir(folder);
    expect((await coe('simulator', 'cluster', 'config', 'Demo_1', '--dir', folder)).code).toBe(0);

    const nodes = await run(kubectl?.path ?? '', [
      '--kubeconfig',
      join(folder, 'config'),
      'get',
      'nodes',
      '-o',
      'name',
    ]);
    expect(nodes.stdout.trim().split('\n')).toHaveLength(2);
  });

  test('gives other users no access to the cluster, and no permission that the management cluster does not grant', async () => {
    expect((await coe('simulator-other', 'cluster', 'show', 'Demo_1')).stderr).toContain('could not be found');
    expect((await coe('simulator-reader', 'cluster', 'resize', 'Demo_1', '3')).stderr).toMatch(
      /Policy doesn't allow cluster:resize to be performed/,
    );
    expect((await coe('simulator', 'quotas', 'list', '--all-tenants')).stderr).toMatch(/Policy doesn't allow/);
  });

  test('records the users and their addresses in the audit log', async () => {
    const written = (await readFile(join(current.home, 'audit.log'), 'utf8')).trim().split('\n');
    const events = written.map((line) => JSON.parse(line) as Record<string, unknown>);

    expect(events).toContainEqual(
      expect.objectContaining({
        verb: 'create',
        objectRef: expect.objectContaining({ resource: 'clusters' }),
        user: expect.objectContaining({ username: expect.stringMatching(/^keystone:/) }),
        sourceIPs: ['127.0.0.1'],
        userAgent: expect.stringContaining('fairway-magnum'),
      }),
    );
  });

  test('keeps serving when one replica is killed', async () => {
    await replicas[0]?.kill();

    // Polls until the other replica validates the API server's writes.
    await expect
      .poll(async () => (await coe('simulator', 'cluster', 'delete', 'Demo_1')).stdout, POLL_OPTIONS)
      .toContain('accepted');
    await expect.poll(() => json<unknown[]>('simulator', 'cluster', 'list'), POLL_OPTIONS).toEqual([]);
  });
});
