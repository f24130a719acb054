import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { silentLogger } from '@fairway/base/log';
import type { Rate } from '@fairway/base/token-buckets';
import { TEAM, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { autoscalerServerTls, issueAutoscalerCertificate, loadAutoscalerAuthority } from '../certificates.ts';
import { type CallName, serviceDefinition } from '../protocol/service.ts';
import { type ExternalAutoscalerServer, serveExternalAutoscalers } from '../server.ts';

const DAY_MS = 86_400_000;
const CALLS = serviceDefinition();

let fairway: TestFairway;
let authority: CertificateAuthority;
let server: ExternalAutoscalerServer;
let demo: Client;
let other: Client;
const clients: Client[] = [];

async function startServer(rate?: Rate): Promise<ExternalAutoscalerServer> {
  const { clock, client } = fairway;
  const { cache, clouds } = fairway.process.controllers;
  return serveExternalAutoscalers({
    client,
    cache,
    clouds,
    clock,
    host: '127.0.0.1',
    port: 0,
    tls: await autoscalerServerTls(authority, [], clock),
    ...(rate && { rate }),
    registry: new Registry(),
    log: silentLogger,
  });
}

/** Creates a client with the certificate of this cluster. */
async function clientOf(name: string, signer = authority, at = server): Promise<Client> {
  const cluster = await fairway.client.resource(clusters).get(name, { namespace: TEAM });
  const issued = await issueAutoscalerCertificate(signer, { cluster, validityMs: 30 * DAY_MS }, fairway.clock);
  return connect(Buffer.from(issued.privateKeyPem), Buffer.from(issued.certificatePem), at);
}

function connect(key: Buffer | null, certificate: Buffer | null, at = server): Client {
  const tls = credentials.createSsl(Buffer.from(authority.certificatePem), key, certificate);
  const client = new Client(`127.0.0.1:${at.port}`, tls);
  clients.push(client);
  return client;
}

function call<T = object>(client: Client, name: CallName, request: object = {}): Promise<T> {
  const { path, requestSerialize, responseDeserialize } = CALLS[name];
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + 60_000;
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, { deadline }, (error, response) =>
      error ? reject(error) : resolve(response as T),
    );
  });
}

/** Returns the error from a call that fails. */
async function refusal(client: Client, name: CallName, request: object = {}): Promise<ServiceError> {
  return call(client, name, request).then(
    () => {
      throw new Error(`${name} succeeded`);
    },
    (error: ServiceError) => error,
  );
}

async function nodesOf(pool: string) {
  const { items } = await fairway.client.resource(machines).list({ namespace: TEAM });
  return items.filter(({ spec }) => spec.nodePoolName === pool);
}

async function target(id = 'general'): Promise<number> {
  return (await call<{ targetSize: number }>(demo, 'NodeGroupTargetSize', { id })).targetSize;
}

beforeAll(async () => {
  fairway = await TestFairway.start({ realTime: true });
  const autoscaling = { enabled: true, scaleDownUnneededTime: '90s' };
  const autoscaler = { mode: 'External' as const };
  await fairway.readyCluster(
    { replicas: 1, maxReplicas: 4, autoscaling, availabilityZones: ['nova-a'] },
    { autoscaler },
  );
  await fairway.createPool({ replicas: 0 }, 'fixed');
  await fairway.createCluster({ autoscaler }, 'other');
  await fairway.create(nodePools, {
    ...(await fairway.client.resource(nodePools).get('general', { namespace: TEAM })),
    metadata: { name: 'others', namespace: TEAM },
    spec: { clusterName: 'other', flavor: 'b3-8', replicas: 0, autoscaling } as never,
  });
  authority = await loadAutoscalerAuthority(fairway.client, fairway.clock);
  server = await startServer();
  demo = await clientOf('demo');
  other = await clientOf('other');
});
afterAll(async () => {
  for (const client of clients) client.close();
  server?.close();
  await fairway?.[Symbol.asyncDispose]();
});

describe('access control', () => {
  test('rejects clients without a certificate', async () => {
    expect(await refusal(connect(null, null), 'NodeGroups')).toMatchObject({ code: status.UNAVAILABLE });
  });

  test('rejects certificates from another authority', async () => {
    const { clock } = fairway;
    const foreignAuthority = await createCertificateAuthority({ commonName: 'stranger', clock, validityMs: DAY_MS });
    expect(await refusal(await clientOf('demo', foreignAuthority), 'NodeGroups')).toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  test('rejects messages that are too long', async () => {
    const id = 'x'.repeat(2 * 1024 * 1024);
    expect(await refusal(demo, 'NodeGroupTargetSize', { id })).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  test("shows only the autoscaled pools of the caller's cluster", async () => {
    const ids = async (client: Client) =>
      (await call<{ nodeGroups: { id: string }[] }>(client, 'NodeGroups')).nodeGroups.map(({ id }) => id);

    expect(await ids(demo)).toEqual(['general']);
    expect(await refusal(other, 'NodeGroupTargetSize', { id: 'general' })).toMatchObject({ code: status.NOT_FOUND });
    expect(await refusal(demo, 'NodeGroupIncreaseSize', { id: 'others', delta: 1 })).toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  test("ignores another cluster's nodes", async () => {
    const [machine] = await nodesOf('general');
    const node = { providerID: `openstack://RegionOne/${machine?.status?.serverID}`, name: machine?.metadata.name };
    const found = (client: Client) => call<{ nodeGroup: { id: string } }>(client, 'NodeGroupForNode', { node });

    expect((await found(demo)).nodeGroup.id).toBe('general');
    expect((await found(other)).nodeGroup.id).toBe('');
    expect(await refusal(other, 'NodeGroupDeleteNodes', { id: 'others', nodes: [node] })).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  test('rejects a flood of calls, which does not affect other clusters', async () => {
    const limitedServer = await startServer({ burst: 20, perMinute: 1 });
    const [floodingClient, quietClient] = [
      await clientOf('demo', authority, limitedServer),
      await clientOf('other', authority, limitedServer),
    ];
    const codes = await Promise.all(
      Array.from({ length: 100 }, () =>
        call(floodingClient, 'NodeGroups').then(
          () => status.OK,
          ({ code }) => code,
        ),
      ),
    );

    expect(codes.filter((code) => code === status.OK)).toHaveLength(20);
    expect(new Set(codes)).toEqual(new Set([status.OK, status.RESOURCE_EXHAUSTED]));
    await call(quietClient, 'NodeGroups');
    limitedServer.close();
  });
});

describe('a node group', () => {
  test('reports its size, its limits and the options of its pool', async () => {
    const { nodeGroups } = await call<{ nodeGroups: object[] }>(demo, 'NodeGroups');
    const { nodeGroupAutoscalingOptions } = await call<{ nodeGroupAutoscalingOptions: object }>(
      demo,
      'NodeGroupGetOptions',
      { id: 'general', defaults: { maxNodeProvisionDuration: { seconds: 600, nanos: 0 } } },
    );

    expect(nodeGroups).toMatchObject([{ id: 'general', minSize: 0, maxSize: 4 }]);
    expect(await target()).toBe(1);
    expect(nodeGroupAutoscalingOptions).toMatchObject({
      scaleDownUtilizationThreshold: 0.5,
      scaleDownUnneededTime: { duration: 90e9 },
      scaleDownUnneededDuration: { seconds: 90 },
      maxNodeProvisionTime: { duration: 600e9 },
    });
  });

  test('has the autoscaler wait for new nodes as long as the pool does', async () => {
    await fairway.patch(nodePools, 'general', { spec: { nodeStartupTimeout: '90m' } });
    await expect
      .poll(async () => {
        const response = await call<{ nodeGroupAutoscalingOptions: object }>(demo, 'NodeGroupGetOptions', {
          id: 'general',
          defaults: { maxNodeProvisionDuration: { seconds: 600, nanos: 0 } },
        });
        return response.nodeGroupAutoscalingOptions;
      })
      .toMatchObject({ maxNodeProvisionTime: { duration: 95 * 60e9 } });
    await fairway.patch(nodePools, 'general', { spec: { nodeStartupTimeout: null } });
  });

  test('has the limits that a schedule currently sets for its pool', async () => {
    const always = {
      name: 'always',
      start: '0 * * * *',
      end: '0 0 29 2 *',
      timeZone: 'UTC',
      minReplicas: 0,
      maxReplicas: 2,
    };
    const autoscaling = { enabled: true, schedules: [always] };
    await fairway.createPool({ replicas: 0, maxReplicas: 4, autoscaling }, 'timed');
    await fairway.until(nodePools, ([pool]) => pool?.status?.bounds?.schedule === 'always', 'timed');

    const { nodeGroups } = await call<{ nodeGroups: readonly { id: string }[] }>(demo, 'NodeGroups');

    expect(nodeGroups.find(({ id }) => id === 'timed')).toMatchObject({ minSize: 0, maxSize: 2 });
    expect(await refusal(demo, 'NodeGroupIncreaseSize', { id: 'timed', delta: 3 })).toMatchObject({
      details: expect.stringContaining('its maxReplicas is 2 by schedule always'),
    });
    await fairway.delete(nodePools, 'timed');
    await fairway.until(nodePools, (remaining) => remaining.every(({ metadata }) => metadata.name !== 'timed'));
  });

  test('returns a template of its nodes, in both formats of the protocol', async () => {
    const { nodeInfo, nodeBytes } = await call<{ nodeInfo: Buffer; nodeBytes: Buffer }>(
      demo,
      'NodeGroupTemplateNodeInfo',
      { id: 'general' },
    );

    expect(nodeInfo.equals(nodeBytes)).toBe(true);
    expect(nodeBytes.toString('latin1')).toContain('topology.kubernetes.io/zone');
  });

  test('is not resized by Fairway’s autoscaler', async () => {
    // Fairway's autoscaler has run once it reports on a cluster that it scales.
    await fairway.createCluster({}, 'managed');
    await fairway.createPool({ clusterName: 'managed', replicas: 0, autoscaling: { enabled: true } }, 'managed');
    await fairway.until(nodePools, ([each]) => each?.status?.autoscaling !== undefined, 'managed');
    const pool = await fairway.client.resource(nodePools).get('general', { namespace: TEAM });

    expect(pool.status?.autoscaling).toBeUndefined();
  });

  test('provides no prices', async () => {
    expect(await refusal(demo, 'PricingNodePrice')).toMatchObject({ code: status.UNIMPLEMENTED });
  });

  test('grows to its maximum, and removes exactly the specified nodes once', async () => {
    await call(demo, 'NodeGroupIncreaseSize', { id: 'general', delta: 2 });
    expect(await target()).toBe(3);
    expect(await refusal(demo, 'NodeGroupIncreaseSize', { id: 'general', delta: 2 })).toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringContaining('maxReplicas is 4'),
    });
    await fairway.until(clusters, ([each]) => each?.status?.nodes?.ready === 3, 'demo');
    expect(await refusal(demo, 'NodeGroupDecreaseTargetSize', { id: 'general', delta: -1 })).toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    const [first] = (await nodesOf('general')).toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''),
    );
    const name = first?.metadata.name ?? '';
    const nodes = [{ providerID: `openstack://RegionOne/${first?.status?.serverID}`, name }];
    await Promise.all([
      call(demo, 'NodeGroupDeleteNodes', { id: 'general', nodes }),
      call(demo, 'NodeGroupDeleteNodes', { id: 'general', nodes }),
    ]);

    expect(await target()).toBe(2);
    await fairway.until(machines, (all) => !all.some(({ metadata }) => metadata.name === name));
    expect(await nodesOf('general')).toHaveLength(2);
  });

  test('refuses a certificate that was revoked', async () => {
    const certificatesNotBefore = new Date(fairway.clock.now() + 60_000).toISOString().replace(/\.\d+/, '');
    const value = { spec: { autoscaler: { certificatesNotBefore } } };
    await fairway.client.resource(clusters).patch('other', { type: 'merge', value }, { namespace: TEAM });
    await expect
      .poll(() =>
        call(other, 'NodeGroups').then(
          () => 0,
          ({ code }) => code,
        ),
      )
      .toBe(status.UNAUTHENTICATED);
  });

  test('refuses a certificate from before a reset', async () => {
    const since = new Date(fairway.clock.now() + 60_000).toISOString().replace(/\.\d+/, '');
    const reset = { requestedAt: since, phase: 'Complete', since, nodes: 'Delete', emptiedTime: since };
    const value = { spec: { autoscaler: { certificatesNotBefore: null } } };
    await fairway.client.resource(clusters).patch('other', { type: 'merge', value }, { namespace: TEAM });
    const patch = { type: 'merge' as const, value: { status: { reset } } };
    await fairway.client.resource(clusters).patch('other', patch, { namespace: TEAM, subresource: 'status' });
    await expect
      .poll(() =>
        call(other, 'NodeGroups').then(
          () => '',
          ({ details }) => details,
        ),
      )
      .toBe(`the cluster was reset at ${since}: get another cloud-config`);
  });
});
