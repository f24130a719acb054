import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { freePorts } from '@fairway/base/testing/free-ports';
import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Namespaces, Nodes, Secrets } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Environment, startEnvironment } from './backup/movable-fairway.ts';
import { ACCESS_KEY, missingForSwift, SECRET_KEY, SwiftServer } from './off-host/swift-server.ts';
import { processesIn } from './process-runtime/local-processes.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered } = await testReleases();
const missing = [
  ...(offered === undefined ? ['binaries of 1.31 or later'] : []),
  ...(offered && !offered.hasRestoreTool ? ['etcdutl'] : []),
  ...missingForSwift,
];
const described = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', no ')})`;

const MAIN = resolve(import.meta.dirname, '../packages/cli/src/main.ts');
const LONG_WAIT = { deadlineMs: 240_000 };
const TENANTS = [
  { namespace: 'default', name: 'demo', replicas: 2 },
  { namespace: 'team', name: 'second', replicas: 1 },
] as const;

/** The steps of docs/operators/disaster.md, typed as written there. */
describe.skipIf(missing.length > 0)(`recovery from the loss of a machine${described}`, () => {
  const stack = new AsyncDisposableStack();
  let place: Environment;
  let port: number;
  let env: NodeJS.ProcessEnv;
  let running: ChildProcess | undefined;
  const clients: KubeClient[] = [];

  beforeAll(async () => {
    place = stack.use(await startEnvironment());
    const swift = stack.use(await SwiftServer.start());
    await swift.makeBucket('fairway');
    [port = 0] = await freePorts(1);
    env = { ...process.env, KUBEBUILDER_ASSETS: offered?.folder, FAIRWAY_BACKUP_PASSPHRASE: '' };
    stack.defer(() => {
      for (const client of clients) client.close();
    });
    const write = (name: string, text: string) => writeFileSync(join(place.folder, name), text, { mode: 0o600 });
    write('passphrase', 'correct horse battery staple\n');
    write('credentials.yaml', `accessKeyId: ${ACCESS_KEY}\nsecretAccessKey: ${SECRET_KEY}\n`);
    write(
      'off-host.yaml',
      `s3:
  endpoint: ${swift.endpoint}
  bucket: fairway
  credentialsFile: credentials.yaml
passphraseFile: passphrase
`,
    );
  });
  afterAll(async () => {
    for (const home of ['lost', 'new']) killProcesses(home);
    await stack.disposeAsync();
  });

  async function fairway(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { cwd: place.folder, env });
    return stdout;
  }

  /** Starts Fairway; resolves when it serves requests. */
  async function startFairway(home: string): Promise<KubeClient> {
    const flags = ['--home', home, '--listen', `127.0.0.1:${port}`, '--cloud', 'simulator'];
    const offHostFlags = [
      '--control-plane',
      'process',
      '--off-host',
      'off-host.yaml',
      '--backup-schedule',
      '* * * * *',
    ];
    const child = spawn(process.execPath, [MAIN, 'up', ...flags, ...offHostFlags], {
      cwd: place.folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    await new Promise<void>((ready, failed) => {
      child.stdout.once('data', () => ready());
      child.once('exit', (code) => failed(new Error(`fairway up ended with ${code}`)));
    });
    return clientOf(join(place.folder, home, 'kubeconfig'));
  }

  async function clientOf(kubeconfig: string): Promise<KubeClient> {
    const { transport } = await loadKubeConnection({ path: kubeconfig });
    const client = new KubeClient(new HttpsTransport(transport));
    clients.push(client);
    return client;
  }

  async function tenant(home: string, { namespace, name }: (typeof TENANTS)[number]): Promise<KubeClient> {
    const kubeconfig = join(place.folder, home, 'kubeconfig');
    const path = join(place.folder, `${home}-${name}.kubeconfig`);
    writeFileSync(path, await fairway('kubeconfig', name, '-n', namespace, '--kubeconfig', kubeconfig));
    return clientOf(path);
  }

  /** Simulates a power failure: kills Fairway and everything that runs in its home. */
  function killProcesses(home: string): void {
    running?.kill('SIGKILL');
    for (const pid of processesIn(join(place.folder, home))) process.kill(pid, 'SIGKILL');
  }

  async function allReady(client: KubeClient): Promise<readonly Machine[]> {
    const isReady = ({ status, metadata }: Cluster | Machine) =>
      status?.observedGeneration === metadata.generation &&
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
    await eventually(client.resource(clusters), {}, (all) => all.length === 2 && all.every(isReady), LONG_WAIT);
    return eventually(client.resource(machines), {}, (all) => all.length === 3 && all.every(isReady), LONG_WAIT);
  }

  test('restores tenants and their databases on an empty machine', async () => {
    const api = await startFairway('lost');
    const annotations = { 'fairway.dev/cloud': 'simulator' };
    await api.resource(Namespaces).create({ metadata: { name: 'team', annotations }, spec: {} });
    for (const { namespace, name, replicas } of TENANTS) {
      const metadata = { name, namespace };
      const cluster = { apiVersion: API_VERSION, kind: clusters.kind, metadata, spec: {} };
      const spec = { clusterName: name, flavor: 'b3-8', replicas };
      const pool = { apiVersion: API_VERSION, kind: nodePools.kind, metadata, spec };
      await api.resource(clusters).create(cluster as Cluster);
      await api.resource(nodePools).create(pool as unknown as NodePool);
    }
    const machinesBefore = await allReady(api);
    for (const each of TENANTS) {
      const client = await tenant('lost', each);
      await client.resource(Secrets).create({
        metadata: { name: 'treasure', namespace: 'default' },
        data: { of: Buffer.from(each.name).toString('base64') },
      });
      const kubeconfig = join(place.folder, 'lost/kubeconfig');
      await fairway('cluster', 'snapshot', each.name, '-n', each.namespace, '--kubeconfig', kubeconfig);
    }
    const stored = await storedSnapshots();
    await backupAfter(Date.now());
    const cloudBefore = resourceCounts(place.cloud);

    const lostAtMs = Date.now();
    killProcesses('lost');
    rmSync(join(place.folder, 'lost'), { recursive: true, force: true });
    mkdirSync(join(place.folder, 'new'), { mode: 0o700 });

    const recovered = await fairway('recover', '--off-host', 'off-host.yaml', '--home', 'new');
    const apiAfter = await startFairway('new');
    const restoring = ['--off-host', 'off-host.yaml', '--source-stopped', '--kubeconfig', 'new/kubeconfig'];
    await fairway('restore', 'off-host:latest', ...restoring);
    const machinesAfter = await allReady(apiAfter);
    const values: string[] = [];
    for (const each of TENANTS) {
      const client = await tenant('new', each);
      const isUp = (all: readonly Node[]) =>
        all.length === each.replicas &&
        all.every(({ status }) =>
          status?.conditions?.some((known) => known.type === 'Ready' && known.status === 'True'),
        );
      await eventually(client.resource(Nodes), {}, isUp, LONG_WAIT);
      const secret = await client.resource(Secrets).get('treasure', { namespace: 'default' });
      values.push(Buffer.from(secret.data?.['of'] ?? '', 'base64').toString());
    }
    const rtoSeconds = (Date.now() - lostAtMs) / 1000;
    const rpoSeconds = (lostAtMs - Math.min(...stored)) / 1000;
    process.stderr.write(`drill: back after ${rtoSeconds.toFixed(1)} s, data ${rpoSeconds.toFixed(1)} s old\n`);

    expect(recovered.match(/ was taken at /g)?.length).toBe(2);
    expect(values).toEqual(['demo', 'second']);
    expect(serversOf(machinesAfter)).toEqual(serversOf(machinesBefore));
    expect(resourceCounts(place.cloud)).toEqual(cloudBefore);
    expect(readFileSync(join(place.folder, 'new/control-plane'), 'utf8').trim()).toBe('process');
  });

  /** Resolves once a scheduled backup has started after this time. */
  async function backupAfter(timeMs: number): Promise<void> {
    const deadlineMs = timeMs + 300_000;
    for (;;) {
      const lines = (await fairway('recover', '--list', '--off-host', 'off-host.yaml')).split('\n');
      const names = lines.filter((line) => line.startsWith('backup ')).map((line) => line.split(/ +/)[1] ?? '');
      if (names.some((name) => timeOf(name) >= timeMs)) return;
      if (Date.now() > deadlineMs) throw new Error(`there is no new backup: ${names.join(', ')}`);
    }
  }

  /** When the newest off-machine snapshot of each cluster was taken; waits for both clusters. */
  async function storedSnapshots(): Promise<readonly number[]> {
    const deadlineMs = Date.now() + 300_000;
    for (;;) {
      const lines = (await fairway('recover', '--list', '--off-host', 'off-host.yaml')).split('\n');
      const found = lines.filter((line) => line.startsWith('snapshot ')).map((line) => line.split(' '));
      const byCluster = Map.groupBy(found, ([, uid]) => uid);
      // The first snapshot is taken as soon as a cluster serves requests; only the requested one counts.
      if (byCluster.size === 2 && [...byCluster.values()].every((all) => all.length >= 2)) {
        return [...byCluster.values()].map((all) => Math.max(...all.map(([, , name = '']) => timeOf(name))));
      }
      if (Date.now() > deadlineMs) throw new Error(`the snapshots are not off the machine: ${lines.join('; ')}`);
    }
  }
});

function serversOf(all: readonly Machine[]): readonly string[] {
  return all.map(({ status }) => status?.serverID ?? '').sort();
}

function timeOf(name: string): number {
  const [, y, mo, d, h, mi, s] = /(\d{4})(\d{2})(\d{2})[-T](\d{2})(\d{2})(\d{2})/.exec(name) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
}
