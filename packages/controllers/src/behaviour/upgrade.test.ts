import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events, Namespaces, Pods } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { isReady, TEAM } from '../testing/test-fairway.ts';
import { UpgradeScenario } from '../testing/upgrade-scenario.ts';

/** Creates a pod on each node, protected by a PodDisruptionBudget. */
async function blockDrains({ fairway, faults }: UpgradeScenario): Promise<void> {
  const [cluster] = (await fairway.client.resource(clusters).list()).items;
  const tenant = fairway.runtime.client(cluster ? identityOf(cluster) : '');
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  for (const { metadata } of await fairway.machines()) {
    await tenant.resource(Pods).create({
      metadata: { name: `database-${metadata.name}`, namespace: 'default' },
      spec: { containers: [{ name: 'database', image: 'postgres' }], nodeName: metadata.name ?? '' },
    });
  }
  faults.blocksEvictions = true;
}

const isComplete = ({ state }: PoolUpgrade) => state === 'Complete';
const MINUTE_MS = 60_000;

describe('a rolling upgrade', () => {
  test('replaces the nodes one after another, new ones first, after the control plane', async () => {
    await using upgrading = await UpgradeScenario.start();

    await upgrading.upgrade();
    const pool = await upgrading.until(isComplete);

    expect(await upgrading.versions()).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history).toMatchObject({ maxMachines: 4, minAvailable: 3 });
    expect(pool.status?.upgrade).toMatchObject({ summary: '3/3', strategy: 'Rolling' });
    await upgrading.clock.pass(MINUTE_MS);
    const { status } = await upgrading.pool();
    expect(status).toMatchObject({ phase: 'Ready', lastOperation: { type: 'Upgrade', state: 'Succeeded' } });
    expect(findCondition(status?.conditions, 'UpToDate')?.status).toBe('True');
    const events = await upgrading.clock.during(upgrading.fairway.client.resource(Events).list({ namespace: TEAM }));
    const eventReasons = events.items
      .filter(({ involvedObject }) => involvedObject.kind === 'NodePool')
      .map(({ reason }) => reason);
    expect(eventReasons).toEqual(expect.arrayContaining(['UpgradeStarted', 'NodeRenewed', 'UpgradeComplete']));
  });

  test.each([
    { reason: 'no surge, one unavailable at a time', maxSurge: 0, maxUnavailable: 1, most: 3, fewest: 2 },
    { reason: 'several at a time', maxSurge: 2, maxUnavailable: 0, most: 5, fewest: 3 },
    { reason: 'both', maxSurge: 1, maxUnavailable: 1, most: 4, fewest: 2 },
    { reason: 'percentages: two more, none unavailable', maxSurge: '34%', maxUnavailable: '33%', most: 5, fewest: 3 },
    { reason: 'a percentage: two unavailable', maxSurge: 0, maxUnavailable: '67%', most: 3, fewest: 1 },
  ])('stays within its limits: $reason', async ({ maxSurge, maxUnavailable, most, fewest }) => {
    await using upgrading = await UpgradeScenario.start({ strategy: { type: 'Rolling', maxSurge, maxUnavailable } });

    await upgrading.upgrade();
    await upgrading.until(isComplete);

    expect(await upgrading.versions()).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history.maxMachines).toBeLessThanOrEqual(most);
    expect(upgrading.history.minAvailable).toBeGreaterThanOrEqual(fewest);
  });

  test('creates as many new nodes at a time as maxSurge allows', async () => {
    await using upgrading = await UpgradeScenario.start({ strategy: { type: 'Rolling', maxSurge: 3 } });

    await upgrading.upgrade();
    await upgrading.until(isComplete);

    // The first one alone, then the other two together.
    expect(upgrading.history).toMatchObject({ maxMachines: 5, minAvailable: 3 });
  });

  test('updates as many nodes at a time as maxUnavailable allows', async () => {
    const strategy = { type: 'Rolling', maxSurge: 0, maxUnavailable: '67%' } as const;
    await using upgrading = await UpgradeScenario.start({ strategy });

    await upgrading.upgrade();
    await upgrading.until(isComplete);

    expect(upgrading.history).toMatchObject({ maxMachines: 3, minAvailable: 1 });
  });

  test('follows the plan if the pool specifies nothing', async () => {
    await using upgrading = await UpgradeScenario.start({ strategy: {}, cluster: { plan: 'standard' } });

    await upgrading.upgrade();
    const pool = await upgrading.until(isComplete);

    expect(pool.status?.upgrade).toMatchObject({ strategy: 'Rolling', summary: '3/3' });
  });

  test('updates pools of a higher priority first', async () => {
    await using upgrading = await UpgradeScenario.start();
    const { clock, fairway } = upgrading;
    await clock.during(
      fairway.createPool({ replicas: 2, upgradeStrategy: { type: 'Rolling', priority: 10 } }, 'first'),
    );
    await clock.during(fairway.poolReady('first'));

    await upgrading.upgrade();
    const waiting = await upgrading.until(({ reason }) => reason === 'WaitingForPools');
    await clock.during(fairway.until(nodePools, ([first]) => first?.status?.upgrade?.state === 'Complete', 'first'));
    const done = await upgrading.pool();
    await upgrading.until(isComplete);

    expect(waiting.status?.upgrade?.message).toBe(
      'pool first is updated first: its spec.upgradeStrategy.priority is 10',
    );
    expect(done.status?.upgrade?.done).toBe(0);
  });

  test('is forced after the drain timeout if a PodDisruptionBudget protects a pod', async () => {
    await using upgrading = await UpgradeScenario.start({ strategy: { type: 'Rolling', drainTimeout: '5m' } });
    const { clock, history } = upgrading;
    await clock.during(blockDrains(upgrading));

    await upgrading.upgrade();
    const held = await upgrading.until(({ reason }) => reason === 'PodDisruptionBudget');
    await clock.pass(3 * MINUTE_MS);
    expect(history.deleted).toHaveLength(1);
    expect(findCondition(held.status?.conditions, 'Ready')?.status).toBe('True');

    await upgrading.until(isComplete);
    expect(history).toMatchObject({ maxMachines: 4, minAvailable: 3 });
  });

  test('halts if the new node does not join, and continues once that node is replaced', async () => {
    await using upgrading = await UpgradeScenario.start({ pool: { healing: { enabled: false } } });
    upgrading.nodesJoin = false;

    await upgrading.upgrade();
    const halted = await upgrading.until(({ state }) => state === 'Halted');
    await upgrading.clock.pass(60 * MINUTE_MS);

    expect(halted.status?.upgrade).toMatchObject({ reason: 'UpgradeHalted', summary: '0/3' });
    expect(upgrading.history).toMatchObject({ maxMachines: 4, minAvailable: 3, deleted: [] });

    upgrading.nodesJoin = true;
    const broken = (await upgrading.machines()).find((machine) => !isReady(machine));
    await upgrading.clock.during(upgrading.fairway.delete(machines, broken?.metadata.name ?? ''));
    await upgrading.until(isComplete);
    expect(await upgrading.versions()).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history.minAvailable).toBe(3);
  });

  test('continues automatically when a new node that did not join is repaired', async () => {
    await using upgrading = await UpgradeScenario.start();
    const old = (await upgrading.machines()).map(({ metadata }) => metadata.name);
    upgrading.nodesJoin = false;

    await upgrading.upgrade();
    await upgrading.until(({ state }) => state === 'Halted');
    await upgrading.clock.pass(60 * MINUTE_MS);
    expect(upgrading.history.deleted.filter((name) => old.includes(name))).toEqual([]);

    upgrading.nodesJoin = true;
    await upgrading.until(isComplete);
    expect(await upgrading.versions()).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history.minAvailable).toBe(3);
  });

  test('waits for quota that its surge needs, and continues automatically', async () => {
    await using upgrading = await UpgradeScenario.start();
    upgrading.fairway.cloud.setQuota('demo', { instances: 3 });

    await upgrading.upgrade();
    await upgrading.until(({ reason }) => reason === 'QuotaExceeded');
    await upgrading.clock.pass(60 * MINUTE_MS);
    expect(upgrading.history).toMatchObject({ minAvailable: 3, deleted: [] });

    upgrading.fairway.cloud.setQuota('demo', { instances: 4 });
    await upgrading.until(isComplete);
    expect(upgrading.history).toMatchObject({ maxMachines: 4, minAvailable: 3 });
  });

  test('stops updating nodes while it is paused, and after it is aborted', async () => {
    await using upgrading = await UpgradeScenario.start();
    await upgrading.upgrade();
    await upgrading.until(({ done }) => done === 1);

    await upgrading.patchPool({ spec: { upgradeStrategy: { paused: true } } });
    await upgrading.until(({ state }) => state === 'Paused');
    await upgrading.clock.pass(60 * MINUTE_MS);
    const paused = await upgrading.pool();
    expect(paused.status?.replicas).toBe(3);
    expect(findCondition(paused.status?.conditions, 'UpToDate')).toMatchObject({ reason: 'UpgradePaused' });

    await upgrading.patchPool({ spec: { upgradeStrategy: { paused: false } } });
    const { done = 0, target } = paused.status?.upgrade ?? {};
    await upgrading.until(({ state }) => state === 'Running');
    await upgrading.patchPool({ metadata: { annotations: { 'fairway.dev/abort-upgrade': target } } });
    await upgrading.until(({ state }) => state === 'Aborted');
    await upgrading.clock.pass(60 * MINUTE_MS);
    const versions = await upgrading.versions();
    expect(versions).toContain('1.50.0');
    expect(versions.filter((version) => version === '1.51.0').length).toBeGreaterThanOrEqual(done);

    await upgrading.patchPool({ metadata: { annotations: { 'fairway.dev/abort-upgrade': null } } });
    await upgrading.until(isComplete);
    expect(upgrading.history.minAvailable).toBe(3);
  });

  test('continues with fewer nodes if the pool shrinks, and replaces machines that a user deletes', async () => {
    await using upgrading = await UpgradeScenario.start({ replicas: 4 });
    await upgrading.upgrade();
    await upgrading.until(({ done }) => done === 1);

    await upgrading.patchPool({ spec: { replicas: 3 } });
    const old = (await upgrading.machines()).find(({ spec }) => spec.version === '1.50.0');
    await upgrading.clock.during(upgrading.fairway.delete(machines, old?.metadata.name ?? ''));
    await upgrading.until(isComplete);
    await upgrading.clock.pass(MINUTE_MS);

    expect(await upgrading.versions()).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history.maxMachines).toBeLessThanOrEqual(5);
  });

  test('does not update nodes while the API server is down', async () => {
    await using upgrading = await UpgradeScenario.start();
    await upgrading.upgrade();
    await upgrading.until(({ state }) => state === 'Running');

    upgrading.fairway.runtime.reportState({ ready: false, reason: 'ControlPlaneFailed', message: 'down' });
    const { deleted } = upgrading.history;
    const before = deleted.length;
    await upgrading.clock.pass(60 * MINUTE_MS);
    expect(deleted.length - before).toBeLessThanOrEqual(1);
    expect((await upgrading.pool()).status?.upgrade?.reason).toBe('WaitingForControlPlane');

    upgrading.fairway.runtime.reportState({});
    await upgrading.until(isComplete);
    expect(upgrading.history.minAvailable).toBe(3);
  });

  test('is resumed if Fairway is killed halfway', async () => {
    await using upgrading = await UpgradeScenario.start();
    await upgrading.upgrade();
    for (let kills = 0; kills < 5; kills++) {
      await upgrading.clock.pass(2_000);
      await upgrading.clock.during(upgrading.fairway.stopProcess());
      await upgrading.clock.during(upgrading.fairway.startProcess());
    }
    await upgrading.until(isComplete);

    expect(await upgrading.versions()).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history).toMatchObject({ maxMachines: 4, minAvailable: 3 });
    expect((await upgrading.pool()).status?.upgrade?.summary).toBe('3/3');
  });
});

describe('an in-place upgrade', () => {
  test('reinstalls the same servers, one after another', async () => {
    await using upgrading = await UpgradeScenario.start({ strategy: { type: 'InPlace' } });
    const before = await upgrading.machines();

    await upgrading.upgrade();
    const pool = await upgrading.until(isComplete);

    const after = await upgrading.machines();
    const serverOf = ({ metadata, status }: Machine) => [metadata.name, status?.serverID, status?.address];
    expect(after.map(serverOf)).toEqual(before.map(serverOf));
    expect(after.map(({ status }) => status?.installed?.version)).toEqual(['1.51.0', '1.51.0', '1.51.0']);
    expect(upgrading.history).toMatchObject({ maxMachines: 3, minAvailable: 2, deleted: [] });
    expect(pool.status?.upgrade).toMatchObject({ summary: '3/3', strategy: 'InPlace' });
  });

  test('halts if the first server does not come back, and does not update others', async () => {
    await using upgrading = await UpgradeScenario.start({
      strategy: { type: 'InPlace' },
      pool: { healing: { enabled: false } },
    });
    upgrading.nodesJoin = false;

    await upgrading.upgrade();
    await upgrading.until(({ state }) => state === 'Halted');
    await upgrading.clock.pass(60 * MINUTE_MS);

    const versions = await upgrading.versions();
    expect(versions.filter((version) => version === '1.51.0')).toHaveLength(1);
    expect(upgrading.history).toMatchObject({ minAvailable: 2, deleted: [] });
  });
});
