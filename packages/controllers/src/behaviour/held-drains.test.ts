import { FORCE_DRAIN_ANNOTATION, REPAIR_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { formatTime } from '@fairway/base/clock';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Namespaces, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A drain waits for this long. */
const HOLD_HOURS = 3;
const where = { namespace: TEAM };

/**
 * A pool with one node whose pod is protected by a PodDisruptionBudget. The node is being replaced, and the drain
 * timeout has passed.
 */
async function startHeldDrain(
  type: 'Rolling' | 'InPlace',
  { onDrainTimeout = 'Hold' }: { onDrainTimeout?: 'Hold' } = {},
) {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({ clock, random: seededRandom(4_242), ...faults.options });
  const upgradeStrategy = { type, drainTimeout: '5m', onDrainTimeout };
  const cluster = await clock.during(fairway.readyCluster({ replicas: 1, upgradeStrategy }));
  const [machine] = await fairway.machines();
  const name = machine?.metadata.name ?? '';
  const tenant = fairway.runtime.client(identityOf(cluster));
  await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
  const labels = { app: 'database' };
  const metadata = { name: 'database-0', namespace: 'default', labels };
  const spec = { containers: [{ name: 'main', image: 'main' }], nodeName: name };
  await tenant.resource(Pods).create({ metadata, spec });
  const budget = { metadata: { name: 'database', namespace: 'default' }, spec: { selector: { matchLabels: labels } } };
  await tenant.resource(PodDisruptionBudgets).create({ ...budget, spec: { ...budget.spec, minAvailable: 1 } });
  faults.blocksEvictions = true;
  const beganMs = clock.now();
  await fairway.patch(nodePools, 'general', { spec: { image: 'Debian 12' } });
  await clock.pass(12 * MINUTE_MS);
  return {
    fairway,
    clock,
    faults,
    name,
    beganMs,
    tenant,
    image: machine?.spec.image,
    machine: async () => (await fairway.machines()).find(({ metadata: of }) => of.name === name) as Machine,
    pool: () => fairway.client.resource(nodePools).get('general', where),
    renewed: async () =>
      (await fairway.machines()).filter((each) => isReady(each) && each.spec.image !== machine?.spec.image),
    annotate: (key: string, value: string) =>
      fairway.patch(machines, name, { metadata: { annotations: { [key]: value } } }),
    costOf: async (durationMs: number) => {
      const before = { calls: fairway.cloud.calls.total, writes: faults.writes };
      await clock.pass(durationMs);
      return { calls: fairway.cloud.calls.total - before.calls, writes: faults.writes - before.writes };
    },
  };
}

const readyOf = ({ status }: Machine) => findCondition(status?.conditions, 'Ready');

describe.each(['Rolling', 'InPlace'] as const)('a node that is being replaced (%s)', (type) => {
  test('keeps waiting for the user after the timeout, at almost no cost, and can be forced', async () => {
    const { fairway, clock, name, tenant, machine, pool, renewed, annotate, costOf } = await startHeldDrain(type);
    await using _ = fairway;
    const machineStatus = await machine();
    const hours = await costOf(HOLD_HOURS * HOUR_MS);
    const later = await machine();
    const upgrade = (await pool()).status?.upgrade;
    const node = await tenant.resource(tenantNodes).get(name);
    await annotate(FORCE_DRAIN_ANNOTATION, formatTime(clock.now()));
    await clock.pass(10 * MINUTE_MS);

    expect(readyOf(machineStatus)).toMatchObject({
      reason: 'DrainHeld',
      message: expect.stringMatching(
        /^the drain timed out and has been held since \S+Z \(onDrainTimeout: Hold\): PodDisruptionBudget default\/database blocks the eviction of default\/database-0: run more replicas, or relax the budget; to remove the node together with them: fairway machine drain \S+ --force$/,
      ),
    });
    expect(node.spec?.unschedulable).toBe(true);
    expect(upgrade).toMatchObject({ reason: 'DrainHeld', message: expect.stringContaining('default/database-0') });
    expect(later.metadata.resourceVersion).toBe(machineStatus.metadata.resourceVersion);
    // The usual lists.
    expect(hours.calls).toBeLessThan(HOLD_HOURS * 60 * 3.5);
    expect(hours.writes).toBeLessThan(HOLD_HOURS * 60);
    expect(await renewed()).toHaveLength(1);
    expect((await pool()).status?.upgrade?.state).toBe('Complete');
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 1 });
  });

  test.each<{ what: string; act: (held: Awaited<ReturnType<typeof startHeldDrain>>) => Promise<unknown> }>([
    {
      what: 'its pods have left',
      act: async ({ tenant, faults }) => {
        await tenant.resource(PodDisruptionBudgets).delete('database', { namespace: 'default' });
        faults.blocksEvictions = false;
        await tenant.resource(Pods).delete('database-0', { namespace: 'default', gracePeriodSeconds: 0 });
      },
    },
    {
      what: 'its pool no longer lets drains wait',
      act: ({ fairway }) =>
        fairway.patch(nodePools, 'general', { spec: { upgradeStrategy: { onDrainTimeout: 'Force' } } }),
    },
    {
      what: 'its plan limits all drains',
      act: ({ fairway }) =>
        fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec: { maxDrainTimeout: '1h' } } }),
    },
    {
      what: 'its kubelet is down',
      act: ({ tenant, name }) => {
        const value = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } };
        return tenant.resource(tenantNodes).patch(name, { type: 'merge', value }, { subresource: 'status' });
      },
    },
  ])('continues when $what', async ({ act }) => {
    const held = await startHeldDrain(type);
    await using _ = held.fairway;
    const before = readyOf(await held.machine())?.reason;
    await act(held);
    await held.clock.pass(20 * MINUTE_MS);

    expect(before).toBe('DrainHeld');
    expect(await held.renewed()).toHaveLength(1);
    expect(resourceCounts(held.fairway.cloud)).toMatchObject({ servers: 1 });
  });

  test('is still held after its kubelet is briefly silent', async () => {
    const { fairway, clock, tenant, name, machine } = await startHeldDrain(type);
    await using _ = fairway;
    const say = (status: string) => {
      const conditions = [{ type: 'Ready', status, reason: 'Test', lastTransitionTime: formatTime(clock.now()) }];
      return tenant
        .resource(tenantNodes)
        .patch(name, { type: 'merge', value: { status: { conditions } } }, { subresource: 'status' });
    };
    await say('Unknown');
    await clock.pass(5 * MINUTE_MS);
    await say('True');
    await clock.pass(HOUR_MS);

    expect(readyOf(await machine())?.reason).toBe('DrainHeld');
  });

  test('is still held after Fairway restarts', async () => {
    const { fairway, clock, machine, image, renewed } = await startHeldDrain(type);
    await using _ = fairway;
    await fairway.stopProcess();
    await clock.during(fairway.startProcess());
    await clock.pass(HOUR_MS);

    expect(readyOf(await machine())?.reason).toBe('DrainHeld');
    expect((await renewed()).some(({ spec }) => spec.image === image)).toBe(false);
  });

  test('does not block the deletion of its pool', async () => {
    const { fairway, clock } = await startHeldDrain(type);
    await using _ = fairway;
    await fairway.delete(nodePools, 'general');
    await clock.pass(10 * MINUTE_MS);

    expect(await fairway.machines()).toEqual([]);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0 });
  });
});

describe('a node’s drain is not held', () => {
  test('if its Machine is deleted during reinstallation', async () => {
    const { fairway, clock, name, renewed } = await startHeldDrain('InPlace');
    await using _ = fairway;
    await fairway.delete(machines, name);
    await clock.pass(10 * MINUTE_MS);

    expect(await renewed()).toHaveLength(1);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 1 });
  });

  test('if its pool shrinks', async () => {
    const { fairway, clock } = await startHeldDrain('InPlace');
    await using _ = fairway;
    await fairway.patch(nodePools, 'general', { spec: { replicas: 0 } });
    await clock.pass(10 * MINUTE_MS);

    expect(await fairway.machines()).toEqual([]);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0 });
  });

  test('if a user requests its repair', async () => {
    const { fairway, clock, annotate, machine } = await startHeldDrain('InPlace');
    await using _ = fairway;
    await annotate(REPAIR_ANNOTATION, 'now');
    await clock.pass(20 * MINUTE_MS);

    expect(readyOf((await machine()) ?? { status: {} })?.reason).not.toBe('DrainHeld');
    expect((await fairway.machines()).filter(isReady)).toHaveLength(1);
  });
});

test('a request to force one drain does not force the next', async () => {
  const { fairway, clock, annotate, machine, beganMs } = await startHeldDrain('InPlace');
  await using _ = fairway;
  await annotate(FORCE_DRAIN_ANNOTATION, formatTime(beganMs - MINUTE_MS));
  await clock.pass(30 * MINUTE_MS);

  expect(readyOf(await machine())?.reason).toBe('DrainHeld');
});
