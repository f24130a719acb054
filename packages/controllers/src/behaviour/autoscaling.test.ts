import { nodePools } from '@fairway/api/kinds/node-pool';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { AutoscalingStory } from '../testing/autoscaling-story.ts';

const MINUTE_MS = 60_000;

describe('scaling up', () => {
  test('from zero, by as many nodes as the pods need, and says why', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 5 });

    await story.pending(['a', 'b', 'c'], '900m');
    await story.clock.pass(MINUTE_MS);

    expect(await story.nodes()).toHaveLength(2);
    expect(await story.autoscaling()).toMatchObject({
      replicas: 2,
      reason: 'ScaledUp',
      message: 'from 0 to 2, for 3 pods, such as kube-system/a',
      condition: { status: 'True' },
    });
    expect(await story.events('ScaledUp')).toEqual(['Scaled up from 0 to 2, for 3 pods, such as kube-system/a']);
    const told = await story.events('TriggeredScaleUp', story.tenant);
    expect(told).toEqual(Array(3).fill('pod triggered scale-up: pool general from 0 to 2 nodes'));
  });

  test('counts nodes that are being created', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 5 });

    await story.pending(['a'], '900m');
    await story.clock.pass(12_000);
    await story.pending(['b'], '900m');
    await story.clock.pass(10 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(1);
  });

  test('takes the pool that wastes least, unless another one has priority', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ flavor: 'b3-16' }, 'large');
    await story.pool({ flavor: 'b3-8' }, 'small');

    await story.pending(['a'], '1500m');
    await story.clock.pass(MINUTE_MS);
    const least = { small: await story.nodes('small'), large: await story.nodes('large') };
    await story.remove(['a']);
    await story.running('a', least.small[0] ?? '', '1500m');
    await story.fairway.patch(nodePools, 'large', { spec: { autoscaling: { priority: 10 } } });
    await story.pending(['b'], '1500m');
    await story.clock.pass(MINUTE_MS);

    expect([least.small.length, least.large.length]).toEqual([1, 0]);
    expect([(await story.nodes('small')).length, (await story.nodes('large')).length]).toEqual([1, 1]);
  });

  test('by nodes of the pool’s current flavor, not the previous one', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ replicas: 1, maxReplicas: 3, upgradeStrategy: { paused: true } });
    await story.clock.pass(MINUTE_MS);
    const [old = ''] = await story.nodes();
    const labels = { 'node.kubernetes.io/instance-type': 'b3-8' };
    await story.tenant.resource(tenantNodes).patch(old, { type: 'merge', value: { metadata: { labels } } });
    await story.fairway.patch(nodePools, 'general', { spec: { flavor: 'b3-16' } });
    await story.clock.pass(MINUTE_MS);

    // More than a node of flavor b3-8 has.
    await story.pending(['a'], '3000m');
    await story.clock.pass(2 * MINUTE_MS);

    const flavors = (await story.fairway.machines()).map(({ spec }) => spec.flavor);
    expect(flavors.toSorted()).toEqual(['b3-16', 'b3-8']);
  });

  test('ends at maxReplicas, and reports it on the pool and its pods', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 1 });

    await story.pending(['a', 'b'], '1500m');
    await story.clock.pass(2 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(1);
    expect(await story.autoscaling()).toMatchObject({
      condition: {
        status: 'False',
        reason: 'MaxReplicasReached',
        message: expect.stringContaining('maxReplicas 1 reached'),
      },
    });
    expect(await story.events('NotTriggerScaleUp', story.tenant)).toEqual([
      "pod didn't trigger scale-up: general: maxReplicas 1 reached",
    ]);
    expect(await story.events('NotScaledUp')).toHaveLength(1);
  });

  test.each([
    { nodeStartupTimeout: '90m', waits: true },
    { nodeStartupTimeout: '10m', waits: false },
  ])('waits for a node that takes an hour as long as its pool does: $nodeStartupTimeout', async (row) => {
    await using story = await AutoscalingStory.begin();
    story.fairway.joinsNodes = false;
    await story.pool({ maxReplicas: 1, nodeStartupTimeout: row.nodeStartupTimeout });

    await story.pending(['a'], '900m');
    await story.clock.pass(MINUTE_MS);
    const begun = await story.nodes();
    await story.clock.pass(60 * MINUTE_MS);
    const after = await story.nodes();

    const failures = await story.events('ScaleUpFailed');
    const { backoff } = await story.autoscaling();
    expect(begun).toHaveLength(1);
    expect({
      isKept: begun.every((name) => after.includes(name)),
      isTold: failures.some((message) => message.includes('not joined the cluster as a node for 10 min')),
      isBackingOff: backoff !== undefined,
    }).toEqual({ isKept: row.waits, isTold: !row.waits, isBackingOff: !row.waits });
  });

  test('reports pods that would fit no node of a pool, at few writes', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 5 });

    await story.pending(['huge'], '64');
    await story.clock.pass(MINUTE_MS);
    const before = story.faults.writes;
    await story.clock.pass(60 * MINUTE_MS);

    expect(await story.autoscaling()).toMatchObject({
      replicas: 0,
      condition: { status: 'False', reason: 'PodsUnschedulable', message: expect.stringContaining('Insufficient cpu') },
    });
    expect(story.faults.writes - before).toBeLessThan(20);
  });

  test('tries another pool when the quota is used up, and this one again later', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ flavor: 'b3-16', autoscaling: { priority: 10 } }, 'large');
    await story.pool({ flavor: 'b3-8' }, 'small');
    story.fairway.cloud.setQuota('demo', { cores: 2 });

    await story.pending(['a'], '900m');
    await story.clock.pass(2 * MINUTE_MS);

    expect([(await story.nodes('large')).length, (await story.nodes('small')).length]).toEqual([0, 1]);
    expect(await story.autoscaling('large')).toMatchObject({
      replicas: 0,
      backoff: { reason: 'QuotaExceeded', failures: 1 },
      condition: { status: 'False', reason: 'QuotaExceeded' },
    });
    expect(await story.events('ScaleUpFailed')).toEqual([expect.stringMatching(/quota exceeded for cores/)]);

    story.fairway.cloud.setQuota('demo', { cores: 100 });
    await story.remove(['a']);
    await story.running('a', (await story.nodes('small'))[0] ?? '', '1500m');
    await story.clock.pass(5 * MINUTE_MS);
    expect(await story.autoscaling('large')).toMatchObject({ condition: { status: 'True' } });
    await story.pending(['b'], '900m');
    await story.clock.pass(2 * MINUTE_MS);
    expect((await story.nodes('large')).length).toBe(1);
  });
});

describe('scaling down', () => {
  test('removes a node that was unneeded for ten minutes, even if Fairway was restarted meanwhile', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes();

    await story.clock.pass(6 * MINUTE_MS);
    const marked = await story.marks();
    await story.clock.during(story.fairway.stopProcess());
    await story.clock.during(story.fairway.startProcess());
    await story.clock.pass(3 * MINUTE_MS);
    const early = await story.nodes();
    await story.clock.pass(3 * MINUTE_MS);

    expect(marked).toMatchObject([{ due: false, reason: 'Underused' }]);
    expect(early).toHaveLength(2);
    expect(await story.nodes()).toHaveLength(1);
    expect(await story.autoscaling()).toMatchObject({ replicas: 1, reason: 'ScaledDown' });
    expect(await story.events('ScaledDown')).toEqual([
      expect.stringMatching(/^Scaled down from 2 to 1, without node /),
    ]);
  });

  test('keeps nodes whose pods a PodDisruptionBudget protects', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes();

    await story.forbidEvictions();
    await story.clock.pass(30 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(2);
    expect(await story.marks()).toEqual([]);
  });

  test('removes all empty nodes at once, down to minReplicas', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ replicas: 4, minReplicas: 1 });
    await story.clock.pass(2 * MINUTE_MS);
    await story.clock.pass(12 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(1);
    expect(await story.events('ScaledDown')).toEqual(['Scaled down from 4 to 1, without 3 empty nodes']);
  });

  test('waits ten minutes after nodes were added', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes();

    await story.clock.pass(5 * MINUTE_MS);
    await story.pending(['big'], '1800m');
    await story.clock.pass(MINUTE_MS);
    await story.remove(['big']);
    await story.clock.pass(8 * MINUTE_MS);
    const early = await story.nodes();
    await story.clock.pass(10 * MINUTE_MS);

    expect(early).toHaveLength(3);
    expect(await story.nodes()).toHaveLength(1);
  });

  test('with settings of the pool', async () => {
    await using story = await AutoscalingStory.begin();
    const [first = ''] = await story.twoNodes({
      autoscaling: { scaleDownUtilizationThreshold: '0.04', scaleDownUnneededTime: '2m' },
    });

    await story.clock.pass(5 * MINUTE_MS);
    const used = await story.nodes();
    await story.remove([`on-${first}`]);
    await story.clock.pass(3 * MINUTE_MS);

    // 100m of 1840m are more than 4 %.
    expect(used).toHaveLength(2);
    expect(await story.nodes()).toHaveLength(1);
  });

  test('waits longer for a node that is not ready', async () => {
    await using story = await AutoscalingStory.begin();
    const [first = ''] = await story.twoNodes({
      minReplicas: 1,
      autoscaling: { scaleDownUnreadyTime: '5m', scaleDownUnneededTime: '60m' },
    });

    const value = {
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: '' }] },
    };
    await story.tenant.resource(tenantNodes).patch(first, { type: 'merge', value }, { subresource: 'status' });
    await story.clock.pass(4 * MINUTE_MS);
    const early = await story.nodes();
    await story.clock.pass(2 * MINUTE_MS);

    expect(early).toHaveLength(2);
    expect(await story.nodes()).not.toContain(first);
  });
});

describe('while the API server of the cluster does not respond', () => {
  test('removes nothing, and the pool reports it', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes();

    story.fairway.runtime.say({ phase: 'Failed', ready: false, reason: 'ControlPlaneFailed', message: 'it is down' });
    await story.clock.pass(30 * MINUTE_MS);
    const down = { nodes: await story.nodes(), ...(await story.autoscaling()) };
    story.fairway.runtime.say({});
    await story.clock.pass(5 * MINUTE_MS);

    expect(down).toMatchObject({
      nodes: { length: 2 },
      condition: {
        status: 'False',
        reason: 'ControlPlaneFailed',
        message: expect.stringContaining('does not respond'),
      },
    });
    expect(await story.nodes()).toHaveLength(1);
    expect(await story.autoscaling()).toMatchObject({ condition: { status: 'True' } });
  });
});

describe('a cluster needs', () => {
  test('no watches of its pods without an autoscaled pool', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ replicas: 1, autoscaling: { enabled: false } });
    await story.clock.pass(MINUTE_MS);

    expect(story.faults.watched('/api/v1/pods')).toBe(0);

    await story.fairway.patch(nodePools, 'general', { spec: { autoscaling: { enabled: true } } });
    await story.clock.pass(MINUTE_MS);

    expect(story.faults.watched('/api/v1/pods')).toBe(1);
  });

  test('no writes while nothing happens', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes({ minReplicas: 2 });

    const before = story.faults.writes;
    await story.clock.pass(60 * MINUTE_MS);

    expect(story.faults.writes - before).toBe(0);
  });
});

describe('turning it on and off', () => {
  test('starts with the current size, and returns to spec.replicas without a trace', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes();
    const on = await story.autoscaling();
    await story.clock.pass(MINUTE_MS);

    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 3, autoscaling: { enabled: false } } });
    await story.clock.pass(MINUTE_MS);

    expect(on).toMatchObject({ replicas: 2, reason: 'Started' });
    expect(await story.nodes()).toHaveLength(3);
    expect(await story.autoscaling()).toEqual({ condition: undefined });
    expect(await story.marks()).toEqual([]);
  });

  test('keeps the size when a user applies spec.replicas again', async () => {
    await using story = await AutoscalingStory.begin();
    await story.pool({ maxReplicas: 5 });
    await story.pending(['a', 'b'], '1500m');
    await story.clock.pass(MINUTE_MS);

    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await story.clock.pass(MINUTE_MS);

    expect(await story.nodes()).toHaveLength(2);
  });

  test('follows new bounds at once', async () => {
    await using story = await AutoscalingStory.begin();
    await story.twoNodes();

    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 4, minReplicas: 4 } });
    await story.clock.pass(MINUTE_MS);

    expect(await story.nodes()).toHaveLength(4);
    expect(await story.autoscaling()).toMatchObject({ replicas: 4, reason: 'Bounds', message: 'minReplicas is 4' });
  });
});
