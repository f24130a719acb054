import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { ConfigMap, Node } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Nodes } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_KEY, missingForSwift, SECRET_KEY, SwiftServer } from './off-host/swift-server.ts';
import { testReleases } from './process-runtime/releases.ts';
import { type CommandResult, RunningFairway, run } from './session/running-fairway.ts';

const { offered } = await testReleases();
const isMissing = offered === undefined || !offered.hasRestoreTool;
const releaseTitle = isMissing
  ? '(skipped: no binaries of 1.31 or later with etcdutl are found)'
  : `with Kubernetes ${offered.described}`;
const LONG_WAIT = { deadlineMs: 300_000 };
const inDefault = { namespace: 'default' };

/** A tenant restores objects that were deleted by mistake, with a Fairway that is killed during the restore. */
describe.skipIf(isMissing)(`restore of a cluster from a snapshot ${releaseTitle}`, () => {
  let parent: string;
  let home: string;
  let fairway: RunningFairway;
  let tenant: KubeClient;
  let snapshot: string;
  let swift: SwiftServer | undefined;

  const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  const up = () => {
    const offHost = swift === undefined ? [] : ['--off-host', join(parent, 'off-host.yaml')];
    return RunningFairway.start(home, '--listen', '127.0.0.1:0', '--control-plane', 'process', ...offHost);
  };
  const connect = async (kubeconfig: CommandResult['stdout'] | undefined, path = join(parent, 'tenant.kubeconfig')) => {
    if (kubeconfig !== undefined) await writeFile(path, kubeconfig);
    const { transport } = await loadKubeConnection({ path });
    return new KubeClient(new HttpsTransport(transport));
  };
  const names = async () => {
    const { items } = await tenant.resource<ConfigMap>(ConfigMaps).list({ ...inDefault, labelSelector: 'team=a' });
    return items.map(({ metadata }) => metadata.name);
  };
  const write = (name: string) =>
    tenant.resource<ConfigMap>(ConfigMaps).create({ metadata: { name, ...inDefault, labels: { team: 'a' } } });

  /** Resolves when the store lists the copy. */
  const isCopied = async (line: string) => {
    const deadlineMs = Date.now() + LONG_WAIT.deadlineMs;
    for (;;) {
      const { stdout } = await cli('recover', '--list', '--off-host', join(parent, 'off-host.yaml'));
      if (stdout.includes(line)) return;
      if (Date.now() > deadlineMs) throw new Error(`the store lacks ${line}: ${stdout}`);
    }
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-restore-'));
    home = join(parent, 'home');
    if (missingForSwift.length === 0) swift = await startStore(parent);
    fairway = await up();
  });
  afterAll(async () => {
    tenant?.close();
    await fairway?.stop();
    await swift?.[Symbol.asyncDispose]();
    await rm(parent, { recursive: true, force: true });
  });

  test('takes a snapshot on request, and lists it', async () => {
    expect(await cli('cluster', 'create', 'demo', '--flavor', 'b3-8', '--nodes', '1')).toMatchObject({ code: 0 });
    tenant = await connect((await cli('kubeconfig', 'demo')).stdout);
    await write('kept');

    expect(await cli('cluster', 'snapshot', 'demo')).toMatchObject({ code: 0 });

    snapshot = (await cli('cluster', 'snapshots', 'demo', '--output', 'name')).stdout.split('\n')[0] ?? '';
    expect(snapshot).toMatch(/^\d{8}-\d{6}-\d{3}$/);
    expect((await cli('cluster', 'snapshots', 'demo')).stdout).toContain(snapshot);
  });

  test('refuses a missing snapshot immediately', async () => {
    const refused = await cli('cluster', 'restore', 'demo', '20200101-000000-000', '--yes');

    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('fairway cluster snapshots demo') });
  });

  test('restores the objects, even if Fairway is killed partway through', async () => {
    await tenant.resource<ConfigMap>(ConfigMaps).delete('kept', inDefault);
    await write('later');

    expect(await cli('cluster', 'restore', 'demo', snapshot, '--yes', '--no-wait')).toMatchObject({ code: 0 });
    await fairway.kill();
    fairway = await up();
    const fairwayApi = await connect(undefined, fairway.kubeconfig);
    const isRestored = ({ status }: Cluster) => {
      expect(status?.etcd?.lastRestore).toMatchObject({ snapshot });
      expect(status?.lastOperation).toMatchObject({ type: 'Restore', state: 'Succeeded' });
      expect(status?.phase).toBe('Ready');
      return true;
    };
    await eventuallyObject(
      fairwayApi.resource(clusters),
      { namespace: fairway.namespace, name: 'demo' },
      isRestored,
      LONG_WAIT,
    );
    fairwayApi.close();

    expect(await names()).toEqual(['kept']);
    const list = (await cli('cluster', 'snapshots', 'demo', '--output', 'name')).stdout;
    expect(list).toMatch(/-before-restore-/);
  });

  test('makes the nodes Ready again, and can be repeated', async () => {
    const isReady = (nodes: readonly Node[]) =>
      nodes.length === 1 &&
      nodes.every(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
    await eventually(tenant.resource<Node>(Nodes), {}, isReady, LONG_WAIT);
    const before = (await cli('cluster', 'snapshots', 'demo', '--output', 'name')).stdout.match(/.*-before-.*/)?.[0];

    const restored = await cli('cluster', 'restore', 'demo', before ?? '', '--yes');

    expect(restored).toMatchObject({ code: 0 });
    expect(await names()).toEqual(['later']);
  });

  const skipReason = missingForSwift.length === 0 ? '' : ` (skipped: there is no ${missingForSwift.join(', no ')})`;
  test.skipIf(skipReason !== '')(`uses the copy of a snapshot whose file is lost${skipReason}`, async () => {
    const fairwayApi = await connect(undefined, fairway.kubeconfig);
    const { metadata } = await fairwayApi.resource(clusters).get('demo', { namespace: fairway.namespace });
    fairwayApi.close();
    await isCopied(`snapshot ${metadata.uid} ${snapshot}\n`);
    await rename(join(home, 'snapshots', metadata.uid ?? ''), join(parent, 'lost'));

    expect(await cli('cluster', 'restore', 'demo', snapshot, '--yes')).toMatchObject({ code: 0 });

    expect(await names()).toEqual(['kept']);
  });
});

/** An object store, and the settings for it in `off-host.yaml`. */
async function startStore(folder: string): Promise<SwiftServer> {
  const swift = await SwiftServer.start();
  await swift.makeBucket('fairway');
  const files = {
    passphrase: 'correct horse battery staple\n',
    'credentials.yaml': `accessKeyId: ${ACCESS_KEY}\nsecretAccessKey: ${SECRET_KEY}\n`,
    'off-host.yaml': `s3:
  endpoint: ${swift.endpoint}
  bucket: fairway
  credentialsFile: credentials.yaml
passphraseFile: passphrase
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  return swift;
}
