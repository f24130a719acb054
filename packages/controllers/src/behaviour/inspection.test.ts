import { KEEP_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { formatTime } from '@fairway/base/clock';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A pool whose first machines are kept for this long after deletion. */
async function startKeptMachine(value: string, { replicas = 1, kept = 1 } = {}) {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({ clock, random: seededRandom(4_242), ...faults.options });
  await clock.during(fairway.readyCluster({ replicas }));
  const victims = (await fairway.machines()).slice(0, kept).map(({ metadata }) => metadata.name ?? '');
  const annotate = (name: string, to: string | null) =>
    fairway.patch(machines, name, { metadata: { annotations: { [KEEP_ANNOTATION]: to } } });
  for (const name of victims) await annotate(name, value);
  await clock.pass(MINUTE_MS);
  const requestedMachines = (await fairway.machines()).filter(({ metadata }) => victims.includes(metadata.name ?? ''));
  for (const name of victims) await fairway.delete(machines, name);
  await clock.pass(5 * MINUTE_MS);
  const [name = ''] = victims;
  return {
    fairway,
    clock,
    faults,
    name,
    asked: requestedMachines,
    annotate,
    machine: async () => (await fairway.machines()).find(({ metadata }) => metadata.name === name),
    ready: async () => (await fairway.machines()).filter(isReady).length,
    servers: () => resourceCounts(fairway.cloud)['servers'],
    said: async () =>
      (await fairway.client.resource(Events).list({ namespace: TEAM })).items.flatMap(({ reason = '' }) =>
        reason.startsWith('Keep') || reason.startsWith('Kept') ? [reason] : [],
      ),
  };
}

const keptCondition = (machine: Machine | undefined) => findCondition(machine?.status?.conditions, 'KeptForInspection');

describe('a machine that is kept for inspection', () => {
  test('is replaced, keeps its server until that time has passed, and reports this', async () => {
    const { fairway, clock, faults, asked, machine, ready, servers, said } = await startKeptMachine('4h');
    await using _ = fairway;
    const observedMachine = await machine();
    const pool = await fairway.client.resource(nodePools).get('general', { namespace: TEAM });
    const during = { ready: await ready(), servers: servers() };
    const before = faults.writes;
    await clock.pass(2 * HOUR_MS);
    const writes = faults.writes - before;
    const later = await machine();
    await clock.pass(HOUR_MS + 5 * MINUTE_MS);
    const ending = keptCondition(await machine())?.reason;
    await clock.pass(HOUR_MS);

    expect(keptCondition(asked[0])).toMatchObject({ status: 'False', reason: 'KeepRequested' });
    expect(keptCondition(observedMachine)).toMatchObject({
      status: 'True',
      reason: 'KeptForInspection',
      message: expect.stringMatching(
        /^the machine is being replaced, and its server is retained for inspection until \S+Z; /,
      ),
    });
    expect(pool.status).toMatchObject({ phase: 'Ready', replicas: 1, readyReplicas: 1 });
    expect(during).toEqual({ ready: 1, servers: 2 });
    expect(later?.metadata.resourceVersion).toBe(observedMachine?.metadata.resourceVersion);
    expect(writes).toBeLessThan(120);
    expect(ending).toBe('KeepEnding');
    expect(await machine()).toBeUndefined();
    expect({ ready: await ready(), servers: servers() }).toEqual({ ready: 1, servers: 1 });
    expect(await said()).toEqual(['KeptForInspection', 'KeepEnding']);
  });

  test.each<{
    what: string;
    act: (kept: Awaited<ReturnType<typeof startKeptMachine>>) => Promise<unknown>;
    left: number;
  }>([
    { what: 'its annotation is removed', act: ({ annotate, name }) => annotate(name, null), left: 1 },
    { what: 'its pool is deleted', act: ({ fairway }) => fairway.delete(nodePools, 'general'), left: 0 },
  ])('is deleted immediately when $what', async ({ act, left }) => {
    const kept = await startKeptMachine('4h');
    await using _ = kept.fairway;
    const before = kept.servers();
    await act(kept);
    await kept.clock.pass(3 * MINUTE_MS);

    expect(before).toBe(2);
    expect(kept.servers()).toBe(left);
  });

  test('is deleted immediately when its cluster is reset, because the reset would otherwise wait for it', async () => {
    const kept = await startKeptMachine('4h');
    await using _ = kept.fairway;
    const reset = { requestedAt: formatTime(kept.clock.now()), confirm: 'demo', nodes: 'Delete' };
    await kept.fairway.patch(clusters, 'demo', { spec: { reset } });
    await kept.clock.pass(10 * MINUTE_MS);
    const { status } = await kept.fairway.client.resource(clusters).get('demo', { namespace: TEAM });

    expect(await kept.machine()).toBeUndefined();
    expect(status?.reset?.phase).toBe('Complete');
    expect({ ready: await kept.ready(), servers: kept.servers() }).toEqual({ ready: 1, servers: 1 });
  });

  test('is kept across a restart of Fairway', async () => {
    const { fairway, clock, servers, said } = await startKeptMachine('4h');
    await using _ = fairway;
    await fairway.stopProcess();
    await clock.during(fairway.startProcess());
    await clock.pass(HOUR_MS);

    expect(servers()).toBe(2);
    expect(await said()).toEqual(['KeptForInspection']);
  });

  test('is one of at most two in its pool', async () => {
    const { fairway, servers, ready } = await startKeptMachine('4h', { replicas: 3, kept: 3 });
    await using _ = fairway;

    expect(await ready()).toBe(3);
    expect(servers()).toBe(5);
  });

  test.each(['100h', 'for ever'])(
    'is not kept for %s: the refusal is reported before the machine is deleted',
    async (value) => {
      const { fairway, asked, servers, machine } = await startKeptMachine(value);
      await using _ = fairway;

      expect(keptCondition(asked[0])).toMatchObject({ status: 'False', reason: 'KeepRefused' });
      expect(await machine()).toBeUndefined();
      expect(servers()).toBe(1);
    },
  );
});
