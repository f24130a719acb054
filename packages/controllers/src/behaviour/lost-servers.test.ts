import { REPAIR_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Namespaces, Pods } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { Crash } from '../testing/crash.ts';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, isSame, TEAM, TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const GET_SERVER: FaultInput = {
  service: 'compute',
  method: 'GET',
  path: '/servers/[0-9a-f-]{36}$',
  times: null,
  action: { kind: 'answer', status: 503 },
};

/** A pool with two nodes, the first of whose servers is deleted in the cloud. */
async function startWith(healing: { enabled?: boolean }, { nodesJoin = true, ...options }: TestFairwayOptions = {}) {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({
    clock,
    random: seededRandom(4_242),
    nodesJoin,
    ...faults.options,
    ...options,
  });
  await fairway.createCluster();
  await fairway.createPool({ replicas: 2, healing });
  const isUp = (all: readonly Machine[]) =>
    all.length === 2 && all.every((each) => (nodesJoin ? isReady(each) : each.status?.serverStatus === 'ACTIVE'));
  await clock.during(fairway.until(machines, isUp));
  await clock.pass(MINUTE_MS);
  const [victim] = await fairway.machines();
  const serverID = victim?.status?.serverID ?? '';
  return {
    fairway,
    clock,
    faults,
    victim,
    serverID,
    lose: () => fairway.process.project.client.compute.servers.delete(serverID),
    again: () => fairway.client.resource(machines).get(victim?.metadata.name ?? '', { namespace: TEAM }),
    costOf: async (durationMs: number) => {
      const before = { calls: fairway.cloud.calls.total, writes: faults.writes };
      await clock.pass(durationMs);
      return { calls: fairway.cloud.calls.total - before.calls, writes: faults.writes - before.writes };
    },
  };
}

const serverReady = ({ status }: Machine) => findCondition(status?.conditions, 'ServerReady');

describe('a server that was deleted in the cloud', () => {
  test('stays recorded at almost no cost if healing is off, and is replaced on request', async () => {
    const { fairway, clock, victim, serverID, lose, again, costOf } = await startWith({ enabled: false });
    await using _ = fairway;
    await lose();
    await clock.pass(5 * MINUTE_MS);
    const observedMachine = await again();
    const hour = await costOf(HOUR_MS);
    const later = await again();
    const annotations = { [REPAIR_ANNOTATION]: 'now' };
    await fairway.patch(machines, victim?.metadata.name ?? '', { metadata: { annotations } });
    await clock.pass(5 * MINUTE_MS);
    const after = await fairway.machines();

    expect(observedMachine.status).toMatchObject({ serverID, phase: 'NotReady' });
    expect(serverReady(observedMachine)).toMatchObject({
      status: 'False',
      reason: 'ServerVanished',
      message: `server ${serverID} no longer exists: it was deleted in the cloud`,
    });
    expect(findCondition(observedMachine.status?.conditions, 'HealthCheckSucceeded')).toMatchObject({
      reason: 'HealingDisabled',
    });
    expect(later.metadata.resourceVersion).toBe(observedMachine.metadata.resourceVersion);
    // The usual lists, plus one read of the server itself every ten minutes.
    expect(hour.calls).toBeLessThan(60 * 3 + 6 * 2 + 6);
    expect(hour.writes).toBeLessThan(60);
    expect(after).toHaveLength(2);
    expect(after.every(isReady)).toBe(true);
    expect(after.some(isSame(victim))).toBe(false);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 2 });
  });

  test('is replaced without waiting for its pods, which no kubelet terminates, or for its node’s lease', async () => {
    const { fairway, clock, victim, lose } = await startWith({});
    await using _ = fairway;
    const cluster = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
    const tenant = fairway.runtime.client(identityOf(cluster));
    await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
    const containers = [{ name: 'web', image: 'web:1' }];
    const spec = { nodeName: victim?.metadata.name ?? '', containers };
    await tenant.resource(Pods).create({ metadata: { name: 'web', namespace: 'default' }, spec });
    await lose();
    await clock.pass(2 * MINUTE_MS);
    const after = await fairway.machines();

    expect(after.some(isSame(victim))).toBe(false);
    expect(after.filter(isReady)).toHaveLength(2);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 2 });
  });

  test('is kept while it is unknown whether it still exists in the cloud', async () => {
    const { fairway, clock, victim, serverID, lose, again } = await startWith({});
    await using _ = fairway;
    const fault = fairway.cloud.faults.add(GET_SERVER);
    await lose();
    await clock.pass(5 * MINUTE_MS);
    const during = await again();
    const countsDuring = resourceCounts(fairway.cloud);
    fairway.cloud.faults.remove(fault);
    await clock.pass(10 * MINUTE_MS);
    const after = await fairway.machines();

    expect(during.status?.serverID).toBe(serverID);
    expect(serverReady(during)?.status).toBe('Unknown');
    expect(countsDuring).toMatchObject({ servers: 1 });
    expect(after.some(isSame(victim))).toBe(false);
    expect(after.filter(isReady)).toHaveLength(2);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 2 });
  });

  test('is recreated for the same machine if it had not become a node yet', async () => {
    const { fairway, clock, victim, serverID, lose, again } = await startWith({ enabled: false }, { nodesJoin: false });
    await using _ = fairway;
    await lose();
    await clock.pass(3 * MINUTE_MS);
    const after = await again();

    expect(after.metadata.uid).toBe(victim?.metadata.uid);
    expect(after.status?.serverID).not.toBe(serverID);
    expect(after.status).toMatchObject({ serverStatus: 'ACTIVE' });
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 2 });
  });

  test.each([1, 2, 3, 4, 5, 6])('is replaced only once, even if the process is killed at write %i', async (nth) => {
    const crash = new Crash(/\/(machines|nodepools)(\/|\?|$)/);
    const { fairway, clock, victim, lose } = await startWith({}, crash.options);
    await using _ = fairway;
    const before = resourceCounts(fairway.cloud);
    await lose();
    crash.afterWrites(nth, () => fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } }));
    await clock.pass(2 * MINUTE_MS);
    expect(crash.hasOccurred).toBe(true);

    await fairway.stopProcess();
    crash.end();
    fairway.cloud.faults.clear();
    await clock.during(fairway.startProcess());
    await clock.pass(10 * MINUTE_MS);
    const after = await fairway.machines();

    expect(after.some(isSame(victim))).toBe(false);
    expect(after.filter(isReady)).toHaveLength(2);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});
