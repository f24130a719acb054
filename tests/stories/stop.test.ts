import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { Informer } from '@fairway/kube/client/informer';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { eventually } from '@fairway/kube/testing/eventually';
import { Home } from '@fairway/service/up/home';
import { up } from '@fairway/service/up/up';
import { expect, test } from 'vitest';
import { upCommand } from '../session/up-command.ts';

/** A stop takes a tenth of a second. Waiting until a watch or a node ends on its own takes a minute. */
const TIMEOUT_MS = 50_000;

test('a Fairway with running nodes and watches stops without waiting for them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fairway-stop-'));
  const home = new Home(folder);
  const fairway = await up(upCommand(home));
  const { transport } = await loadKubeConnection({ path: home.kubeconfig });
  const client = new KubeClient(new HttpsTransport(transport));
  const metadata = { namespace: 'default' };
  await client.resource(clusters).create(aCluster({}, metadata));
  await client.resource(nodePools).create(aNodePool({ replicas: 2 }, metadata));
  await eventually(client.resource(nodePools), {}, ([pool]) => pool?.status?.readyReplicas === 2);
  const watching = new AbortController();
  const informer = new Informer(client.resource(clusters), {});
  informer.start(watching.signal);
  await informer.whenSynced();

  const startMs = performance.now();
  await fairway.stop();
  const stopMs = performance.now() - startMs;
  watching.abort();
  await informer.stopped;
  client.close();
  await rm(folder, { recursive: true });

  process.stdout.write(`stopped within ${stopMs.toFixed(0)} ms\n`);
  expect(stopMs).toBeLessThan(TIMEOUT_MS);
});
