import { API_VERSION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { silentLogger } from '@fairway/base/log';
import { Attempts } from '@fairway/kube/controller/attempts';
import { findCondition } from '@fairway/kube/controller/conditions';
import { declaredControllers } from '@fairway/kube/controller/declaration';
import { Manager } from '@fairway/kube/controller/manager';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { UndiciTransport } from '@fairway/openstack/http/undici-transport';
import { createCloud } from '@fairway/simulator/cloud';
import { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { tenantCredential } from '@fairway/tenancy/cloud/tenant-credential';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { describe, expect, test } from 'vitest';
import { credentialController } from '../../credential/controller.ts';
import type { ControllerDependencies } from '../../dependencies.ts';
import { SteppingClock } from '../../testing/stepping-clock.ts';
import { openTestEngine, TEAM } from '../../testing/test-engine.ts';

const NOISY_PROJECT = 'noisy';
const MINUTE_MS = 60_000;
/** A fifth of the usual budget, for a fifth of the usual thousand credentials. */
const BUDGET = { requestsPerMinute: 600, burst: 60, concurrent: 16 };
const random = () => 0.5;

/**
 * A Fairway instance with only the CloudCredential controller; Keystone refuses credentials of namespace `noisy` and
 * accepts those of `team`.
 */
async function start(invalidCount: number) {
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
    new UndiciTransport({ tls: { verify: true }, connections: 64, connectTimeoutMs: 10_000 }),
  );
  const connection = new CloudConnection({
    config,
    clock,
    random,
    readFile: () => '',
    logger: log,
    transport,
    budget: BUDGET,
  });
  const { id, secret } = await connection.client().identity.createApplicationCredential({ name: 'good' });
  const engine = await openTestEngine(clock);
  await engine.client.resource(Namespaces).create({ metadata: { name: NOISY_PROJECT }, spec: {} });
  const stored = engine.client.resource(cloudCredentials);
  const create = (namespace: string, name: string) => {
    const spec = { cloud: 'simulator', secretRef: { name }, reclaimPolicy: 'Retain' as const };
    return stored.create({ apiVersion: API_VERSION, kind: cloudCredentials.kind, metadata: { namespace, name }, spec });
  };
  for (let index = 0; index < invalidCount; index++) await create(NOISY_PROJECT, `bad-${index}`);

  const connected = await engine.connect({ clock, random, log });
  const { client, informers, reader } = connected;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const projects = new ConfiguredClouds({
    nameOf: () => undefined,
    open: () => undefined,
    credentialOf: (namespace, name) => reader.get(cloudCredentials, namespace, name),
    openProject({ metadata: { namespace = '', name = '' } }) {
      const isValid = namespace === TEAM;
      const source = tenantCredential({
        namespace,
        name: `credential ${namespace}/${name}`,
        secret: () =>
          Promise.resolve({
            application_credential_id: base64(isValid ? id : name),
            application_credential_secret: base64(isValid ? secret : 'wrong'),
          }),
        trustee: config.credential,
        expectedProject: () => undefined,
      });
      const openStack = connection.client(source);
      const cache = new ProjectCache({ client: openStack, clock, random, logger: log });
      return new ProjectCloud({ name: 'simulator', region: '', client: openStack, cache, clock, random });
    },
  });
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
  const manager = new Manager().add(...declaredControllers([credentialController], shared, { clock, random, log }));
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  const ready = async (namespace: string, name: string) =>
    findCondition((await stored.get(name, { namespace })).status?.conditions, 'Ready')?.status;
  return {
    clock,
    create,
    ready,
    logins: () => cloud.calls.total,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await clock.during(ended);
      for (const { cache } of projects.opened) cache.stop();
      await connected.close();
      await engine[Symbol.asyncDispose]();
      await connection.close();
      await cloud.close();
    },
  };
}

describe('a tenant with refused CloudCredentials', () => {
  test('does not delay another tenant’s credential: it is Ready within a second, even with hundreds queued before it', async () => {
    await using fairway = await start(200);
    // The burst of the cloud's budget is now used up, and most credentials wait for another 12 s.
    await fairway.clock.pass(2_000);
    expect(fairway.logins()).toBeLessThan(120);

    await fairway.create(TEAM, 'good');
    let waitedMs = 0;
    for (; waitedMs <= MINUTE_MS && (await fairway.ready(TEAM, 'good')) !== 'True'; waitedMs += 100) {
      await fairway.clock.pass(100);
    }
    expect(waitedMs).toBeLessThanOrEqual(1_000);
  });

  test('costs one login per credential every five minutes once they have been refused for a while', async () => {
    const invalidCount = 40;
    await using fairway = await start(invalidCount);
    await fairway.clock.pass(20 * MINUTE_MS);
    const before = fairway.logins();
    await fairway.clock.pass(10 * MINUTE_MS);

    expect(await fairway.ready(NOISY_PROJECT, 'bad-0')).toBe('False');
    expect(fairway.logins() - before).toBeGreaterThanOrEqual(invalidCount);
    expect(fairway.logins() - before).toBeLessThanOrEqual(3 * invalidCount);
  });
});
