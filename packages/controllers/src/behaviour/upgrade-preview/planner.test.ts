import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { silentLogger } from '@fairway/base/log';
import type { Transport, TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import { PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT_ADMIN } from '../../testing/test-control-planes.ts';
import { TEAM, TestFairway } from '../../testing/test-fairway.ts';
import { upgradePlanner } from '../../upgrade-preview/planner.ts';

/** The nodes of these clusters run 1.34: not too old for either version. */
const [FROM, TO] = ['1.36', '1.37'] as const;
const NAMESPACE = 'kube-system';

let fairway: TestFairway;
let cluster: Cluster;
/** The requests to the tenant's API server. */
const tenantRequests: TransportRequest[] = [];
/** What the API server does before it responds; nothing by default. */
let onRequest: (request: TransportRequest) => Promise<void>;
/** The API server's response; the simulated server's by default. */
let respond: () => TransportResponse | undefined = () => undefined;
let open = 0;

async function connect(of: Cluster): Promise<Transport> {
  const transport = fairway.runtime.server(identityOf(of)).transport(TENANT_ADMIN);
  open++;
  return {
    async request(request) {
      tenantRequests.push(request);
      await onRequest(request);
      return respond() ?? transport.request(request);
    },
    close() {
      open--;
      transport.close();
    },
  };
}

function planner() {
  onRequest = async () => {};
  tenantRequests.length = 0;
  const { controllers, project } = fairway.process;
  return upgradePlanner({
    cache: controllers.cache,
    projects: { forNamespace: () => project, forgetCredential() {} },
    connect,
    runtime: fairway.runtime,
    clock: fairway.clock,
    log: silentLogger,
  });
}

beforeAll(async () => {
  fairway = await TestFairway.start();
  for (const minor of [FROM, TO]) {
    await fairway.client
      .resource(kubernetesReleases)
      .delete(minor)
      .catch(() => {});
    await fairway.create(kubernetesReleases, aRelease(minor));
  }
  const pool = { replicas: 2, upgradeStrategy: { type: 'InPlace' } } as const;
  cluster = await fairway.readyCluster(pool, { version: FROM });
  const [first] = await fairway.machines();
  const tenant = fairway.runtime.client(identityOf(cluster));
  const requests = { cpu: '1500m' };
  for (const { metadata } of await fairway.machines()) {
    await tenant.resource(Pods).create({
      metadata: { name: `on-${metadata.name}`, namespace: NAMESPACE, labels: { app: 'db' } },
      spec: {
        nodeName: metadata.name ?? '',
        containers: [{ name: 'main', image: 'db', resources: { requests } }],
        ...(metadata.name === first?.metadata.name && { nodeSelector: { 'kubernetes.io/hostname': 'nowhere' } }),
      },
    });
  }
  await tenant.resource(PodDisruptionBudgets).create({
    metadata: { name: 'db', namespace: NAMESPACE },
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'db' } } },
  });
});
afterAll(async () => {
  await fairway[Symbol.asyncDispose]();
});

describe('the preview of an upgrade', () => {
  test('contains findings from the cluster, and changes nothing', async () => {
    const before = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
    const { to, steps, quotas, findings } = await planner()(before, undefined);

    expect(to).toBe('1.37.2');
    expect(steps.map(({ type, nodes }) => [type, nodes])).toEqual([
      ['ControlPlane', undefined],
      ['NodePool', 2],
    ]);
    expect(quotas).toEqual([]);
    expect(findings.map(({ type, effect, objects }) => [effect, type, objects?.length])).toEqual([
      ['Loses', 'UnmanagedPods', 2],
      ['Loses', 'PodsUnschedulable', 2],
      // This API server serves no metrics.
      ['Unknown', 'RemovedAPIs', undefined],
    ]);
    const after = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(tenantRequests.every(({ method }) => method === 'GET')).toBe(true);
    expect(tenantRequests.length).toBeLessThanOrEqual(10);
    expect(open).toBe(0);
  });

  test('makes no requests if the version is not offered', async () => {
    const { findings } = await planner()(cluster, '1.39');

    expect(findings).toMatchObject([{ effect: 'Blocks', type: 'VersionNotOffered' }]);
    expect(tenantRequests).toEqual([]);
  });

  test('reports what could not be checked, and contains the rest', async () => {
    const plan = planner();
    onRequest = () => Promise.reject(new Error('connection refused'));
    const { steps, findings } = await plan(cluster, undefined);

    expect(steps).toHaveLength(2);
    expect(findings).toMatchObject([{ effect: 'Unknown', message: expect.stringContaining('connection refused') }]);
    expect(open).toBe(0);
  });

  test('waits at most twenty seconds for an unresponsive API server', async () => {
    const plan = planner();
    onRequest = ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const { findings } = await plan(cluster, undefined);

    expect(findings).toMatchObject([{ effect: 'Unknown', message: expect.stringContaining('longer than 20 s') }]);
  });

  test('is computed without pods if the cluster’s objects are too large', async () => {
    const plan = planner();
    const largeResponse = JSON.stringify({ metadata: {}, items: [], padding: 'x'.repeat(64 * 2 ** 20 - 100) });
    respond = () => ({ status: 200, headers: {}, text: async () => largeResponse, lines: async function* () {} });
    const { findings } = await plan(cluster, undefined).finally(() => {
      respond = () => undefined;
    });

    expect(findings).toContainEqual({
      type: 'TooManyObjects',
      effect: 'Unknown',
      message: expect.stringContaining('its objects exceed 320 MiB'),
    });
  });

  test('runs once at a time for a cluster, and for at most four clusters, two of them per project', async () => {
    const plan = planner();
    const held = Promise.withResolvers<void>();
    onRequest = () => held.promise;
    const like = (uid: string, namespace: string = TEAM) =>
      plan({ ...cluster, metadata: { ...cluster.metadata, uid, namespace } }, undefined);
    const first = plan(cluster, undefined);

    await expect(plan(cluster, '1.37')).rejects.toMatchObject({
      code: 429,
      message: expect.stringContaining('already'),
    });
    const second = like('b');
    await expect(like('c')).rejects.toMatchObject({ code: 429, retryAfterSeconds: 2 });
    const others = [second, like('c', 'blue'), like('d', 'blue')].map((each) => each.catch(() => undefined));
    await expect(like('e', 'green')).rejects.toMatchObject({ code: 429, retryAfterSeconds: 2 });
    held.resolve();
    await Promise.all([first, ...others]);
    expect((await plan(cluster, undefined)).to).toBe('1.37.2');
  });
});
