import { ConditionType } from '@fairway/api/conditions';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { describe, expect, test } from 'vitest';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const HOUR_MS = 3_600_000;
const where = { namespace: TEAM };
const SEED = 4_242;

/** An idle cluster with two nodes. */
async function startIdle() {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({ clock, random: seededRandom(SEED), ...faults.options });
  await clock.during(fairway.readyCluster({ replicas: 2 }));
  await clock.pass(20_000);
  const cluster = () => fairway.client.resource(clusters).get('demo', where);
  const pool = () => fairway.client.resource(nodePools).get('general', where);
  const reachable = async () => findCondition((await cluster()).status?.conditions, ConditionType.CloudReachable);
  return { fairway, clock, faults, cluster, pool, reachable };
}

const OUTAGES: readonly { cause: string; fault: FaultInput; message: RegExp; noticedAfterMs?: number }[] = [
  {
    cause: 'broken connections to the whole cloud',
    fault: { action: { kind: 'drop' } },
    message:
      /^compute: Nova at 127\.0\.0\.1:\d+ cannot be reached while reading resources of the project; .* \(the connection was lost\); since 2\d{3}-/,
  },
  {
    cause: '503 from the whole cloud',
    fault: { action: { kind: 'answer', status: 503, message: 'maintenance' } },
    message: /^compute: Nova at 127\.0\.0\.1:\d+ returned status 503 while .* \(maintenance\); since /,
  },
  {
    cause: 'an outage of only Nova',
    fault: { service: 'compute', action: { kind: 'drop' } },
    message: /^compute: Nova at /,
  },
  {
    cause: 'an outage of only Neutron',
    fault: { service: 'network', action: { kind: 'drop' } },
    message: /^network: Neutron at /,
    noticedAfterMs: 1_300_000,
  },
];

describe('an hour-long outage', () => {
  test.each(OUTAGES)(
    'leaves a healthy cluster Ready despite $cause, and is reported once',
    async ({ fault, message, noticedAfterMs = 120_000 }) => {
      const { fairway, clock, faults, cluster, pool, reachable } = await startIdle();
      await using _ = fairway;
      const before = await cluster();
      const beganMs = clock.now();
      const writesBefore = faults.writes;
      fairway.cloud.faults.add({ ...fault, times: null });

      // A network-only outage is detected by the next comparison with the cloud, every ten minutes.
      await clock.pass(1_300_000);
      const condition = await reachable();
      const reportingWrites = faults.writes - writesBefore;
      await clock.pass(HOUR_MS - 1_300_000);
      const after = await cluster();
      const hourlyWrites = faults.writes - writesBefore;
      fairway.cloud.faults.clear();
      await clock.pass(600_000);

      expect(findCondition(before.status?.conditions, ConditionType.CloudReachable)?.status).toBe('True');
      expect(condition).toMatchObject({
        status: 'False',
        reason: 'CloudUnavailable',
        message: expect.stringMatching(message),
      });
      expect(Date.parse(condition?.lastTransitionTime ?? '') - beganMs).toBeLessThanOrEqual(noticedAfterMs);
      // If a token expires in the meantime, the report is about Keystone instead.
      expect(findCondition(after.status?.conditions, ConditionType.CloudReachable)).toMatchObject({
        status: 'False',
        reason: 'CloudUnavailable',
        lastTransitionTime: condition?.lastTransitionTime,
        message: expect.stringContaining(`; since ${condition?.lastTransitionTime}`),
      });
      expect(isReady(after)).toBe(true);
      expect(after.status?.phase).toBe('Ready');
      expect(await pool()).toMatchObject({ status: { phase: 'Ready', readyReplicas: 2 } });
      expect(reportingWrites).toBeLessThanOrEqual(10);
      expect(hourlyWrites).toBeLessThanOrEqual(12);
      expect(await reachable()).toMatchObject({ status: 'True' });
    },
  );

  test('is noticed within two minutes', async () => {
    const { fairway, clock, reachable } = await startIdle();
    await using _ = fairway;
    fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } });

    await clock.pass(120_000);

    expect((await reachable())?.status).toBe('False');
  });

  test('delays nodes requested in the meantime: they report the outage, and nothing is Degraded', async () => {
    const { fairway, clock, cluster, pool } = await startIdle();
    await using _ = fairway;
    fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } });
    await clock.pass(120_000);

    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await clock.pass(120_000);
    const waiting = { pool: await pool(), cluster: await cluster() };
    fairway.cloud.faults.clear();
    await clock.during(fairway.until(nodePools, (all) => all.every((one) => one.status?.readyReplicas === 3)));

    expect(waiting.pool.status?.phase).toBe('Scaling');
    expect(waiting.cluster.status?.phase).toBe('Updating');
    for (const { status } of [waiting.pool, waiting.cluster]) {
      expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'CloudUnavailable' });
    }
  });

  test('does not create an Event on the cluster', async () => {
    const { fairway, clock } = await startIdle();
    await using _ = fairway;
    const { items: before } = await fairway.client.resource(Events).list(where);
    fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } });

    await clock.pass(HOUR_MS);

    const { items } = await fairway.client.resource(Events).list(where);
    expect(items.map(({ reason }) => reason)).toEqual(before.map(({ reason }) => reason));
  });
});

test('an added node is not a failure', async () => {
  const { fairway, clock } = await startIdle();
  await using _ = fairway;
  const seen = new Set<string>();
  const note = async () => {
    for (const { status } of (await fairway.client.resource(clusters).list(where)).items)
      seen.add(`Cluster ${status?.phase}`);
    for (const { status } of (await fairway.client.resource(nodePools).list(where)).items)
      seen.add(`NodePool ${status?.phase}`);
  };

  fairway.cloud.faults.add({
    service: 'compute',
    method: 'POST',
    path: '/servers$',
    times: null,
    action: { kind: 'delay', delayMs: 20_000 },
  });

  await fairway.patch(nodePools, 'general', { spec: { replicas: 4 } });
  for (let i = 0; i < 200; i++) {
    await clock.pass(500);
    await note();
  }

  expect([...seen].sort()).toEqual(['Cluster Ready', 'Cluster Updating', 'NodePool Ready', 'NodePool Scaling']);
});
