import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePoolStatus, nodePools } from '@fairway/api/kinds/node-pool';
import type { LastOperation } from '@fairway/api/kinds/status';
import { Informer } from '@fairway/kube/client/informer';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { TEAM } from '../testing/test-fairway.ts';
import { UpgradeScenario } from '../testing/upgrade-scenario.ts';

const MINUTE_MS = 60_000;
const NODE_COUNT = 12;

/** What a client that watches the cluster has seen. */
class Watcher implements AsyncDisposable {
  readonly operations: LastOperation[] = [];
  /** Counts the writes to the cluster. */
  writes = 0;
  readonly #stop = new AbortController();
  readonly #informer: Informer<Cluster>;

  private constructor({ fairway, clock }: UpgradeScenario) {
    this.#informer = new Informer(fairway.client.resource(clusters), { namespace: TEAM, clock });
    this.#informer.addHandler({
      onUpdate: (_, { status }) => {
        this.writes++;
        if (status?.lastOperation) this.operations.push(status.lastOperation);
      },
    });
  }

  static async of(upgrading: UpgradeScenario): Promise<Watcher> {
    const watcher = new Watcher(upgrading);
    watcher.#informer.start(watcher.#stop.signal);
    await watcher.#informer.whenSynced(watcher.#stop.signal);
    return watcher;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#informer.stopped;
  }
}

function cluster({ clock, fairway }: UpgradeScenario): Promise<Cluster> {
  return clock.during(fairway.client.resource(clusters).get('demo', { namespace: TEAM }));
}

async function untilCluster(
  { clock, fairway }: UpgradeScenario,
  check: (operation: LastOperation) => boolean,
): Promise<Cluster> {
  const [found] = await clock.during(
    fairway.until(
      clusters,
      ([each]) => Boolean(each?.status?.lastOperation && check(each.status.lastOperation)),
      'demo',
    ),
  );
  return found as Cluster;
}

function neverDecreases(numbers: readonly number[]): boolean {
  return numbers.every((value, index) => index === 0 || value >= (numbers[index - 1] ?? 0));
}

const isSucceeded = ({ type, state }: LastOperation) => type === 'Upgrade' && state === 'Succeeded';

test('an upgrade of a cluster is one operation, from its control plane to its last node', async () => {
  await using upgrading = await UpgradeScenario.start({
    replicas: NODE_COUNT,
    strategy: { type: 'Rolling', maxSurge: 3 },
  });
  await using watcher = await Watcher.of(upgrading);

  await upgrading.upgrade();
  const halfway = await untilCluster(upgrading, ({ steps }) => (steps?.done ?? 0) > NODE_COUNT / 2);
  await untilCluster(upgrading, isSucceeded);
  await upgrading.clock.pass(MINUTE_MS);

  expect(halfway.status?.lastOperation).toMatchObject({
    type: 'Upgrade',
    state: 'Processing',
    steps: { total: NODE_COUNT + 1 },
    summary: expect.stringMatching(/^Upgrade [5-9]\d%$/),
    estimatedEndTime: expect.stringMatching(/Z$/),
    description: 'the nodes of pool general are being updated',
  });
  expect(halfway.status?.upToDate).toBe(false);
  expect(findCondition(halfway.status?.conditions, 'UpToDate')).toMatchObject({ status: 'False', reason: 'Updating' });
  const upgrades = watcher.operations.slice(watcher.operations.findIndex(({ type }) => type === 'Upgrade'));
  expect(new Set(upgrades.map(({ type }) => type))).toEqual(new Set(['Upgrade']));
  expect(new Set(upgrades.map(({ startTime }) => startTime)).size).toBe(1);
  expect(neverDecreases(upgrades.map(({ progress }) => progress))).toBe(true);
  // Unfinished until it succeeds, and never unfinished afterwards.
  const firstSuccessIndex = upgrades.findIndex(isSucceeded);
  expect(upgrades.slice(firstSuccessIndex).every(isSucceeded)).toBe(true);
  const { status } = await cluster(upgrading);
  expect(status).toMatchObject({ phase: 'Ready', upToDate: true, lastOperation: { progress: 100 } });
  expect(status?.lastOperation?.summary).toBeUndefined();
  expect(findCondition(status?.conditions, 'UpToDate')?.status).toBe('True');
  const { items } = await upgrading.clock.during(upgrading.fairway.client.resource(Events).list({ namespace: TEAM }));
  const reported = items.filter(({ involvedObject }) => involvedObject.kind === 'Cluster').map(({ reason }) => reason);
  expect(reported.filter((reason) => reason?.startsWith('Upgrade'))).toEqual(['UpgradeStarted', 'UpgradeComplete']);
  // One node created, one deleted, and one more done: no more than a user would notice.

  expect(watcher.writes).toBeLessThan(4 * NODE_COUNT);
});

test('an upgrade that is paused and then aborted reports the time, and writes nothing more', async () => {
  await using upgrading = await UpgradeScenario.start();
  await upgrading.upgrade();
  await upgrading.until(({ done }) => done === 1);

  await upgrading.patchPool({ spec: { upgradeStrategy: { paused: true } } });
  await untilCluster(upgrading, ({ reason, state }) => reason === 'UpgradePaused' && state === 'Pending');
  await upgrading.clock.pass(30 * MINUTE_MS);
  const writes = upgrading.faults.writes;
  await upgrading.clock.pass(60 * MINUTE_MS);

  expect(upgrading.faults.writes - writes).toBe(0);
  const paused = (await upgrading.pool()).status;
  const waiting = (await cluster(upgrading)).status;
  expect(paused?.lastOperation).toMatchObject({ type: 'Upgrade', state: 'Pending', reason: 'UpgradePaused' });
  expect(waiting?.lastOperation).toMatchObject({
    type: 'Upgrade',
    state: 'Pending',
    reason: 'UpgradePaused',
    since: paused?.upgrade?.since,
    description: 'pool general: spec.upgradeStrategy.paused: no further node is updated until it is false',
  });
  expect(findCondition(waiting?.conditions, 'UpToDate')).toMatchObject({ status: 'False', reason: 'UpgradePaused' });

  const { target } = paused?.upgrade ?? {};
  await upgrading.patchPool({ metadata: { annotations: { 'fairway.dev/abort-upgrade': target } } });
  const aborted = await untilCluster(upgrading, ({ state }) => state === 'Failed');
  expect(aborted.status?.lastOperation).toMatchObject({
    type: 'Upgrade',
    reason: 'UpgradeAborted',
    description: 'the upgrade of pool general was aborted: its remaining nodes are left unchanged',
  });
  expect((await upgrading.pool()).status?.lastOperation).toMatchObject({ type: 'Upgrade', state: 'Failed' });

  await upgrading.patchPool({
    metadata: { annotations: { 'fairway.dev/abort-upgrade': null } },
    spec: { upgradeStrategy: { paused: false } },
  });
  await untilCluster(upgrading, isSucceeded);
});

test('a pool created later is part of the same operation', async () => {
  await using upgrading = await UpgradeScenario.start({ replicas: 2 });
  const { clock, fairway } = upgrading;
  await clock.during(fairway.createPool({ replicas: 2, upgradeStrategy: { type: 'Rolling', priority: 10 } }, 'first'));
  await clock.during(fairway.poolReady('first'));
  await using watcher = await Watcher.of(upgrading);

  await upgrading.upgrade();
  await clock.during(fairway.until(nodePools, ([first]) => first?.status?.upgrade?.state === 'Complete', 'first'));
  await untilCluster(upgrading, isSucceeded);

  const upgrades = watcher.operations.filter(({ type }) => type === 'Upgrade');
  // Only lasting states: "a pool is next" ends with its first node.
  const reported = upgrades.map(({ description }) => description).filter((each) => each !== 'pool general is next');
  expect(new Set(reported)).toEqual(
    new Set([
      'the nodes are updated after the control plane',
      'the nodes of pool first are being updated',
      'the nodes of pool general are being updated',
      'the cluster is ready',
    ]),
  );
  expect(neverDecreases(upgrades.map(({ progress }) => progress))).toBe(true);
});

test('an operation is resumed if Fairway is killed', async () => {
  await using upgrading = await UpgradeScenario.start({ replicas: 4 });
  await using watcher = await Watcher.of(upgrading);
  await upgrading.upgrade();
  for (let kills = 0; kills < 4; kills++) {
    await upgrading.clock.pass(2_000);
    await upgrading.clock.during(upgrading.fairway.stopProcess());
    await upgrading.clock.during(upgrading.fairway.startProcess());
  }
  await untilCluster(upgrading, isSucceeded);

  const upgrades = watcher.operations.filter(({ type }) => type === 'Upgrade');
  expect(new Set(upgrades.map(({ startTime }) => startTime)).size).toBe(1);
  expect(neverDecreases(upgrades.map(({ progress }) => progress))).toBe(true);
});

test('a node that is reinstalled for an upgrade does not make its pool Degraded, and counts as a step', async () => {
  await using upgrading = await UpgradeScenario.start({ strategy: { type: 'InPlace' } });
  const { clock, fairway } = upgrading;
  const reported: NodePoolStatus[] = [];
  const informer = new Informer(fairway.client.resource(nodePools), { namespace: TEAM, clock });
  informer.addHandler({ onUpdate: (_, { status }) => void (status && reported.push(status)) });
  const stop = new AbortController();
  informer.start(stop.signal);
  await informer.whenSynced(stop.signal);

  await upgrading.upgrade();
  await upgrading.until(({ state }) => state === 'Complete');
  await clock.pass(MINUTE_MS);
  stop.abort();

  expect(new Set(reported.map(({ phase }) => phase))).toEqual(new Set(['Ready', 'Updating']));
  const upgrades = reported.flatMap(({ lastOperation }) => (lastOperation?.type === 'Upgrade' ? [lastOperation] : []));
  expect(neverDecreases(upgrades.map(({ progress }) => progress))).toBe(true);
  expect(upgrades.at(-1)).toMatchObject({ state: 'Succeeded', progress: 100 });
});
