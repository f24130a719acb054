import { nodePools } from '@fairway/api/kinds/node-pool';
import { describe, expect, test } from 'vitest';
import { AutoscalingScenario } from '../testing/autoscaling-scenario.ts';
import { TEAM } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The clock starts on 2026-01-01 at 00:00 UTC, which is 01:00 in Lagos, all year. */
const MORNING = { name: 'morning', start: '0 3 * * *', end: '0 6 * * *', timeZone: 'Africa/Lagos', minReplicas: 3 };

const atMs = (hour: number) => Date.UTC(2026, 0, 1, hour);

async function poolOf(scenario: AutoscalingScenario) {
  return scenario.clock.during(scenario.fairway.client.resource(nodePools).get('general', { namespace: TEAM }));
}

describe('an autoscaled pool with schedules', () => {
  test('adds nodes when the schedule starts, and removes them after it ends', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 5, autoscaling: { schedules: [MORNING] } });
    const before = await poolOf(scenario);

    // 02:00 UTC.
    await scenario.clock.pass(atMs(2) - scenario.clock.now() - 1);
    const early = await scenario.nodes();
    await scenario.clock.pass(2 * MINUTE_MS);
    const during = await poolOf(scenario);
    const nodesDuring = await scenario.nodes();
    const report = await scenario.autoscaling();
    await scenario.clock.pass(2 * HOUR_MS);
    const late = await scenario.nodes();
    await scenario.clock.pass(HOUR_MS + 30 * MINUTE_MS);

    expect([early.length, nodesDuring.length, late.length]).toEqual([0, 3, 3]);
    expect(before.status?.bounds).toEqual({
      minReplicas: 0,
      maxReplicas: 5,
      nextChange: { time: '2026-01-01T02:00:00Z', minReplicas: 3, maxReplicas: 5, schedule: 'morning' },
    });
    expect(during.status?.bounds).toMatchObject({
      minReplicas: 3,
      schedule: 'morning',
      nextChange: { time: '2026-01-01T05:00:00Z', minReplicas: 0 },
    });
    expect(report).toMatchObject({
      replicas: 3,
      reason: 'Bounds',
      message: 'minReplicas is 3 by schedule morning until 2026-01-01T05:00:00Z',
      condition: { status: 'True', message: expect.stringContaining('of 3 to 5 by schedule morning until') },
    });
    // Ten minutes after the end, as for any unneeded node.
    expect(await scenario.nodes()).toEqual([]);
    expect(await scenario.events('BoundsChanged')).toContain(
      'Between 3 and 5 nodes by schedule morning, until 2026-01-01T05:00:00Z',
    );
  });

  test('adds no more nodes than the maximum, and pods report that', async () => {
    await using scenario = await AutoscalingScenario.begin();
    const nightSchedule = { name: 'night', start: '0 2 * * *', end: '0 4 * * *', maxReplicas: 1 };
    await scenario.pool({ maxReplicas: 5, autoscaling: { schedules: [nightSchedule] } });
    await scenario.pending(['a', 'b'], '1500m');
    await scenario.clock.pass(MINUTE_MS);
    const nodesBeforeNight = await scenario.nodes();

    await scenario.clock.pass(atMs(2) - scenario.clock.now() + 10 * MINUTE_MS);
    const nodesAtNight = await scenario.nodes();
    const report = await scenario.autoscaling();
    await scenario.clock.pass(2 * HOUR_MS);

    expect([nodesBeforeNight.length, nodesAtNight.length]).toEqual([2, 1]);
    expect(report.condition).toMatchObject({
      reason: 'MaxReplicasReached',
      message: expect.stringContaining('maxReplicas 1 by schedule night until 2026-01-01T04:00:00Z reached'),
    });
    expect(await scenario.nodes()).toHaveLength(2);
  });

  test('is written only when bounds change, and causes no queries in between', async () => {
    await using scenario = await AutoscalingScenario.begin();
    const schedules = [{ name: 'early', start: '0 3 * * *', end: '0 5 * * *', maxReplicas: 7 }];
    await scenario.pool({ maxReplicas: 5, autoscaling: { schedules } });
    await scenario.clock.pass(10 * MINUTE_MS);
    const { writes } = scenario.faults;

    await scenario.clock.pass(HOUR_MS);
    const idle = scenario.faults.writes - writes;
    await scenario.clock.pass(5 * HOUR_MS);

    expect(idle).toBe(0);
    // Bounds, Event and condition, for start and end.
    expect(scenario.faults.writes - writes).toBeLessThanOrEqual(8);
  });

  test('converges if Fairway was down in the meantime, or is killed during the change', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 5, autoscaling: { schedules: [MORNING] } });

    await scenario.clock.during(scenario.fairway.stopProcess());
    await scenario.clock.pass(atMs(2) - scenario.clock.now() - 2_000);
    for (let kills = 0; kills < 5; kills++) {
      await scenario.clock.during(scenario.fairway.startProcess());
      await scenario.clock.pass(1_000);
      await scenario.clock.during(scenario.fairway.stopProcess());
    }
    await scenario.clock.during(scenario.fairway.startProcess());
    await scenario.clock.pass(5 * MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(3);
    expect((await poolOf(scenario)).status?.bounds?.schedule).toBe('morning');
  });

  test('follows its own bounds again after the schedules are removed', async () => {
    await using scenario = await AutoscalingScenario.begin();
    const permanentSchedule = { name: 'always', start: '0 0 * * *', end: '0 0 1 1 *', minReplicas: 2 };
    await scenario.pool({ maxReplicas: 5, autoscaling: { schedules: [permanentSchedule] } });
    await scenario.clock.pass(HOUR_MS);
    const during = await scenario.nodes();

    await scenario.clock.during(
      scenario.fairway.patch(nodePools, 'general', { spec: { autoscaling: { schedules: null } } }),
    );
    await scenario.clock.pass(HOUR_MS);

    expect(during).toHaveLength(2);
    expect(await scenario.nodes()).toEqual([]);
    expect((await poolOf(scenario)).status?.bounds).toBeUndefined();
  });
});
