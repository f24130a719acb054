import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { findCondition } from '@fairway/kube/controller/conditions';
import { ConfigMaps, Events, Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { resourceCounts, serverHistory } from '../testing/cloud-contents.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';
import type { ChooseApiFault } from '../testing/unreliable-api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Setting {
  readonly fairway: TestFairway;
  readonly clock: SteppingClock;
  readonly uid: string;
}

/** A cluster with three nodes and some data in its database. */
async function start(spec: NewCluster['spec'] = {}, options: TestFairwayOptions = {}): Promise<Setting> {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ ...options, clock });
  const cluster = await clock.during(fairway.readyCluster({ replicas: 3 }, spec));
  await clock.pass(MINUTE_MS);
  const uid = identityOf(cluster);
  await createKeptObjects(fairway, uid);
  return { fairway, clock, uid };
}

const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'kube-system' } };

async function createKeptObjects(fairway: TestFairway, uid: string): Promise<void> {
  await fairway.runtime.client(uid).resource(ConfigMaps).create(CONFIG);
}

async function isKept(fairway: TestFairway, uid: string): Promise<boolean> {
  try {
    await fairway.runtime.client(uid).resource(ConfigMaps).get('kept', { namespace: 'kube-system' });
    return true;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return false;
    throw error;
  }
}

async function get(fairway: TestFairway): Promise<Cluster> {
  return fairway.client.resource(clusters).get('demo', { namespace: TEAM });
}

interface ResetRequest {
  readonly nodes?: 'Delete' | 'Reinstall';
  readonly version?: string;
  readonly confirm?: string;
}

async function reset({ fairway, clock }: Setting, { nodes = 'Delete', version, confirm = 'demo' }: ResetRequest = {}) {
  const spec = { reset: { requestedAt: formatTime(clock.now()), confirm, nodes }, ...(version && { version }) };
  await fairway.patch(clusters, 'demo', { spec });
}

/** Prevents all servers from being deleted. */
function blockNodeDeletion(fairway: TestFairway): void {
  const action = { kind: 'answer', status: 503 } as const;
  fairway.cloud.faults.add({ service: 'compute', method: 'DELETE', times: null, action });
}

/** The cluster's CA Secret, as stored. */
async function caSecretOf(fairway: TestFairway, uid: string): Promise<Record<string, string>> {
  const { data } = await fairway.client.resource(Secrets).get(`cluster-${uid}-pki`, { namespace: SYSTEM_NAMESPACE });
  return data ?? {};
}

const conditionOf = ({ status }: Cluster, type: string) => findCondition(status?.conditions, type);

test('a reset cluster is empty, with the same name, UID, endpoint and network, and with new nodes and keys', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  const before = await get(fairway);
  const names = (await fairway.machines()).map(({ metadata }) => metadata.name);
  const caSecret = await caSecretOf(fairway, uid);
  const held = resourceCounts(fairway.cloud);

  await reset(setup);
  await clock.pass(10 * MINUTE_MS);

  const after = await get(fairway);
  expect(after.status).toMatchObject({
    phase: 'Ready',
    readySummary: '3/3',
    version: before.status?.version,
    endpoint: before.status?.endpoint,
    network: before.status?.network,
    reset: { phase: 'Complete', requestedAt: after.spec.reset?.requestedAt, nodes: 'Delete' },
    lastOperation: { type: 'Reset', state: 'Succeeded', progress: 100 },
  });
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(await isKept(fairway, uid)).toBe(false);
  const machines = await fairway.machines();
  expect(machines).toHaveLength(3);
  expect(machines.filter(({ metadata }) => names.includes(metadata.name))).toEqual([]);
  const nodes = (await fairway.runtime.client(uid).resource(tenantNodes).list({})).items;
  expect(nodes.map(({ metadata }) => metadata.name ?? '').sort()).toEqual(
    machines.map((each) => each.metadata.name ?? '').sort(),
  );
  const renewed = await caSecretOf(fairway, uid);
  expect(Object.keys(renewed)).toEqual(Object.keys(caSecret));
  expect(Object.values(renewed).filter((value) => Object.values(caSecret).includes(value))).toEqual([]);
  expect(after.status?.caCertificate).not.toBe(before.status?.caCertificate);
  expect(resourceCounts(fairway.cloud)).toEqual(held);
  const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
  const reasons = items.filter(({ involvedObject }) => involvedObject?.kind === 'Cluster').map(({ reason }) => reason);
  expect(reasons).toContain('Resetting');
  expect(reasons).not.toContain('Degraded');
});

test('a request takes effect once, even after a restart or removal of the field; a new time requests another reset', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  await reset(setup);
  await clock.pass(10 * MINUTE_MS);
  await createKeptObjects(fairway, uid);
  const done = await get(fairway);
  const { version } = done.metadata.resourceVersion ? { version: done.metadata.resourceVersion } : { version: '' };

  await fairway.stopProcess();
  await fairway.startProcess();
  await clock.pass(2 * HOUR_MS);
  expect((await get(fairway)).metadata.resourceVersion).toBe(version);
  await fairway.patch(clusters, 'demo', { spec: { reset: null } });
  await clock.pass(10 * MINUTE_MS);
  await fairway.patch(clusters, 'demo', { spec: { reset: done.spec.reset } });
  await clock.pass(10 * MINUTE_MS);
  expect(await isKept(fairway, uid)).toBe(true);
  expect(fairway.runtime.wipeCalls).toHaveLength(1);

  await reset(setup);
  await clock.pass(10 * MINUTE_MS);
  expect(await isKept(fairway, uid)).toBe(false);
  expect(isReady(await get(fairway))).toBe(true);
});

test('reinstalled servers keep names and addresses, and join the empty cluster', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  const before = await fairway.machines();

  await reset(setup, { nodes: 'Reinstall' });
  await clock.pass(15 * MINUTE_MS);

  const { status } = await get(fairway);
  expect(status).toMatchObject({
    phase: 'Ready',
    readySummary: '3/3',
    reset: { phase: 'Complete', nodes: 'Reinstall' },
  });
  const after = await fairway.machines();
  const identity = ({ metadata, status }: (typeof after)[number]) =>
    [metadata.uid, status?.serverID, status?.address].join(' ');
  expect(after.map(identity).sort()).toEqual(before.map(identity).sort());
  expect(after.map(({ spec }) => spec.resetTime)).toEqual(after.map(() => status?.reset?.emptiedTime));
  expect(after.map((machine) => machine.status?.installed?.reinstallTime)).toEqual(
    after.map(() => status?.reset?.emptiedTime),
  );
  expect(await isKept(fairway, uid)).toBe(false);
  expect(serverHistory(fairway.cloud)).toHaveLength(3);
  await clock.pass(HOUR_MS);
  expect(serverHistory(fairway.cloud)).toHaveLength(3);
});

describe('the version of a reset cluster', () => {
  async function startAtNewestVersion(): Promise<Setting> {
    const clock = new SteppingClock();
    const fairway = await TestFairway.start({ clock });
    await fairway.create(kubernetesReleases, aRelease('1.50', {}, [0, 3]));
    await fairway.create(kubernetesReleases, aRelease('1.51', {}, [0]));
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }, { version: '1.51' }));
    return { fairway, clock, uid: identityOf(cluster) };
  }

  test('may be lower than before', async () => {
    const setup = await startAtNewestVersion();
    const { fairway, clock } = setup;
    await using _ = fairway;

    await reset(setup, { version: '1.50' });
    await clock.pass(10 * MINUTE_MS);

    const { status } = await get(fairway);
    expect(status).toMatchObject({ phase: 'Ready', version: '1.50.3', desiredVersion: '1.50.3' });
    expect((await fairway.machines()).map(({ spec }) => spec.version)).toEqual(['1.50.3']);
  });

  test('blocks the reset if it is not offered, which is reported', async () => {
    const setup = await startAtNewestVersion();
    const { fairway, clock } = setup;
    await using _ = fairway;
    const machines = await fairway.machines();

    await reset(setup, { version: '1.20' });
    await clock.pass(10 * MINUTE_MS);

    const cluster = await get(fairway);
    expect(conditionOf(cluster, 'ResetPossible')).toMatchObject({ status: 'False', reason: 'VersionNotOffered' });
    expect(cluster.status?.reset).toBeUndefined();
    expect((await fairway.machines()).map(({ metadata }) => metadata.uid)).toEqual(
      machines.map(({ metadata }) => metadata.uid),
    );
  });
});

test.each([
  { confirm: 'other', restore: undefined, reason: 'ResetNotConfirmed' },
  {
    confirm: 'demo',
    restore: { snapshot: '20261121-163000-000', requestedAt: '2026-01-01T00:00:00Z' },
    reason: 'Restoring',
  },
])('a reset that bypassed admission is blocked with reason $reason', async ({ confirm, restore, reason }) => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  if (restore) await fairway.patch(clusters, 'demo', { spec: { etcd: { restore } } });

  await reset(setup, { confirm });
  await clock.pass(10 * MINUTE_MS);

  const cluster = await get(fairway);
  expect(conditionOf(cluster, 'ResetPossible')).toMatchObject({ status: 'False', reason });
  expect(isReady(cluster)).toBe(true);
  expect(await isKept(fairway, uid)).toBe(true);

  await fairway.patch(clusters, 'demo', { spec: { reset: null, etcd: null } });
  await clock.pass(10 * MINUTE_MS);

  const withdrawn = await get(fairway);
  expect(conditionOf(withdrawn, 'ResetPossible')).toBeUndefined();
  expect(withdrawn.status?.reset).toBeUndefined();
  expect(await isKept(fairway, uid)).toBe(true);
});

test.each(['Delete', 'Reinstall'] as const)(
  'if a process is killed before or after any of its writes, the next one carries on: %s',
  async (nodes) => {
    let left = Number.POSITIVE_INFINITY;
    // From that write on, none of the process's requests succeed; the last one may or may not be applied.
    const apiFaults: ChooseApiFault = ({ method }) => {
      if (method === 'GET') return undefined;
      left -= 1;
      if (left === 0) return { kind: 'breaksAfter' };
      return left < 0 ? { kind: 'breaksBefore' } : undefined;
    };
    const setup = await start({}, { apiFaults });
    const { fairway, clock, uid } = setup;
    await using _ = fairway;
    const held = resourceCounts(fairway.cloud);
    for (let writes = 1; writes <= 18; writes += 1) {
      left = writes;
      await reset(setup, { nodes });
      await clock.pass(2_000);
      await fairway.stopProcess();
      left = Number.POSITIVE_INFINITY;
      await fairway.startProcess();
      await clock.pass(5 * MINUTE_MS);
      const { status } = await get(fairway);
      expect({ writes, phase: status?.phase, nodes: status?.readySummary }).toEqual({
        writes,
        phase: 'Ready',
        nodes: '3/3',
      });
      expect(await isKept(fairway, uid)).toBe(false);
      expect(resourceCounts(fairway.cloud)).toEqual(held);
      await createKeptObjects(fairway, uid);
    }
    const names = (await fairway.machines()).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(3);
  },
  60_000,
);

test('failed writes and lost responses do not affect a reset', async () => {
  let calls = 0;
  let isOn = false;
  const apiFaults: ChooseApiFault = ({ method }) => {
    if (!isOn || method === 'GET') return undefined;
    calls += 1;
    if (calls % 3 === 0) return { kind: 'breaksBefore' };
    return calls % 3 === 1 ? { kind: 'breaksAfter' } : undefined;
  };
  const setup = await start({}, { apiFaults });
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  const held = resourceCounts(fairway.cloud);
  await reset(setup);
  isOn = true;
  await clock.pass(2 * MINUTE_MS);
  isOn = false;
  await clock.pass(10 * MINUTE_MS);

  expect((await get(fairway)).status).toMatchObject({ phase: 'Ready', readySummary: '3/3' });
  expect(await isKept(fairway, uid)).toBe(false);
  expect(resourceCounts(fairway.cloud)).toEqual(held);
});

test('a reset survives a cloud outage of several hours, with few calls and no writes after the first report', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  const held = resourceCounts(fairway.cloud);
  fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } });
  await reset(setup);
  // By then its token has expired, which is reported as well.
  await clock.pass(90 * MINUTE_MS);
  const { resourceVersion } = (await get(fairway)).metadata;
  const calls = fairway.cloud.calls.total;
  await clock.pass(3 * HOUR_MS);

  expect((fairway.cloud.calls.total - calls) / (3 * 60)).toBeLessThan(6);
  const waiting = await get(fairway);
  expect(waiting.metadata.resourceVersion).toBe(resourceVersion);
  expect(waiting.status).toMatchObject({
    phase: 'Resetting',
    reset: { phase: 'RemovingNodes' },
    lastOperation: { type: 'Reset', state: 'Processing', progress: 0 },
  });
  expect(conditionOf(waiting, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Resetting',
    message: 'the cluster is being reset: 3 machines still to be deleted',
  });
  expect(await fairway.machines()).toHaveLength(3);

  fairway.cloud.faults.clear();
  await clock.pass(HOUR_MS);
  expect((await get(fairway)).status).toMatchObject({ phase: 'Ready', readySummary: '3/3' });
  expect(await isKept(fairway, uid)).toBe(false);
  expect(resourceCounts(fairway.cloud)).toEqual(held);
});

test('a failing runtime blocks the reset, and the reason is reported', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  await reset(setup);
  await clock.pass(2_000);
  fairway.runtime.failure = new Error('the disk is gone');
  await clock.pass(30 * MINUTE_MS);
  const waiting = await get(fairway);
  expect(conditionOf(waiting, 'Ready')?.message).toContain('the disk is gone');
  await clock.pass(2 * HOUR_MS);
  expect((await get(fairway)).metadata.resourceVersion).toBe(waiting.metadata.resourceVersion);

  fairway.runtime.failure = undefined;
  await clock.pass(30 * MINUTE_MS);
  expect((await get(fairway)).status).toMatchObject({ phase: 'Ready', readySummary: '3/3' });
  expect(await isKept(fairway, uid)).toBe(false);
});

test('a hibernated cluster is emptied immediately, stays hibernated, and wakes empty', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
  await clock.pass(5 * MINUTE_MS);
  const before = await get(fairway);

  await reset(setup);
  await clock.pass(5 * MINUTE_MS);
  const asleep = await get(fairway);
  expect(asleep.status).toMatchObject({ phase: 'Hibernated', reset: { phase: 'Starting' } });
  expect(fairway.runtime.wipeCalls).toEqual([uid]);

  await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: false } } });
  await clock.pass(10 * MINUTE_MS);
  const awake = await get(fairway);
  expect(awake.status).toMatchObject({
    phase: 'Ready',
    readySummary: '3/3',
    reset: { phase: 'Complete' },
    endpoint: before.status?.endpoint,
  });
  expect(await isKept(fairway, uid)).toBe(false);
});

test('a paused cluster is reset when it is resumed', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  await fairway.patch(clusters, 'demo', { metadata: { annotations: { 'fairway.dev/paused': 'true' } } });
  await clock.pass(MINUTE_MS);
  await reset(setup);
  await clock.pass(10 * MINUTE_MS);
  expect(await isKept(fairway, uid)).toBe(true);

  await fairway.patch(clusters, 'demo', { metadata: { annotations: { 'fairway.dev/paused': null } } });
  await clock.pass(10 * MINUTE_MS);
  expect(await isKept(fairway, uid)).toBe(false);
  expect(isReady(await get(fairway))).toBe(true);
});

test('a cluster can be deleted during its reset', async () => {
  const setup = await start();
  const { fairway, clock, uid } = setup;
  await using _ = fairway;
  // The cloud's own resources.
  const before = { servers: 0, ports: 0, floating_ips: 0, routers: 0, security_groups: 0, networks: 1, subnets: 1 };
  blockNodeDeletion(fairway);
  await reset(setup);
  await clock.pass(MINUTE_MS);
  expect((await get(fairway)).status?.phase).toBe('Resetting');
  await fairway.delete(clusters, 'demo');
  await clock.pass(MINUTE_MS);
  fairway.cloud.faults.clear();
  await clock.pass(10 * MINUTE_MS);

  expect((await fairway.client.resource(clusters).list({ namespace: TEAM })).items).toEqual([]);
  expect((await fairway.client.resource(nodePools).list({ namespace: TEAM })).items).toEqual([]);
  expect(await fairway.runtime.list()).not.toContain(uid);
  expect(resourceCounts(fairway.cloud)).toMatchObject(before);
});

test('a cluster created with the field set has nothing to reset', async () => {
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock });
  const requestedAt = '2025-12-31T23:00:00Z';
  const cluster = await clock.during(
    fairway.readyCluster({ replicas: 1 }, { reset: { requestedAt, confirm: 'demo' } }),
  );
  await createKeptObjects(fairway, identityOf(cluster));
  await clock.pass(HOUR_MS);

  expect((await get(fairway)).status?.reset).toMatchObject({ requestedAt, phase: 'Complete' });
  expect(fairway.runtime.wipeCalls).toEqual([]);
});
