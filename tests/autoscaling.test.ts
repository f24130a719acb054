import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import type { Deployment, Event, Pod } from '@fairway/kube/kinds/generated/types';
import { Deployments, Events, Pods } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testReleases } from './process-runtime/releases.ts';
import { RunningFairway, run } from './session/running-fairway.ts';

const { offered } = await testReleases();
const PATIENCE = { deadlineMs: 90_000 };

describe('autoscaling on a simulated control plane', () => {
  autoscalingCases('simulated');
});
describe.skipIf(offered === undefined)(
  `autoscaling with Kubernetes ${offered?.version ?? '(skipped: no binaries of 1.31 or later are found)'}`,
  () => {
    autoscalingCases('process');
  },
);

/** With a scheduler that decides where pods run, and says when they run nowhere. */
function autoscalingCases(controlPlane: 'simulated' | 'process'): void {
  let folder: string;
  let fairway: RunningFairway;
  let own: KubeClient;
  let tenant: KubeClient;

  const clientOf = async (path: string) => {
    const { transport } = await loadKubeConnection({ path });
    return new KubeClient(new HttpsTransport(transport));
  };
  const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  const untilAll = <T extends KubeObject>(resource: ResourceClient<T>, check: (objects: readonly T[]) => unknown) =>
    eventually(resource, { namespace: 'default' }, check, PATIENCE);
  const untilSize = (replicas: number) =>
    untilAll(own.resource<NodePool>(nodePools), ([pool]) => pool?.status?.replicas === replicas);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-autoscaling-'));
    const home = join(folder, 'home');
    fairway = await RunningFairway.start(home, '--listen', '127.0.0.1:0', '--control-plane', controlPlane);
    own = await clientOf(fairway.kubeconfig);
    const created = await cli('cluster', 'create', 'demo', '--flavor', 'b3-8', '--nodes', '2');
    expect(created).toMatchObject({ code: 0 });
    const kubeconfig = join(folder, 'demo.kubeconfig');
    await writeFile(kubeconfig, (await cli('kubeconfig', 'demo')).stdout);
    tenant = await clientOf(kubeconfig);
  });
  afterAll(async () => {
    tenant?.close();
    own?.close();
    await fairway?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('empty nodes go, and come back with the pods that need them', async () => {
    const pools = own.resource<NodePool>(nodePools);
    const { items } = await pools.list({ namespace: 'default' });
    const autoscaling = { enabled: true, scaleDownUnneededTime: '1s' };
    const value = { spec: { autoscaling } };
    await pools.patch(items[0]?.metadata.name ?? '', { type: 'merge', value }, { namespace: 'default' });
    await untilSize(0);

    const resources = { requests: { cpu: '800m', memory: '256Mi' } };
    const labels = { app: 'web' };
    await tenant.resource<Deployment>(Deployments).create({
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx', resources }] } },
      },
    });
    await untilAll(
      tenant.resource<Pod>(Pods),
      (pods) => pods.filter(({ status }) => status?.phase === 'Running').length === 3,
    );

    await untilSize(2);
    const told = await tenant.resource<Event>(Events).list({ namespace: 'default' });
    expect(told.items.map(({ reason }) => reason)).toContain('TriggeredScaleUp');
  });
}
