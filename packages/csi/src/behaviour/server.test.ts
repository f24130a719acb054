import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { CACHE_FILTERS } from '@fairway/tenancy/cloud/ownership';
import { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { csiServices, type Method } from '../protocol/services.ts';
import { type CsiServer, serveCsi } from '../server.ts';
import { GIB, volumeRequest } from '../testing/csi-test-harness.ts';

const { Identity, Controller } = csiServices();

let folder: string;
let cloud: Cloud;
let connection: CloudConnection;
let server: CsiServer | undefined;
let client: Client;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-csi-'));
  // Creation takes long enough for other events to happen while a call is in progress.
  const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, createVolume: 600_000 } };
  cloud = createCloud({ clock: systemClock, random: Math.random, config: { latency } });
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  server = await serve();
  client = new Client(`unix:${socket()}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  await server?.stop();
  await connection.close();
  await cloud.close();
  await rm(folder, { recursive: true });
});

const socket = () => join(folder, 'csi.sock');

async function serve(): Promise<CsiServer> {
  const parts = { clock: systemClock, random: Math.random, log: silentLogger };
  const yaml = cloud.cloudsYaml();
  const readFile = (path: string) => (path === '/clouds.yaml' ? yaml : undefined);
  const clouds = new CloudsYaml({ env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' }, cwd: '/', home: '/', readFile });
  connection = new CloudConnection({ config: clouds.get('simulator'), ...parts, readFile: () => '' });
  const openStack = connection.client();
  const cache = new ProjectCache({ client: openStack, ...parts, filters: CACHE_FILTERS });
  const names = { name: 'simulator', region: 'RegionOne' };
  const project = new ProjectCloud({ ...names, client: openStack, cache, ...parts, settleMs: 0 });
  const options = { endpoint: `unix://${socket()}`, cloud: project, clusterUid: 'own', version: '1.2.3' };
  return serveCsi({ ...options, ...parts });
}

function call<T = object>(method: Method | undefined, request: object, timeoutMs = 60_000): Promise<T> {
  if (method === undefined) throw new Error('no such method');
  const { path, requestSerialize, responseDeserialize } = method;
  const options = { deadline: Date.now() + timeoutMs };
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, response) =>
      error ? reject(error) : resolve(response as T),
    );
  });
}

const refusal = (...args: Parameters<typeof call>): Promise<ServiceError> =>
  call(...args).then(
    () => {
      throw new Error('it succeeded');
    },
    (error: ServiceError) => error,
  );

const expectVolumeCreates = () =>
  expect.poll(
    () =>
      cloud.calls.counts().filter(({ method, template }) => method === 'POST' && template.endsWith('/volumes')).length,
  );

describe('the server', () => {
  test('reports its name and capabilities', async () => {
    expect(await call(Identity['GetPluginInfo'], {})).toEqual({
      name: 'cinder.csi.openstack.org',
      vendor_version: '1.2.3',
    });
    expect(await call(Identity['Probe'], {})).toEqual({ ready: { value: true } });
    expect(await call(Identity['GetPluginCapabilities'], {})).toEqual({
      capabilities: [
        { service: { type: 1 } },
        { service: { type: 2 } },
        { volume_expansion: { type: 1 } },
        { volume_expansion: { type: 2 } },
      ],
    });
    const { capabilities } = await call<{ capabilities: { rpc: { type: number } }[] }>(
      Controller['ControllerGetCapabilities'],
      {},
    );
    expect(capabilities.map(({ rpc }) => rpc.type)).toEqual([1, 2, 3, 5, 6, 7, 9, 10, 12]);
  });

  test("lets only the socket's own user connect", () => {
    expect(statSync(socket()).mode & 0o777).toBe(0o600);
  });

  test("responds before the caller's deadline, with a message", async () => {
    const { code, details } = await refusal(Controller['CreateVolume'], volumeRequest('pvc-1'), 1_500);

    expect(code).toBe(status.DEADLINE_EXCEEDED);
    expect(details).toMatch(/^volume [0-9a-f-]{36} is being created by Cinder: still in progress, retry the call/);
  });

  test('aborts waiting calls when it stops, and removes its socket', async () => {
    const createCall = refusal(Controller['CreateVolume'], volumeRequest('pvc-1'));
    await expectVolumeCreates().toBe(1);

    await server?.stop();
    server = undefined;

    expect(await createCall).toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringContaining('retry the call'),
    });
    expect(existsSync(socket())).toBe(false);
  });

  test('resumes a volume creation after a restart', async () => {
    await refusal(Controller['CreateVolume'], volumeRequest('pvc-1'), 1_000);
    await server?.stop();
    await connection.close();
    server = await serve();

    expect(await refusal(Controller['CreateVolume'], volumeRequest('pvc-1'), 1_000)).toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    });
    expect(await Array.fromAsync(connection.client().blockStorage.volumes.list())).toHaveLength(1);
  });

  test("does not listen on another server's socket", async () => {
    await expect(serve()).rejects.toThrow(/another process is already listening/);
  });

  test('rejects requests of more than 1 MiB', async () => {
    const request = volumeRequest('pvc-1', { parameters: { type: 'x'.repeat(2 * 2 ** 20) } });

    expect(await refusal(Controller['CreateVolume'], request)).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  test('does not implement GetCapacity', async () => {
    const unknown = { ...(Controller['ListVolumes'] as Method), path: '/csi.v1.Controller/GetCapacity' };

    expect(await refusal(unknown, {})).toMatchObject({ code: status.UNIMPLEMENTED });
  });

  test('refuses an invalid size', async () => {
    const request = volumeRequest('pvc-1', { capacity_range: { required_bytes: 2 * GIB, limit_bytes: GIB } });

    expect(await refusal(Controller['CreateVolume'], request)).toMatchObject({ code: status.OUT_OF_RANGE });
  });
});
