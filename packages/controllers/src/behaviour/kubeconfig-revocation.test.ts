import { REVOKE_KUBECONFIGS_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { aCluster } from '@fairway/api/testing/objects';
import { clientTrustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { parsePkiSecret } from '@fairway/control-plane/pki/pki-secret';
import { NEVER_ROTATED } from '@fairway/control-plane/pki/rotation-record';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events, Secrets } from '@fairway/kube/kinds/resources';
import { afterEach, describe, expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';
import type { ChooseApiFault } from '../testing/unreliable-api.ts';

const HOUR_MS = 3_600_000;

describe('revoking all kubeconfigs', () => {
  let fairway: TestFairway;
  let clock: SteppingClock;
  afterEach(() => fairway[Symbol.asyncDispose]());

  async function start(apiFaults?: ChooseApiFault, spec: Parameters<TestFairway['createCluster']>[0] = {}) {
    clock = new SteppingClock();
    fairway = await TestFairway.start({ clock, ...(apiFaults && { apiFaults }) });
    await fairway.createCluster(spec);
    await fairway.createPool({ replicas: 1 });
    await clock.pass(HOUR_MS);
  }

  function requestRevocation(value: string): Promise<Cluster> {
    return fairway.patch(clusters, 'demo', { metadata: { annotations: { [REVOKE_KUBECONFIGS_ANNOTATION]: value } } });
  }

  const get = () => fairway.client.resource(clusters).get('demo', { namespace: TEAM });

  async function stored() {
    const [secret] = (await fairway.client.resource(Secrets).list({ namespace: SYSTEM_NAMESPACE })).items;
    return parsePkiSecret(secret ?? { metadata: {} });
  }

  /** The CA for users' certificates in the last spec sent to the control plane. */
  const activeKeyId = () => fairway.runtime.requestedSpecs.at(-1)?.pki.users.active.keyId;

  async function revocations(): Promise<number> {
    const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
    return items.filter(({ reason }) => reason === 'KubeconfigsRevoked').reduce((sum, { count = 1 }) => sum + count, 0);
  }

  test('takes seconds, is done once for each value, and does not replace nodes', async () => {
    await start();
    const before = await stored();
    const [machine] = await fairway.machines();
    await requestRevocation('leaver');
    await clock.pass(5_000);

    const after = await stored();
    expect(after.users.active.keyId).not.toBe(before.users.active.keyId);
    expect(after.cluster).toEqual(before.cluster);
    expect(activeKeyId()).toBe(after.users.active.keyId);
    expect(clientTrustBundle(after)).not.toContain(before.users.active.certificatePem);
    const { status } = await get();
    expect(status?.credentials?.revocation?.requested).toBe('leaver');
    expect(findCondition(status?.conditions, 'CredentialsStable')).toBeUndefined();
    expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');

    const { resourceVersion } = (await get()).metadata;
    await clock.pass(6 * HOUR_MS);
    expect((await stored()).users.active.keyId).toBe(after.users.active.keyId);
    expect((await get()).metadata.resourceVersion).toBe(resourceVersion);
    expect((await fairway.client.resource(machines).list({ namespace: TEAM })).items[0]?.metadata.uid).toBe(
      machine?.metadata.uid,
    );
    expect(await revocations()).toBe(1);

    await requestRevocation('another leaver');
    await clock.pass(5_000);
    expect((await stored()).users.active.keyId).not.toBe(after.users.active.keyId);
    expect(await revocations()).toBe(2);
  });

  test('is complete when the control plane runs with the new CA, and is reported as pending until then', async () => {
    await start();
    fairway.runtime.reportState({ phase: 'Updating', reason: 'Updating', message: 'kube-apiserver is restarting.' });
    await requestRevocation('leaver');
    await clock.pass(5_000);

    const waiting = await get();
    expect(waiting.status?.credentials?.revocation).toBeUndefined();
    expect(findCondition(waiting.status?.conditions, 'CredentialsStable')).toMatchObject({
      status: 'False',
      reason: 'RevokingKubeconfigs',
      message: expect.stringMatching(
        /^all kubeconfigs issued before \S+Z are being revoked: the API server is restarting/,
      ),
    });

    fairway.runtime.reportState({});
    await clock.pass(5_000);
    expect((await get()).status?.credentials?.revocation?.requested).toBe('leaver');
  });

  const isCaWrite: ChooseApiFault = ({ method, path }) =>
    method === 'PATCH' && path.includes('/secrets/') ? { kind: 'breaksAfter' } : undefined;

  test('is done once if its response is lost and the process is killed', async () => {
    let losesResponses = false;
    await start((request) => (losesResponses ? isCaWrite(request) : undefined));
    const before = await stored();
    losesResponses = true;
    await requestRevocation('leaver');
    await clock.pass(500);
    const written = await stored();
    expect(written.users.active.keyId).not.toBe(before.users.active.keyId);

    await fairway.stopProcess();
    losesResponses = false;
    await fairway.startProcess();
    await clock.pass(60_000);
    expect((await stored()).users.active.keyId).toBe(written.users.active.keyId);
    expect(activeKeyId()).toBe(written.users.active.keyId);
    expect((await get()).status?.credentials?.revocation?.requested).toBe('leaver');
  });

  test('costs a few calls a minute while it cannot be written, and is done once it can be', async () => {
    let calls = 0;
    let isRefusingRequests = false;
    await start(({ method, path }) => {
      if (!isRefusingRequests || method !== 'PATCH' || !path.includes('/secrets/')) return undefined;
      calls++;
      return { kind: 'answer', status: 403 };
    });
    isRefusingRequests = true;
    await requestRevocation('leaver');
    await clock.pass(30 * 60_000);
    const { resourceVersion } = (await get()).metadata;
    calls = 0;
    await clock.pass(30 * 60_000);
    expect(calls).toBeLessThanOrEqual(60);
    expect((await get()).metadata.resourceVersion).toBe(resourceVersion);

    isRefusingRequests = false;
    await clock.pass(5 * 60_000);
    expect((await get()).status?.credentials?.revocation?.requested).toBe('leaver');
  });

  test('works for a hibernated cluster, whose API server then starts with the new CA', async () => {
    await start();
    await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
    await clock.pass(HOUR_MS);
    const before = await stored();
    await requestRevocation('leaver');
    await clock.pass(60_000);

    const after = await stored();
    expect(after.users.active.keyId).not.toBe(before.users.active.keyId);
    expect((await get()).status).toMatchObject({
      phase: 'Hibernated',
      credentials: { revocation: { requested: 'leaver' } },
    });
    await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: false } } });
    await clock.pass(HOUR_MS);
    expect(activeKeyId()).toBe(after.users.active.keyId);
    expect(await revocations()).toBe(1);
  });

  test('ignores a request in the manifest of a new cluster', async () => {
    clock = new SteppingClock();
    fairway = await TestFairway.start({ clock });
    const annotations = { [REVOKE_KUBECONFIGS_ANNOTATION]: 'of last year' };
    await fairway.create(clusters, aCluster({}, { name: 'demo', namespace: TEAM, annotations }));
    await clock.pass(HOUR_MS);

    expect((await stored()).rotation).toEqual({ ...NEVER_ROTATED, revocation: 'of last year' });
    expect((await get()).status?.credentials?.revocation).toEqual({ requested: 'of last year' });
    expect(await revocations()).toBe(0);
  });
});
