import { nodePools } from '@fairway/api/kinds/node-pool';
import { describe, expect, test } from 'vitest';
import { AutoscalingStory } from '../testing/autoscaling-story.ts';
import { TEAM } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The clock starts on 2026-01-01 at 00:00 UTC, which is 01:00 in Lagos, all year. */
const MORNING = { name: 'morning', start: '0 3 * * *', end: '0 6 * * *', timeZone: 'Africa/Lagos', minReplicas: 3 };

const atMs = (hour: number) => Date.UTC(2026, 0, 1, hour);

async function poolOf(story: AutoscalingStory) {
  return story.clock.during(story.fairway.client.resource(nodePools).get('general', { namespace: TEAM }));
}

describe('an autoscaled pool with schedules', () => {
  test('has its nodes when the schedule starts, and gives them back after it ends', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 5, autoscaling: { schedules: [MORNING] } });
    const before = await poolOf(story);

    // 02:00 UTC.
    await story.clock.pass(atMs(2) - story.clock.now() - 1);
    const early = await story.nodes();
    await story.clock.pass(2 * MINUTE_MS);
    const during = await poolOf(story);
    const inTime = await story.nodes();
    const said = await story.autoscaling();
    await story.clock.pass(2 * HOUR_MS);
    const late = await story.nodes();
    await story.clock.pass(HOUR_MS + 30 * MINUTE_MS);

    expect([early.length, inTime.length, late.length]).toEqual([0, 3, 3]);
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
    expect(said).toMatchObject({
      replicas: 3,
      reason: 'Bounds',
      message: 'minReplicas is 3 by schedule morning until 2026-01-01T05:00:00Z',
      condition: { status: 'True', message: expect.stringContaining('of 3 to 5 by schedule morning until') },
    });
    // Ten minutes after the end, like any unneeded nodes.
    expect(await story.nodes()).toEqual([]);
    expect(await story.events('BoundsChanged')).toContain(
      'Between 3 and 5 nodes by schedule morning, until 2026-01-01T05:00:00Z',
    );
  });

  test('lets no more nodes be, and lets pods say so', async () => {
    await using story = await AutoscalingStory.begin();
    const night = { name: 'night', start: '0 2 * * *', end: '0 4 * * *', maxReplicas: 1 };
    await story.pool({ maxReplicas: 5, autoscaling: { schedules: [night] } });
    await story.pending(['a', 'b'], '1500m');
    await story.clock.pass(MINUTE_MS);
    const grown = await story.nodes();

    await story.clock.pass(atMs(2) - story.clock.now() + 10 * MINUTE_MS);
    const shrunk = await story.nodes();
    const said = await story.autoscaling();
    await story.clock.pass(2 * HOUR_MS);

    expect([grown.length, shrunk.length]).toEqual([2, 1]);
    expect(said.condition).toMatchObject({
      reason: 'MaxReplicasReached',
      message: expect.stringContaining('maxReplicas 1 by schedule night until 2026-01-01T04:00:00Z reached'),
    });
    expect(await story.nodes()).toHaveLength(2);
  });

  test('is written only at a change, and causes no queries in between', async () => {
    await using story = await AutoscalingStory.begin();
    const schedules = [{ name: 'early', start: '0 3 * * *', end: '0 5 * * *', maxReplicas: 7 }];
    await story.pool({ maxReplicas: 5, autoscaling: { schedules } });
    await story.clock.pass(10 * MINUTE_MS);
    const { writes } = story.faults;

    await story.clock.pass(HOUR_MS);
    const idle = story.faults.writes - writes;
    await story.clock.pass(5 * HOUR_MS);

    expect(idle).toBe(0);
    // Bounds, Event and condition, for a start and an end.
    expect(story.faults.writes - writes).toBeLessThanOrEqual(8);
  });

  test('converges if Fairway was down meanwhile, or is killed during the change', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 5, autoscaling: { schedules: [MORNING] } });

    await story.clock.during(story.fairway.stopProcess());
    await story.clock.pass(atMs(2) - story.clock.now() - 2_000);
    for (let kills = 0; kills < 5; kills++) {
      await story.clock.during(story.fairway.startProcess());
      await story.clock.pass(1_000);
      await story.clock.during(story.fairway.stopProcess());
    }
    await story.clock.during(story.fairway.startProcess());
    await story.clock.pass(5 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(3);
    expect((await poolOf(story)).status?.bounds?.schedule).toBe('morning');
  });

  test('follows its own bounds again when the schedules are removed', async () => {
    await using story = await AutoscalingStory.begin();
    const always = { name: 'always', start: '0 0 * * *', end: '0 0 1 1 *', minReplicas: 2 };
    await story.pool({ maxReplicas: 5, autoscaling: { schedules: [always] } });
    await story.clock.pass(HOUR_MS);
    const during = await story.nodes();

    await story.clock.during(story.fairway.patch(nodePools, 'general', { spec: { autoscaling: { schedules: null } } }));
    await story.clock.pass(HOUR_MS);

    expect(during).toHaveLength(2);
    expect(await story.nodes()).toEqual([]);
    expect((await poolOf(story)).status?.bounds).toBeUndefined();
  });
});
