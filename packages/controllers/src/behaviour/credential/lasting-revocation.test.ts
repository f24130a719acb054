import { API_VERSION, FINALIZER, RETRY_ANNOTATION, SKIP_REVOCATION_ANNOTATION } from '@fairway/api/group';
import { type CloudCredential, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { silentLogger } from '@fairway/base/log';
import { Attempts } from '@fairway/kube/controller/attempts';
import { findCondition } from '@fairway/kube/controller/conditions';
import { declaredControllers } from '@fairway/kube/controller/declaration';
import { Manager } from '@fairway/kube/controller/manager';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { Events } from '@fairway/kube/kinds/resources';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { UndiciTransport } from '@fairway/openstack/http/undici-transport';
import { createCloud } from '@fairway/simulator/cloud';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { type Clouds, ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, test } from 'vitest';
import { credentialController } from '../../credential/controller.ts';
import type { ControllerDependencies } from '../../dependencies.ts';
import { SteppingClock } from '../../testing/stepping-clock.ts';
import { openTestEngine, TEAM } from '../../testing/test-engine.ts';
import type { ChooseApiFault } from '../../testing/unreliable-api.ts';

const HOUR_MS = 3_600_000;
const random = () => 0.5;
const where = { namespace: TEAM };

/**
 * A Fairway instance with only the CloudCredential controller; `mine` is an unrestricted application credential, which
 * may delete itself.
 */
async function start() {
  const clock = new SteppingClock();
  const log = silentLogger;
  const cloud = createCloud({ clock: clock.serverClock, random: Math.random });
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  const yaml = cloud.cloudsYaml();
  const config = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? yaml : undefined),
  }).get('simulator');
  const transport = clock.watching(
    new UndiciTransport({ tls: { verify: true }, connections: 8, connectTimeoutMs: 10_000 }),
  );
  const connection = new CloudConnection({ config, clock, random, readFile: () => '', logger: log, transport });
  const owner = connection.client();
  const { id, secret } = await owner.identity.createApplicationCredential({ name: 'mine', unrestricted: true });
  const engine = await openTestEngine(clock);
  let writes = 0;
  let isCloudConfigured = true;
  let apiFault: ChooseApiFault = () => undefined;

  /** Simulates a Fairway process that has just started; the returned function stops it. */
  async function startProcess(): Promise<() => Promise<void>> {
    const chooseFault: ChooseApiFault = (request) => {
      if (request.method !== 'GET') writes++;
      return apiFault(request);
    };
    const connected = await engine.connect({ clock, random, log, chooseFault });
    const { client, informers } = connected;
    const openStack = connection.client({ kind: 'applicationCredential', id, secret });
    const cache = new ProjectCache({ client: openStack, clock, random, logger: log });
    const project = new ProjectCloud({
      name: 'simulator',
      region: 'RegionOne',
      client: openStack,
      cache,
      clock,
      random,
    });
    const projects: Clouds = { forNamespace: () => (isCloudConfigured ? project : undefined), forgetCredential() {} };
    const shared = {
      client,
      informers,
      cache: { credentials: informers.informer(cloudCredentials), clusters: informers.informer(clusters) },
      clouds: { onProject() {} },
      projects,
      attempts: new Attempts({ clock, random, log, classify: classifyError }),
      events: new EventRecorder(client, { component: 'fairway', clock, random }),
      clock,
    } as unknown as ControllerDependencies;
    const options = { clock, random, log, requestAnnotations: [RETRY_ANNOTATION] };
    const manager = new Manager().add(...declaredControllers([credentialController], shared, options));
    const stop = new AbortController();
    const ended = manager.run(stop.signal);
    return async () => {
      stop.abort();
      await clock.during(ended);
      cache.stop();
      await connected.close();
    };
  }

  const credentials = engine.client.resource(cloudCredentials);
  let end = await startProcess();
  const fairway = {
    clock,
    cloud,
    id,
    patch: (metadata: object) => credentials.patch('mine', { type: 'merge', value: { metadata } }, where),
    remove: () => credentials.delete('mine', where),
    get: async (): Promise<CloudCredential | undefined> => (await credentials.list(where)).items[0],
    ready: async () => findCondition((await fairway.get())?.status?.conditions, 'Ready'),
    /** Whether the credential still exists in Keystone, as its owner sees it. */
    revoke: () => owner.identity.deleteApplicationCredential(id),
    isAlive: async () => (await owner.identity.applicationCredentials()).some((each) => each.id === id),
    messages: async () => (await engine.client.resource(Events).list(where)).items.map(({ message }) => message),
    failApi: (choose: ChooseApiFault) => {
      apiFault = choose;
    },
    forgetCloud: () => {
      isCloudConfigured = false;
    },
    restart: async () => {
      await end();
      end = await startProcess();
    },
    /** The calls and writes during the next `durationMs` milliseconds. */
    costOf: async (durationMs: number) => {
      const before = { calls: cloud.calls.total, writes };
      await clock.pass(durationMs);
      return { calls: cloud.calls.total - before.calls, writes: writes - before.writes };
    },
    async [Symbol.asyncDispose]() {
      await end();
      await engine[Symbol.asyncDispose]();
      await connection.close();
      await cloud.close();
    },
  };
  const spec = { cloud: 'simulator', secretRef: { name: 'mine' }, reclaimPolicy: 'Retain' as const };
  const { kind } = cloudCredentials;
  await credentials.create({ apiVersion: API_VERSION, kind, metadata: { name: 'mine', ...where }, spec });
  await clock.pass(1_000);
  return fairway;
}

const responseFault = (status: number): FaultInput => ({
  service: 'identity',
  times: null,
  action: { kind: 'answer', status },
});

describe('a credential that Keystone does not revoke', () => {
  test.each<{ cause: string; fault: FaultInput; reason: string }>([
    { cause: 'Keystone responds with 503', fault: responseFault(503), reason: 'CloudUnavailable' },
    { cause: 'Keystone responds with 500', fault: responseFault(500), reason: 'CloudUnavailable' },
    { cause: 'something else responds in its place', fault: responseFault(404), reason: 'ConfigurationInvalid' },
    {
      cause: 'Keystone allows logins, but no deletions',
      fault: { ...responseFault(503), method: 'DELETE' },
      reason: 'CloudUnavailable',
    },
    {
      cause: 'Keystone refuses the token of a login that it accepted',
      fault: { ...responseFault(401), method: 'DELETE' },
      reason: 'CloudUnavailable',
    },
    {
      cause: 'a proxy has no such path',
      fault: { ...responseFault(404), method: 'DELETE' },
      reason: 'ConfigurationInvalid',
    },
    {
      cause: 'connections break',
      fault: { service: 'identity', times: null, action: { kind: 'drop' } },
      reason: 'CloudUnavailable',
    },
  ])('is reported, costs little, and is revoked after recovery: $cause', async ({ fault, reason }) => {
    await using fairway = await start();
    const { cloud, clock, costOf } = fairway;
    cloud.faults.add(fault);

    await fairway.remove();
    const first = await costOf(20_000);
    const rest = await costOf(HOUR_MS);
    const kept = await fairway.get();
    const readyCluster = await fairway.ready();
    await fairway.restart();
    await clock.pass(60_000);
    const conditionAfterRestart = await fairway.get();
    cloud.faults.clear();
    const wasAlive = await fairway.isAlive();
    await clock.pass(300_000);

    expect(kept?.metadata.finalizers).toContain(FINALIZER);
    expect(readyCluster).toMatchObject({ status: 'False', reason });
    expect(readyCluster?.message).toMatch(/^it is not revoked yet, and is retained until it is: identity: /);
    expect(readyCluster?.message).toMatch(
      new RegExp(`kubectl annotate cloudcredential mine -n team ${SKIP_REVOCATION_ANNOTATION}=true`),
    );
    expect(readyCluster?.message).toMatch(new RegExp(`openstack application credential delete ${fairway.id}$`));
    expect(first.calls).toBeLessThanOrEqual(40);
    expect(first.writes).toBeLessThanOrEqual(5);
    expect(rest.calls).toBeLessThanOrEqual(150);
    expect(rest.writes).toBeLessThanOrEqual(2);
    expect(conditionAfterRestart, 'after a restart').toBeDefined();
    expect(wasAlive).toBe(true);
    expect(await fairway.get()).toBeUndefined();
    expect(await fairway.isAlive()).toBe(false);
  });

  test('is revoked immediately on request', async () => {
    await using fairway = await start();
    fairway.cloud.faults.add(responseFault(503));
    await fairway.remove();
    await fairway.clock.pass(HOUR_MS);
    fairway.cloud.faults.clear();

    await fairway.patch({ annotations: { [RETRY_ANNOTATION]: 'now' } });
    await fairway.clock.pass(1_000);

    expect(await fairway.get()).toBeUndefined();
    expect(await fairway.isAlive()).toBe(false);
  });

  test('is removed immediately if its owner skips the revocation, and an Event describes the manual steps', async () => {
    await using fairway = await start();
    fairway.cloud.faults.add(responseFault(503));
    await fairway.remove();
    await fairway.clock.pass(HOUR_MS);

    await fairway.patch({ annotations: { [SKIP_REVOCATION_ANNOTATION]: 'true' } });
    await fairway.clock.pass(1_000);

    expect(await fairway.get()).toBeUndefined();
    expect(await fairway.messages()).toContainEqual(
      expect.stringMatching(
        new RegExp(`its owner must revoke it: openstack application credential delete ${fairway.id}$`),
      ),
    );
  });

  test.each([
    { login: 'refused', status: 401 },
    { login: 'no longer permitted', status: 403 },
  ])('is removed if its login is $login, and an Event warns that it may become valid again', async ({ status }) => {
    await using fairway = await start();
    fairway.cloud.faults.add({ ...responseFault(status), method: 'POST' });

    await fairway.remove();
    await fairway.clock.pass(1_000);

    expect(await fairway.get()).toBeUndefined();
    expect(await fairway.isAlive()).toBe(true);
    expect(await fairway.messages()).toContainEqual(expect.stringMatching(/could not revoke it .* must revoke it/));
  });

  test('is removed silently if it no longer exists in Keystone', async () => {
    await using fairway = await start();
    await fairway.revoke();

    await fairway.remove();
    await fairway.clock.pass(1_000);

    expect(await fairway.get()).toBeUndefined();
    expect(await fairway.messages()).toEqual([]);
  });

  test('remains until its Event is stored', async () => {
    await using fairway = await start();
    fairway.cloud.faults.add({ ...responseFault(403), method: 'DELETE' });
    fairway.failApi(({ method, path }) =>
      method === 'POST' && path.endsWith('/events') ? { kind: 'breaksBefore' } : undefined,
    );

    await fairway.remove();
    await fairway.clock.pass(60_000);
    const kept = await fairway.get();
    fairway.failApi(() => undefined);
    await fairway.restart();
    await fairway.clock.pass(60_000);

    expect(kept?.metadata.finalizers).toContain(FINALIZER);
    expect(await fairway.get()).toBeUndefined();
    expect(await fairway.messages()).toEqual([expect.stringMatching(/could not revoke it/)]);
  });

  test('remains while its cloud is missing from the operator’s configuration', async () => {
    await using fairway = await start();
    fairway.forgetCloud();

    await fairway.remove();
    await fairway.clock.pass(HOUR_MS);

    expect(await fairway.ready()).toMatchObject({
      reason: 'ConfigurationInvalid',
      message: expect.stringMatching(/clouds.yaml has no cloud simulator/),
    });
    expect(await fairway.isAlive()).toBe(true);
  });
});
