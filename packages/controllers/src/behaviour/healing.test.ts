import { EXCLUDE_FROM_HEALING_ANNOTATION, REPAIR_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { formatTime } from '@fairway/base/clock';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const where = { namespace: TEAM };

type Pool = NonNullable<Parameters<TestFairway['createPool']>[0]>;

/** A cluster whose nodes have been Ready for a while. */
async function startHealthyNodes(pool: Pool = {}) {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({ clock, random: seededRandom(4_242), ...faults.options });
  const healing = { strategy: 'Replace' as const, ...pool.healing };
  const cluster = await clock.during(fairway.readyCluster({ replicas: 3, ...pool, healing }));
  await clock.pass(5 * MINUTE_MS);
  const nodes = () => fairway.runtime.client(identityOf(cluster)).resource(tenantNodes);
  const say = (name: string, status: 'True' | 'False' | 'Unknown') => {
    const condition = { type: 'Ready', status, reason: 'Test', message: `the kubelet is ${status}` };
    return nodes().patch(
      name,
      { type: 'merge', value: { status: { conditions: [condition] } } },
      { subresource: 'status' },
    );
  };
  const names = async () => (await fairway.machines()).map(({ metadata }) => metadata.name ?? '').sort();
  const [a = '', b = '', c = ''] = await names();
  return {
    fairway,
    clock,
    faults,
    nodes,
    names,
    all: [a, b, c],
    a,
    b,
    c,
    fail: (...failing: readonly string[]) => Promise.all(failing.map((name) => say(name, 'False'))),
    recover: (...recoveredNames: readonly string[]) => Promise.all(recoveredNames.map((name) => say(name, 'True'))),
    machine: (name: string) => fairway.client.resource(machines).get(name, where),
    markOf: async (name: string) => (await fairway.client.resource(machines).get(name, where)).status?.marks?.repair,
    pool: () => fairway.client.resource(nodePools).get('general', where),
    annotate: (name: string, annotations: Record<string, string | null>) =>
      fairway.patch(machines, name, { metadata: { annotations } as never }),
    events: async () =>
      (await fairway.client.resource(Events).list(where)).items.filter(({ reason = '' }) =>
        /^Repair|Vanished/.test(reason),
      ),
    serverOf: async (name: string) => (await fairway.client.resource(machines).get(name, where)).status?.serverID ?? '',
  };
}

const healthOf = ({ status }: Machine) => findCondition(status?.conditions, 'HealthCheckSucceeded');

describe('a node that is NotReady', () => {
  test('is replaced after ten minutes: the new one is created first', async () => {
    const { fairway, clock, a, all, fail, names, pool, events, machine } = await startHealthyNodes();
    await using _ = fairway;
    await fail(a);
    await clock.pass(9 * MINUTE_MS);
    const before = { names: await names(), mark: (await machine(a)).status?.marks?.repair };
    await clock.pass(90_000);
    const during = await names();
    await clock.pass(5 * MINUTE_MS);

    expect(before).toEqual({ names: all, mark: undefined });
    expect(during.length).toBeGreaterThanOrEqual(3);
    const after = await names();
    expect(after).toHaveLength(3);
    expect(after).not.toContain(a);
    expect((await fairway.machines()).every(isReady)).toBe(true);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 3 });
    expect((await events()).map(({ reason }) => reason)).toEqual(['RepairStarted', 'Repaired']);
    expect((await pool()).status).toMatchObject({ phase: 'Ready' });
    expect(findCondition((await pool()).status?.conditions, 'NodesHealthy')).toBeUndefined();
  });

  test('is not repaired if it recovers in time', async () => {
    const { fairway, clock, a, all, fail, recover, names, events } = await startHealthyNodes();
    await using _ = fairway;
    await fail(a);
    await clock.pass(9 * MINUTE_MS);
    await recover(a);
    await clock.pass(30 * MINUTE_MS);

    expect(await names()).toEqual(all);
    expect(await events()).toEqual([]);
  });

  test.each([
    { who: 'pool', healing: { notReadyTimeout: '3m' }, plan: '20m' },
    { who: 'plan', healing: {}, plan: '3m' },
  ])('is replaced after the $who’s timeout', async ({ healing, plan }) => {
    const { fairway, clock, a, all, fail, names } = await startHealthyNodes({ healing });
    await using _ = fairway;
    const value = { spec: { healing: { notReadyTimeout: plan } } };
    await fairway.client.resource(plans).patch('free', { type: 'merge', value });
    await fail(a);
    await clock.pass(2 * MINUTE_MS);
    const before = await names();
    await clock.pass(5 * MINUTE_MS);

    expect(before).toEqual(all);
    expect(await names()).not.toContain(a);
  });

  test.each([
    { who: 'pool', strategy: 'Reinstall' as const, plan: 'Replace', repaired: 'reinstalled' },
    { who: 'pool', strategy: 'Replace' as const, plan: 'Reinstall', repaired: 'replaced' },
    { who: 'plan', strategy: undefined, plan: 'Reinstall', repaired: 'reinstalled' },
    { who: 'plan', strategy: undefined, plan: 'Replace', repaired: 'replaced' },
  ])('is $repaired according to the $who’s strategy', async ({ strategy, plan, repaired }) => {
    const healing = strategy ? { strategy } : { strategy: undefined };
    const { fairway, clock, a, fail, serverOf } = await startHealthyNodes({ healing });
    await using _ = fairway;
    const value = { spec: { healing: { strategy: plan } } };
    await fairway.client.resource(plans).patch('free', { type: 'merge', value });
    const serverID = await serverOf(a);
    await fail(a);
    await clock.pass(40 * MINUTE_MS);

    const after = await fairway.machines();
    const kept = after.find(({ status }) => status?.serverID === serverID);
    expect(after.every(isReady)).toBe(true);
    expect(after.some(({ status }) => status?.marks?.repair)).toBe(false);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 3 });
    expect({ name: kept?.metadata.name, hasNewDisk: kept?.status?.installed?.reinstallTime !== undefined }).toEqual(
      repaired === 'reinstalled' ? { name: a, hasNewDisk: true } : { name: undefined, hasNewDisk: false },
    );
  });

  test('is repaired one at a time, the longest unhealthy first', async () => {
    const { fairway, clock, a, b, fail, names, markOf } = await startHealthyNodes({ replicas: 5 });
    await using _ = fairway;
    await fail(b);
    await clock.pass(MINUTE_MS);
    await fail(a);
    fairway.cloud.faults.add({
      service: 'compute',
      method: 'POST',
      path: '/servers$',
      times: null,
      action: { kind: 'answer', status: 500 },
    });
    await clock.pass(11 * MINUTE_MS);
    const during = [await markOf(a), await markOf(b)];
    fairway.cloud.faults.clear();
    await clock.pass(20 * MINUTE_MS);

    expect(during).toMatchObject([
      { due: false, reason: 'RepairInProgress' },
      { due: true, reason: 'NodeNotReady', strategy: 'Replace' },
    ]);
    const after = await names();
    expect(after).toHaveLength(5);
    expect(after).not.toContain(a);
    expect(after).not.toContain(b);
  });
});

describe('nothing is repaired', () => {
  test('while all nodes are NotReady, for hours', async () => {
    const { fairway, clock, faults, all, fail, names, markOf, a, events, pool } = await startHealthyNodes();
    await using _ = fairway;
    await fail(...all);
    await clock.pass(15 * MINUTE_MS);
    const reportedMark = await markOf(a);
    const writes = faults.writes;
    await clock.pass(180 * MINUTE_MS);

    expect(await names()).toEqual(all);
    expect(reportedMark).toMatchObject({ due: false, reason: 'TooManyUnhealthy' });
    expect(await markOf(a)).toEqual(reportedMark);
    expect(faults.writes - writes).toBe(0);
    expect((await events()).map(({ reason }) => reason)).toEqual(['RepairHeld', 'RepairHeld', 'RepairHeld']);
    expect(findCondition((await pool()).status?.conditions, 'NodesHealthy')).toMatchObject({
      status: 'False',
      reason: 'TooManyUnhealthy',
    });
  });

  test.each([
    { maxUnhealthy: '0', broken: 1 },
    { maxUnhealthy: '1', broken: 2 },
    { maxUnhealthy: '70%', broken: 3 },
  ])('while more are broken than the pool allows: $broken of three, $maxUnhealthy', async (testCase) => {
    const { fairway, clock, all, a, fail, recover, names, markOf } = await startHealthyNodes({
      healing: { maxUnhealthy: testCase.maxUnhealthy },
    });
    await using _ = fairway;
    await fail(...all.slice(0, testCase.broken));
    await clock.pass(30 * MINUTE_MS);
    const held = { names: await names(), mark: await markOf(a) };
    await recover(...all.slice(1));
    await clock.pass(5 * MINUTE_MS);

    expect(held).toMatchObject({ names: all, mark: { due: false, reason: 'TooManyUnhealthy' } });
    expect((await names()).includes(a)).toBe(testCase.maxUnhealthy === '0');
  });

  test('for an excluded machine, until it is included again', async () => {
    const { fairway, clock, a, fail, annotate, machine, names } = await startHealthyNodes();
    await using _ = fairway;
    await annotate(a, { [EXCLUDE_FROM_HEALING_ANNOTATION]: 'forensics' });
    await fail(a);
    await clock.pass(60 * MINUTE_MS);
    const held = healthOf(await machine(a));
    await annotate(a, { [EXCLUDE_FROM_HEALING_ANNOTATION]: null });
    await clock.pass(5 * MINUTE_MS);

    expect(held).toMatchObject({ status: 'False', reason: 'ExcludedFromHealing' });
    expect(await names()).not.toContain(a);
  });

  test('in a pool that has opted out, except on request', async () => {
    const { fairway, clock, a, b, all, fail, annotate, names, markOf } = await startHealthyNodes({
      healing: { enabled: false },
    });
    await using _ = fairway;
    await fail(a);
    await clock.pass(60 * MINUTE_MS);
    const left = { names: await names(), mark: await markOf(a) };
    await annotate(b, { [REPAIR_ANNOTATION]: 'now' });
    await clock.pass(5 * MINUTE_MS);

    expect(left).toMatchObject({ names: all, mark: { due: false, reason: 'HealingDisabled' } });
    expect(await names()).toContain(a);
    expect(await names()).not.toContain(b);
  });

  test('because of the time before Fairway started: the timeout starts when Fairway does', async () => {
    const { fairway, clock, a, all, fail, names } = await startHealthyNodes();
    await using _ = fairway;
    await fail(a);
    await clock.pass(8 * MINUTE_MS);
    await fairway.stopProcess();
    await clock.pass(60 * MINUTE_MS);
    await fairway.startProcess();
    await clock.pass(9 * MINUTE_MS);
    const before = await names();
    await clock.pass(5 * MINUTE_MS);

    expect(before).toEqual(all);
    expect(await names()).not.toContain(a);
  });

  test('right after the control plane has recovered', async () => {
    const { fairway, clock, a, all, fail, recover, names } = await startHealthyNodes();
    await using _ = fairway;
    await fail(a);
    await clock.pass(9 * MINUTE_MS);
    fairway.runtime.reportState({ ready: false, phase: 'Failed', reason: 'ControlPlaneFailed', message: 'restarts' });
    await clock.pass(30_000);
    fairway.runtime.reportState({ ready: true, phase: 'Running', reason: 'AsExpected', message: '' });
    await fail(...all);
    await clock.pass(MINUTE_MS);
    await recover(...all.slice(1));
    await clock.pass(7 * MINUTE_MS);
    const before = await names();
    await clock.pass(5 * MINUTE_MS);

    expect(before).toEqual(all);
    expect(await names()).not.toContain(a);
  });
});

describe('a server', () => {
  test('is replaced immediately if it was deleted, regardless of how many other nodes are unhealthy', async () => {
    const { fairway, clock, a, b, c, fail, names, serverOf, events } = await startHealthyNodes();
    await using _ = fairway;
    await fail(b, c);
    await fairway.process.project.client.compute.servers.delete(await serverOf(a));
    await clock.pass(3 * MINUTE_MS);

    expect(await names()).not.toContain(a);
    expect(await names()).toEqual(expect.arrayContaining([b, c]));
    expect((await events()).map(({ reason }) => reason)).toContain('ServerVanished');
  });

  test('is replaced half an hour after it was stopped', async () => {
    const { fairway, clock, a, fail, names, serverOf } = await startHealthyNodes();
    await using _ = fairway;
    const { servers } = fairway.process.project.client.compute;
    await (servers as unknown as { stop(id: string): Promise<void> }).stop(await serverOf(a));
    await fail(a);
    await clock.pass(28 * MINUTE_MS);
    const before = await names();
    await clock.pass(8 * MINUTE_MS);

    expect(before).toContain(a);
    expect(await names()).not.toContain(a);
  });
});

describe('a repair that did not help', () => {
  test('delays the next one, for longer each time', async () => {
    const { fairway, clock, all, fail, names, pool } = await startHealthyNodes();
    await using _ = fairway;
    const replacedMs: number[] = [];
    let known = all;
    const beganMs = clock.now();
    await fail(all[0] ?? '');
    for (let minutes = 0; minutes < 180; minutes++) {
      await clock.pass(MINUTE_MS);
      const now = await names();
      const added = now.filter((name) => !known.includes(name));
      if (added.length > 0) replacedMs.push(clock.now() - beganMs);
      known = now;
      // Every new node fails as soon as it exists.
      for (const name of added) await clock.pass(30_000).then(() => fail(name));
    }

    const pausesMinutes = replacedMs.map((ms, index) => Math.round((ms - (replacedMs[index - 1] ?? 0)) / MINUTE_MS));
    expect(pausesMinutes.length).toBeGreaterThanOrEqual(4);
    expect(pausesMinutes.slice(1)).toEqual(pausesMinutes.slice(1).toSorted((x, y) => x - y));
    expect((await pool()).status?.healing?.failures).toBeGreaterThanOrEqual(3);
  });
});

test('a healthy node is repaired on request, once for each request', async () => {
  const { fairway, clock, a, annotate, names } = await startHealthyNodes();
  await using _ = fairway;
  await annotate(a, { [REPAIR_ANNOTATION]: formatTime(clock.now()) });
  await clock.pass(5 * MINUTE_MS);
  const after = await names();
  await clock.pass(60 * MINUTE_MS);

  expect(after).not.toContain(a);
  expect(await names()).toEqual(after);
  const cluster = await fairway.client.resource(clusters).get('demo', where);
  expect(isReady(cluster)).toBe(true);
});
