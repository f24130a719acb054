import { COMPLETE_ROTATION_ANNOTATION, ROTATE_CREDENTIALS_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { parsePkiSecret } from '@fairway/control-plane/pki/pki-secret';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events, Secrets } from '@fairway/kube/kinds/resources';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { afterEach, describe, expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';
import type { ChooseApiFault } from '../testing/unreliable-api.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

describe('a rotation of credentials', () => {
  let fairway: TestFairway;
  let clock: SteppingClock;
  afterEach(() => fairway[Symbol.asyncDispose]());

  async function start(
    pool: Parameters<TestFairway['createPool']>[0] = { replicas: 2 },
    options: { readonly apiFaults?: ChooseApiFault } = {},
  ) {
    clock = new SteppingClock();
    fairway = await TestFairway.start({ clock, ...options });
    await fairway.createCluster();
    await fairway.createPool(pool);
    await clock.pass(HOUR_MS);
  }

  const annotate = (annotations: Record<string, string>) =>
    fairway.patch(clusters, 'demo', { metadata: { annotations } });
  const rotate = (value = 'monday') => annotate({ [ROTATE_CREDENTIALS_ANNOTATION]: value });
  const complete = (value = 'monday') => annotate({ [COMPLETE_ROTATION_ANNOTATION]: value });
  const get = () => fairway.client.resource(clusters).get('demo', { namespace: TEAM });
  const credentials = async () => (await get()).status?.credentials;
  const stable = async () => findCondition((await get()).status?.conditions, 'CredentialsStable');

  async function stored() {
    const [secret] = (await fairway.client.resource(Secrets).list({ namespace: SYSTEM_NAMESPACE })).items;
    return parsePkiSecret(secret ?? { metadata: {} });
  }

  /** The generations that machines were installed with, and the desired generation. */
  async function generations() {
    return (await fairway.machines()).map(({ spec, status }) => [
      spec.authorityGeneration ?? 0,
      status?.installed?.authorityGeneration ?? 0,
    ]);
  }

  async function reasons(): Promise<readonly string[]> {
    const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
    const expectedReasons = ['PreparingRotation', 'RotationPrepared', 'CompletingRotation', 'RotationCompleted'];
    return items
      .flatMap(({ reason = '', count = 1 }) => (expectedReasons.includes(reason) ? [`${reason} ${count}`] : []))
      .sort();
  }

  test.each([
    { type: 'Rolling', keepsServers: false },
    { type: 'InPlace', keepsServers: true },
  ] as const)('prepares nodes with strategy $type, and is completed on request', async (strategy) => {
    await start({ replicas: 2, upgradeStrategy: { type: strategy.type } });
    const first = await stored();
    const servers = (await fairway.machines()).map(({ status }) => status?.serverID ?? '').sort();
    await rotate();
    await clock.pass(HOUR_MS);

    expect(await credentials()).toMatchObject({ phase: 'Prepared', rotation: 'monday', generation: 1 });
    expect(await generations()).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const renewed = (await fairway.machines()).map(({ status }) => status?.serverID ?? '').sort();
    expect(renewed.filter((id) => servers.includes(id))).toHaveLength(strategy.keepsServers ? 2 : 0);
    expect((await get()).status).toMatchObject({ phase: 'Ready', nodes: { ready: 2 } });
    expect(splitPemBundle((await get()).status?.caCertificate ?? '')).toHaveLength(2);
    expect((await stable())?.reason).toBe('RotationPrepared');

    const prepared = {
      type: 'RotateCredentials',
      state: 'Succeeded',
      description: /the rotation is waiting to be completed$/,
    };
    expect((await get()).status?.lastOperation).toMatchObject({
      ...prepared,
      description: expect.stringMatching(prepared.description) as string,
    });
    const { resourceVersion } = (await get()).metadata;
    await clock.pass(2 * HOUR_MS);
    expect((await get()).metadata.resourceVersion).toBe(resourceVersion);
    expect((await stored()).rotation.stage).toBe('Renewing');

    await complete();
    await clock.pass(MINUTE_MS);
    const last = await stored();
    expect(await credentials()).toMatchObject({ phase: 'Stable', rotation: 'monday', generation: 1 });
    expect(await stable()).toBeUndefined();
    expect((await get()).status?.caCertificate).toBe(trustBundle(last.cluster));
    expect(last.cluster).toMatchObject({ standby: undefined });
    for (const name of ['cluster', 'users', 'frontProxy'] as const) {
      expect(last[name].active.keyId).not.toBe(first[name].active.keyId);
    }
    expect(await reasons()).toEqual([
      'CompletingRotation 1',
      'PreparingRotation 1',
      'RotationCompleted 1',
      'RotationPrepared 1',
    ]);

    await clock.pass(2 * HOUR_MS);
    expect((await stored()).rotation).toEqual(last.rotation);
    expect((await fairway.machines()).map(({ status }) => status?.serverID ?? '').sort()).toEqual(renewed);
    expect((await get()).status).toMatchObject({ phase: 'Ready', nodes: { ready: 2 } });
  });

  test('waits for the last node if completion is requested too early', async () => {
    await start({ replicas: 2, upgradeStrategy: { type: 'Rolling', paused: true } });
    await rotate();
    await complete();
    await clock.pass(HOUR_MS);

    expect(await credentials()).toMatchObject({ phase: 'Preparing', nodes: { total: 2, renewed: 0 } });
    expect(await stable()).toMatchObject({
      reason: 'PreparingRotation',
      message: expect.stringMatching(/^nodes are being updated.*; the rotation completes afterwards$/),
    });
    expect((await stored()).rotation.stage).toBe('Renewing');
    const { resourceVersion } = (await get()).metadata;
    await clock.pass(2 * HOUR_MS);
    expect((await get()).metadata.resourceVersion).toBe(resourceVersion);

    await fairway.patch(nodePools, 'general', { spec: { upgradeStrategy: { paused: false } } });
    await clock.pass(HOUR_MS);
    expect((await credentials())?.phase).toBe('Stable');
    expect(await generations()).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  test('completes regardless of how often its writes are lost and the process is killed', async () => {
    let lost = 0;
    // The process is killed after every write of the CA Secret, and the response is lost.
    await start(
      { replicas: 1 },
      {
        apiFaults: ({ method, path }) => {
          if (method !== 'PATCH' || !path.includes('/secrets/')) return undefined;
          lost++;
          return { kind: 'breaksAfter' };
        },
      },
    );
    const keys = new Set([(await stored()).cluster.active.keyId]);
    await rotate();
    await complete();
    for (let seconds = 0; seconds < 90; seconds += 3) {
      await clock.pass(3_000);
      keys.add((await stored()).cluster.active.keyId);
      await fairway.stopProcess();
      await fairway.startProcess();
    }
    await clock.pass(HOUR_MS);
    keys.add((await stored()).cluster.active.keyId);

    expect(lost).toBeGreaterThanOrEqual(4);
    expect(lost).toBeLessThanOrEqual(12);
    expect(await credentials()).toMatchObject({ phase: 'Stable', rotation: 'monday', generation: 1 });
    expect(await generations()).toEqual([[1, 1]]);
    expect(keys.size).toBe(2);
    expect((await stored()).rotation).toMatchObject({ stage: 'Stable', generation: 1 });
  });

  test('continues after waking if the cluster is hibernated', async () => {
    await start({ replicas: 1 });
    await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
    await clock.pass(HOUR_MS);
    await rotate();
    await complete();
    await clock.pass(HOUR_MS);
    expect((await stored()).rotation.stage).toBe('Trusting');
    expect(await stable()).toMatchObject({
      reason: 'PreparingRotation',
      message: 'the rotation continues once the cluster is awake ("fairway cluster wake demo")',
    });

    await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: false } } });
    await clock.pass(HOUR_MS);
    expect(await credentials()).toMatchObject({ phase: 'Stable', generation: 1 });
    expect(await generations()).toEqual([[1, 1]]);
  });

  test('can be followed by another one with a new value', async () => {
    await start({ replicas: 1 });
    for (const [index, value] of ['monday', 'tuesday'].entries()) {
      await rotate(value);
      await complete(value);
      await clock.pass(HOUR_MS);
      expect(await credentials()).toMatchObject({ phase: 'Stable', rotation: value, generation: index + 1 });
    }
    expect(await generations()).toEqual([[2, 2]]);
  });
});
