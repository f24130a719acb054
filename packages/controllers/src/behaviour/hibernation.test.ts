import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aRelease } from '@fairway/api/testing/releases';
import { formatTime } from '@fairway/base/clock';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, Events, Pods } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
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

/** A cluster with three nodes. */
async function start(spec: NewCluster['spec'] = {}, options: TestFairwayOptions = {}): Promise<Setting> {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ ...options, clock });
  const cluster = await clock.during(fairway.readyCluster({ replicas: 3 }, spec));
  await clock.pass(MINUTE_MS);
  return { fairway, clock, uid: identityOf(cluster) };
}

async function get(fairway: TestFairway): Promise<Cluster> {
  return fairway.client.resource(clusters).get('demo', { namespace: TEAM });
}

const hibernate = (fairway: TestFairway) =>
  fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
const wake = (fairway: TestFairway) => fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: false } } });

const conditionOf = ({ status }: Cluster, type: string) => findCondition(status?.conditions, type);

test('a hibernated cluster has no nodes and a stopped control plane, and keeps the rest; waking restores it', async () => {
  const { fairway, clock, uid } = await start();
  await using _ = fairway;
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept', namespace: 'kube-system' } };
  await fairway.runtime.client(uid).resource(ConfigMaps).create(config);
  const before = await get(fairway);
  const { networks, subnets, routers, security_groups } = resourceCounts(fairway.cloud);

  await hibernate(fairway);
  await clock.pass(5 * MINUTE_MS);

  const asleep = await get(fairway);
  expect(asleep.status).toMatchObject({
    phase: 'Hibernated',
    hibernation: { wanted: true, hibernated: true, since: expect.any(String) as string },
    readySummary: '0/0',
    endpoint: before.status?.endpoint,
    network: before.status?.network,
    version: before.status?.version,
    lastOperation: { type: 'Hibernate', state: 'Succeeded', progress: 100 },
  });
  expect(conditionOf(asleep, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Hibernated',
    message: 'hibernated: no nodes are running, and the control plane is stopped; "fairway cluster wake demo" wakes it',
  });
  expect(await fairway.machines()).toEqual([]);
  expect(fairway.runtime.isHibernated(uid)).toBe(true);
  expect(fairway.process.tenants.connected()).toEqual([]);
  expect((await fairway.client.resource(nodePools).get('general', { namespace: TEAM })).spec.replicas).toBe(3);
  expect(resourceCounts(fairway.cloud)).toMatchObject({ networks, subnets, routers, security_groups, servers: 0 });

  const countsWhileHibernated = { calls: fairway.cloud.calls.total, version: asleep.metadata.resourceVersion };
  await clock.pass(12 * HOUR_MS);
  expect((await get(fairway)).metadata.resourceVersion).toBe(countsWhileHibernated.version);
  expect(fairway.runtime.isHibernated(uid)).toBe(true);

  await wake(fairway);
  await clock.pass(5 * MINUTE_MS);
  const awake = await get(fairway);
  expect(awake.status).toMatchObject({
    phase: 'Ready',
    readySummary: '3/3',
    hibernation: { wanted: false, hibernated: false },
    lastOperation: { type: 'Wake', state: 'Succeeded' },
    endpoint: before.status?.endpoint,
  });
  // Later operations have an estimated end.
  const measured = awake.status?.durations?.map(({ what }) => what);
  expect(measured).toEqual(expect.arrayContaining(['Hibernate', 'Wake']));
  expect(
    await fairway.runtime.client(uid).resource(ConfigMaps).get('kept', { namespace: 'kube-system' }),
  ).toBeDefined();
  const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
  const reasons = items.filter(({ involvedObject }) => involvedObject?.kind === 'Cluster').map(({ reason }) => reason);
  expect(reasons).toEqual(expect.arrayContaining(['Hibernating', 'Hibernated', 'Waking', 'Ready']));
  expect(reasons).not.toContain('Degraded');
});

/** Polling is slow, because nothing happens for most of the week. */
const SLOW_POLLING = { observeMs: HOUR_MS };

describe('schedules', () => {
  /** The clock starts on Thursday at midnight UTC. */
  const hibernation = {
    schedules: [{ hibernate: '0 20 * * 1-5', wake: '0 7 * * 1-5', timeZone: 'UTC' }],
  };

  test('hibernate and wake a cluster over a weekend, and leave the spec unchanged', async () => {
    const { fairway, clock } = await start({ hibernation }, SLOW_POLLING);
    await using _ = fairway;
    const reported: string[] = [];
    const before = await get(fairway);
    expect(before.status?.hibernation?.next).toEqual({
      hibernate: '2026-01-01T20:00:00Z',
      wake: '2026-01-01T07:00:00Z',
    });

    for (let hour = 0; hour < 4 * 24 + 9; hour += 1) {
      // At half past every hour.
      await clock.pass(HOUR_MS / 2 - (clock.now() % HOUR_MS) + (clock.now() % HOUR_MS < HOUR_MS / 2 ? 0 : HOUR_MS));
      const { status } = await get(fairway);
      const last = reported.at(-1)?.split(' ')[1];
      if (status?.phase !== last) reported.push(`${formatTime(clock.now()).slice(5, 13)} ${status?.phase}`);
    }

    expect(reported).toEqual([
      '01-01T00 Ready',
      '01-01T20 Hibernated',
      '01-02T07 Ready',
      '01-02T20 Hibernated',
      '01-05T07 Ready',
    ]);
    expect((await get(fairway)).metadata.generation).toBe(before.metadata.generation);
  });

  test('apply after Fairway was down at the scheduled time', async () => {
    const { fairway, clock, uid } = await start({ hibernation }, SLOW_POLLING);
    await using _ = fairway;
    await fairway.stopProcess();
    await clock.pass(21 * HOUR_MS);

    await fairway.startProcess();
    await clock.pass(10 * MINUTE_MS);
    expect((await get(fairway)).status).toMatchObject({
      phase: 'Hibernated',
      hibernation: { wantedSince: '2026-01-01T20:00:00Z', next: { wake: '2026-01-02T07:00:00Z' } },
    });
    expect(fairway.runtime.isHibernated(uid)).toBe(true);
  });

  test('apply again after a manual request by the user', async () => {
    const { fairway, clock } = await start(
      { hibernation: { schedules: [{ hibernate: '0 1,4 * * *' }] } },
      SLOW_POLLING,
    );
    await using _ = fairway;
    await clock.pass(1.5 * HOUR_MS);
    expect((await get(fairway)).status?.phase).toBe('Hibernated');

    const requestedAt = formatTime(clock.now());
    await fairway.patch(clusters, 'demo', { spec: { hibernation: { requestedAt } } });
    await clock.pass(HOUR_MS);
    expect((await get(fairway)).status?.phase).toBe('Ready');
    await clock.pass(2 * HOUR_MS);
    expect((await get(fairway)).status?.phase).toBe('Hibernated');
  });
});

test('a PodDisruptionBudget does not prevent the deletion of a hibernating cluster’s nodes', async () => {
  // The response to an eviction if the PodDisruptionBudget allows no disruptions.
  const tenantFaults: ChooseApiFault = ({ path }) =>
    path.endsWith('/eviction') ? { kind: 'answer', status: 429 } : undefined;
  const { fairway, clock, uid } = await start({}, { tenantFaults });
  await using _ = fairway;
  const [machine] = await fairway.machines();
  const tenant = fairway.runtime.client(uid);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'kube-system', labels: { app: 'web' } },
  };
  const spec = { nodeName: machine?.metadata.name ?? '', containers: [{ name: 'web', image: 'web' }] };
  await tenant.resource<Pod>(Pods).create({ ...pod, spec });

  await hibernate(fairway);
  await clock.pass(10_000);
  const { metadata } = await tenant.resource<Pod>(Pods).get('web', { namespace: 'kube-system' });
  expect(metadata.deletionTimestamp).toBeDefined();
  // The pod's kubelet has terminated it.
  await tenant.resource<Pod>(Pods).delete('web', { namespace: 'kube-system', gracePeriodSeconds: 0 });
  await clock.pass(MINUTE_MS);

  expect((await get(fairway)).status?.phase).toBe('Hibernated');
});

test('an unresponsive control plane delays hibernation by three minutes, rather than ten per node', async () => {
  let isBroken = false;
  const tenantFaults: ChooseApiFault = () => (isBroken ? { kind: 'breaksBefore' } : undefined);
  const { fairway, clock } = await start({}, { tenantFaults });
  await using _ = fairway;
  isBroken = true;

  await hibernate(fairway);
  await clock.pass(2.5 * MINUTE_MS);
  expect(await fairway.machines()).toHaveLength(3);
  await clock.pass(2.5 * MINUTE_MS);
  expect(await fairway.machines()).toEqual([]);
});

test('an interrupted hibernation is resumed, regardless of when the process is killed', async () => {
  const { fairway, clock, uid } = await start();
  await using _ = fairway;
  const restart = async () => {
    await fairway.stopProcess();
    await fairway.startProcess();
  };
  for (const turn of [hibernate, wake]) {
    await turn(fairway);
    for (let step = 0; step < 12; step += 1) {
      await clock.pass(3_000);
      await restart();
    }
    await clock.pass(5 * MINUTE_MS);
    const { status } = await get(fairway);
    expect(status?.phase).toBe(turn === hibernate ? 'Hibernated' : 'Ready');
    expect(fairway.runtime.isHibernated(uid)).toBe(turn === hibernate);
    expect(await fairway.machines()).toHaveLength(turn === hibernate ? 0 : 3);
  }
});

test('waking during hibernation reverses it, and changes made to a pool in the meantime are applied', async () => {
  const { fairway, clock } = await start();
  await using _ = fairway;
  await hibernate(fairway);
  await clock.pass(3_000);
  await wake(fairway);
  await clock.pass(5 * MINUTE_MS);
  expect((await get(fairway)).status).toMatchObject({ phase: 'Ready', readySummary: '3/3' });

  await hibernate(fairway);
  await clock.pass(5 * MINUTE_MS);
  await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
  await clock.pass(10 * MINUTE_MS);
  expect(await fairway.machines()).toEqual([]);
  await wake(fairway);
  await clock.pass(5 * MINUTE_MS);
  expect((await get(fairway)).status?.readySummary).toBe('1/1');
});

test('a hibernated cluster can be deleted like any other', async () => {
  const { fairway, clock, uid } = await start();
  await using _ = fairway;
  await hibernate(fairway);
  await clock.pass(5 * MINUTE_MS);

  await fairway.delete(clusters, 'demo');
  await clock.pass(5 * MINUTE_MS);

  expect((await fairway.client.resource(clusters).list({ namespace: TEAM })).items).toEqual([]);
  expect(await fairway.runtime.list()).not.toContain(uid);
});

test('a version requested during hibernation is applied on waking', async () => {
  const { fairway, clock, uid } = await start();
  await using _ = fairway;
  await fairway.create(kubernetesReleases, aRelease('1.50', {}, [0]));
  await fairway.create(kubernetesReleases, aRelease('1.51', {}, [0]));
  await fairway.patch(clusters, 'demo', { spec: { hibernation: { enabled: true } } });
  await clock.pass(5 * MINUTE_MS);
  const { status } = await get(fairway);
  const [major = '', minor = '', patch = ''] = (status?.version ?? '').split('.');
  const olderVersion = `${major}.${minor}.${patch}`;
  const next = status?.nextUpgradeVersions?.[0] ?? '';
  await fairway.patch(clusters, 'demo', { spec: { version: next } });
  await clock.pass(10 * MINUTE_MS);

  const waiting = await get(fairway);
  expect(waiting.status).toMatchObject({ phase: 'Hibernated', version: olderVersion });
  expect(conditionOf(waiting, 'UpToDate')).toMatchObject({ reason: 'Hibernated' });
  expect(fairway.runtime.isHibernated(uid)).toBe(true);

  await wake(fairway);
  await clock.pass(5 * MINUTE_MS);
  const done = await get(fairway);
  expect(done.status?.version?.startsWith(`${next}.`)).toBe(true);
  expect(isReady(done)).toBe(true);
});

test('a quota that was reduced during hibernation is reported before the cluster is woken', async () => {
  const { fairway, clock } = await start({}, SLOW_POLLING);
  await using _ = fairway;
  await hibernate(fairway);
  await clock.pass(HOUR_MS);
  expect(conditionOf(await get(fairway), 'WakingPossible')?.status).toBe('True');

  fairway.cloud.setQuota('demo', { instances: 2 });
  await clock.pass(HOUR_MS);
  expect(conditionOf(await get(fairway), 'WakingPossible')).toMatchObject({
    status: 'False',
    reason: 'QuotaExceeded',
    message:
      "3 nodes need 3 instances, and the project's quota of 2 has 2 left: free something, ask for a larger quota, or scale pools down",
  });

  await wake(fairway);
  await clock.pass(5 * MINUTE_MS);
  const wakingCluster = await get(fairway);
  expect(wakingCluster.status).toMatchObject({
    phase: 'Waking',
    readySummary: '2/3',
    lastOperation: { type: 'Wake', state: 'Error' },
  });
  expect(conditionOf(wakingCluster, 'Ready')?.reason).toBe('QuotaExceeded');
  expect(conditionOf(wakingCluster, 'WakingPossible')).toBeUndefined();

  fairway.cloud.setQuota('demo', { instances: 100 });
  await clock.pass(HOUR_MS);
  expect((await get(fairway)).status).toMatchObject({
    phase: 'Ready',
    lastOperation: { type: 'Wake', state: 'Succeeded' },
  });
});

test('a rollout reclaims the slot of a hibernating cluster, and does not fail', async () => {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock });
  await using _ = fairway;
  const rollout = { maxConcurrent: 1, maxPercent: 100, maxFailures: 1, timeout: '15m', paused: false };
  await fairway.create(kubernetesReleases, aRelease('1.50', { rollout }, [0]));
  await clock.during(fairway.readyCluster({ replicas: 1 }, { version: '1.50' }));
  await hibernate(fairway);
  await clock.pass(5 * MINUTE_MS);

  const value = { spec: { patches: aRelease('1.50', {}, [0, 1]).spec.patches } };
  await fairway.client.resource(kubernetesReleases).patch('1.50', { type: 'merge', value });
  await clock.pass(HOUR_MS);
  const { status } = await fairway.client.resource(kubernetesReleases).get('1.50');
  expect(status?.rollout).toMatchObject({ state: 'Rolling', waiting: 1, moving: [], failed: [] });

  await wake(fairway);
  await clock.pass(HOUR_MS);
  expect((await get(fairway)).status).toMatchObject({ phase: 'Ready', version: '1.50.1' });
});
