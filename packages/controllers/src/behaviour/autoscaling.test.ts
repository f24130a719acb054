import { nodePools } from '@fairway/api/kinds/node-pool';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { AutoscalingScenario } from '../testing/autoscaling-scenario.ts';

const MINUTE_MS = 60_000;

describe('scaling up', () => {
  test('starts from zero with as many nodes as the pods need, and reports why', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 5 });

    await scenario.pending(['a', 'b', 'c'], '900m');
    await scenario.clock.pass(MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(2);
    expect(await scenario.autoscaling()).toMatchObject({
      replicas: 2,
      reason: 'ScaledUp',
      message: 'from 0 to 2, for 3 pods, such as kube-system/a',
      condition: { status: 'True' },
    });
    expect(await scenario.events('ScaledUp')).toEqual(['Scaled up from 0 to 2, for 3 pods, such as kube-system/a']);
    const events = await scenario.events('TriggeredScaleUp', scenario.tenant);
    expect(events).toEqual(Array(3).fill('pod triggered scale-up: pool general from 0 to 2 nodes'));
  });

  test('counts nodes that are being created', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 5 });

    await scenario.pending(['a'], '900m');
    await scenario.clock.pass(12_000);
    await scenario.pending(['b'], '900m');
    await scenario.clock.pass(10 * MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(1);
  });

  test('selects the pool that wastes the least, unless another has priority', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ flavor: 'b3-16' }, 'large');
    await scenario.pool({ flavor: 'b3-8' }, 'small');

    await scenario.pending(['a'], '1500m');
    await scenario.clock.pass(MINUTE_MS);
    const least = { small: await scenario.nodes('small'), large: await scenario.nodes('large') };
    await scenario.remove(['a']);
    await scenario.running('a', least.small[0] ?? '', '1500m');
    await scenario.fairway.patch(nodePools, 'large', { spec: { autoscaling: { priority: 10 } } });
    await scenario.pending(['b'], '1500m');
    await scenario.clock.pass(MINUTE_MS);

    expect([least.small.length, least.large.length]).toEqual([1, 0]);
    expect([(await scenario.nodes('small')).length, (await scenario.nodes('large')).length]).toEqual([1, 1]);
  });

  test('uses the pool’s current flavor, not its previous one', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ replicas: 1, maxReplicas: 3, upgradeStrategy: { paused: true } });
    await scenario.clock.pass(MINUTE_MS);
    const [old = ''] = await scenario.nodes();
    const labels = { 'node.kubernetes.io/instance-type': 'b3-8' };
    await scenario.tenant.resource(tenantNodes).patch(old, { type: 'merge', value: { metadata: { labels } } });
    await scenario.fairway.patch(nodePools, 'general', { spec: { flavor: 'b3-16' } });
    await scenario.clock.pass(MINUTE_MS);

    // More than a b3-8 node has.
    await scenario.pending(['a'], '3000m');
    await scenario.clock.pass(2 * MINUTE_MS);

    const flavors = (await scenario.fairway.machines()).map(({ spec }) => spec.flavor);
    expect(flavors.toSorted()).toEqual(['b3-16', 'b3-8']);
  });

  test('stops at maxReplicas, and reports it on the pool and its pods', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 1 });

    await scenario.pending(['a', 'b'], '1500m');
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(1);
    expect(await scenario.autoscaling()).toMatchObject({
      condition: {
        status: 'False',
        reason: 'MaxReplicasReached',
        message: expect.stringContaining('maxReplicas 1 reached'),
      },
    });
    expect(await scenario.events('NotTriggerScaleUp', scenario.tenant)).toEqual([
      "pod didn't trigger scale-up: general: maxReplicas 1 reached",
    ]);
    expect(await scenario.events('NotScaledUp')).toHaveLength(1);
  });

  test.each([
    { nodeStartupTimeout: '90m', waits: true },
    { nodeStartupTimeout: '10m', waits: false },
  ])('waits for a slow node only as long as its pool allows: $nodeStartupTimeout', async (row) => {
    await using scenario = await AutoscalingScenario.begin();
    scenario.fairway.joinsNodes = false;
    await scenario.pool({ maxReplicas: 1, nodeStartupTimeout: row.nodeStartupTimeout });

    await scenario.pending(['a'], '900m');
    await scenario.clock.pass(MINUTE_MS);
    const firstNodes = await scenario.nodes();
    await scenario.clock.pass(60 * MINUTE_MS);
    const after = await scenario.nodes();

    const failures = await scenario.events('ScaleUpFailed');
    const { backoff } = await scenario.autoscaling();
    expect(firstNodes).toHaveLength(1);
    expect({
      isKept: firstNodes.every((name) => after.includes(name)),
      isReported: failures.some((message) => message.includes('not joined the cluster as a node for 10 min')),
      isBackingOff: backoff !== undefined,
    }).toEqual({ isKept: row.waits, isReported: !row.waits, isBackingOff: !row.waits });
  });

  test('reports pods that do not fit on any of a pool’s nodes, with few writes', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 5 });

    await scenario.pending(['huge'], '64');
    await scenario.clock.pass(MINUTE_MS);
    const before = scenario.faults.writes;
    await scenario.clock.pass(60 * MINUTE_MS);

    expect(await scenario.autoscaling()).toMatchObject({
      replicas: 0,
      condition: { status: 'False', reason: 'PodsUnschedulable', message: expect.stringContaining('Insufficient cpu') },
    });
    expect(scenario.faults.writes - before).toBeLessThan(20);
  });

  test('tries another pool when the quota is used up, and retries the first one later', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ flavor: 'b3-16', autoscaling: { priority: 10 } }, 'large');
    await scenario.pool({ flavor: 'b3-8' }, 'small');
    scenario.fairway.cloud.setQuota('demo', { cores: 2 });

    await scenario.pending(['a'], '900m');
    await scenario.clock.pass(2 * MINUTE_MS);

    expect([(await scenario.nodes('large')).length, (await scenario.nodes('small')).length]).toEqual([0, 1]);
    expect(await scenario.autoscaling('large')).toMatchObject({
      replicas: 0,
      backoff: { reason: 'QuotaExceeded', failures: 1 },
      condition: { status: 'False', reason: 'QuotaExceeded' },
    });
    expect(await scenario.events('ScaleUpFailed')).toEqual([expect.stringMatching(/quota exceeded for cores/)]);

    scenario.fairway.cloud.setQuota('demo', { cores: 100 });
    await scenario.remove(['a']);
    await scenario.running('a', (await scenario.nodes('small'))[0] ?? '', '1500m');
    await scenario.clock.pass(5 * MINUTE_MS);
    expect(await scenario.autoscaling('large')).toMatchObject({ condition: { status: 'True' } });
    await scenario.pending(['b'], '900m');
    await scenario.clock.pass(2 * MINUTE_MS);
    expect((await scenario.nodes('large')).length).toBe(1);
  });
});

describe('scaling down', () => {
  test('removes a node that has been unneeded for ten minutes, even if Fairway has restarted since', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes();

    await scenario.clock.pass(6 * MINUTE_MS);
    const marked = await scenario.marks();
    await scenario.clock.during(scenario.fairway.stopProcess());
    await scenario.clock.during(scenario.fairway.startProcess());
    await scenario.clock.pass(3 * MINUTE_MS);
    const early = await scenario.nodes();
    await scenario.clock.pass(3 * MINUTE_MS);

    expect(marked).toMatchObject([{ due: false, reason: 'Underused' }]);
    expect(early).toHaveLength(2);
    expect(await scenario.nodes()).toHaveLength(1);
    expect(await scenario.autoscaling()).toMatchObject({ replicas: 1, reason: 'ScaledDown' });
    expect(await scenario.events('ScaledDown')).toEqual([
      expect.stringMatching(/^Scaled down from 2 to 1, without node /),
    ]);
  });

  test('keeps nodes whose pods a PodDisruptionBudget protects', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes();

    await scenario.forbidEvictions();
    await scenario.clock.pass(30 * MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(2);
    expect(await scenario.marks()).toEqual([]);
  });

  test('removes all empty nodes at once, down to minReplicas', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ replicas: 4, minReplicas: 1 });
    await scenario.clock.pass(2 * MINUTE_MS);
    await scenario.clock.pass(12 * MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(1);
    expect(await scenario.events('ScaledDown')).toEqual(['Scaled down from 4 to 1, without 3 empty nodes']);
  });

  test('waits ten minutes after nodes are added', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes();

    await scenario.clock.pass(5 * MINUTE_MS);
    await scenario.pending(['big'], '1800m');
    await scenario.clock.pass(MINUTE_MS);
    await scenario.remove(['big']);
    await scenario.clock.pass(8 * MINUTE_MS);
    const early = await scenario.nodes();
    await scenario.clock.pass(10 * MINUTE_MS);

    expect(early).toHaveLength(3);
    expect(await scenario.nodes()).toHaveLength(1);
  });

  test('scaling down with the pool’s settings', async () => {
    await using scenario = await AutoscalingScenario.begin();
    const [first = ''] = await scenario.twoNodes({
      autoscaling: { scaleDownUtilizationThreshold: '0.04', scaleDownUnneededTime: '2m' },
    });

    await scenario.clock.pass(5 * MINUTE_MS);
    const used = await scenario.nodes();
    await scenario.remove([`on-${first}`]);
    await scenario.clock.pass(3 * MINUTE_MS);

    // 100m of 1840m is more than 4%.
    expect(used).toHaveLength(2);
    expect(await scenario.nodes()).toHaveLength(1);
  });

  test('waits longer for a node that is not ready', async () => {
    await using scenario = await AutoscalingScenario.begin();
    const [first = ''] = await scenario.twoNodes({
      minReplicas: 1,
      autoscaling: { scaleDownUnreadyTime: '5m', scaleDownUnneededTime: '60m' },
    });

    const value = {
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: '' }] },
    };
    await scenario.tenant.resource(tenantNodes).patch(first, { type: 'merge', value }, { subresource: 'status' });
    await scenario.clock.pass(4 * MINUTE_MS);
    const early = await scenario.nodes();
    await scenario.clock.pass(2 * MINUTE_MS);

    expect(early).toHaveLength(2);
    expect(await scenario.nodes()).not.toContain(first);
  });
});

describe('while the cluster’s API server does not respond', () => {
  test('does not remove nodes, and the pool reports why', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes();

    scenario.fairway.runtime.reportState({
      phase: 'Failed',
      ready: false,
      reason: 'ControlPlaneFailed',
      message: 'it is down',
    });
    await scenario.clock.pass(30 * MINUTE_MS);
    const duringOutage = { nodes: await scenario.nodes(), ...(await scenario.autoscaling()) };
    scenario.fairway.runtime.reportState({});
    await scenario.clock.pass(5 * MINUTE_MS);

    expect(duringOutage).toMatchObject({
      nodes: { length: 2 },
      condition: {
        status: 'False',
        reason: 'ControlPlaneFailed',
        message: expect.stringContaining('does not respond'),
      },
    });
    expect(await scenario.nodes()).toHaveLength(1);
    expect(await scenario.autoscaling()).toMatchObject({ condition: { status: 'True' } });
  });
});

describe('a cluster', () => {
  test('does not have its pods watched without an autoscaled pool', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ replicas: 1, autoscaling: { enabled: false } });
    await scenario.clock.pass(MINUTE_MS);

    expect(scenario.faults.watchCount('/api/v1/pods')).toBe(0);

    await scenario.fairway.patch(nodePools, 'general', { spec: { autoscaling: { enabled: true } } });
    await scenario.clock.pass(MINUTE_MS);

    expect(scenario.faults.watchCount('/api/v1/pods')).toBe(1);
  });

  test('causes no writes while nothing happens', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes({ minReplicas: 2 });

    const before = scenario.faults.writes;
    await scenario.clock.pass(60 * MINUTE_MS);

    expect(scenario.faults.writes - before).toBe(0);
  });
});

describe('enabling and disabling autoscaling', () => {
  test('starts with the current size, and returns to spec.replicas without leaving a trace', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes();
    const on = await scenario.autoscaling();
    await scenario.clock.pass(MINUTE_MS);

    await scenario.fairway.patch(nodePools, 'general', { spec: { replicas: 3, autoscaling: { enabled: false } } });
    await scenario.clock.pass(MINUTE_MS);

    expect(on).toMatchObject({ replicas: 2, reason: 'Started' });
    expect(await scenario.nodes()).toHaveLength(3);
    expect(await scenario.autoscaling()).toEqual({ condition: undefined });
    expect(await scenario.marks()).toEqual([]);
  });

  test('keeps the size when a user applies spec.replicas again', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.pool({ maxReplicas: 5 });
    await scenario.pending(['a', 'b'], '1500m');
    await scenario.clock.pass(MINUTE_MS);

    await scenario.fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await scenario.clock.pass(MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(2);
  });

  test('follows new bounds immediately', async () => {
    await using scenario = await AutoscalingScenario.begin();
    await scenario.twoNodes();

    await scenario.fairway.patch(nodePools, 'general', { spec: { replicas: 4, minReplicas: 4 } });
    await scenario.clock.pass(MINUTE_MS);

    expect(await scenario.nodes()).toHaveLength(4);
    expect(await scenario.autoscaling()).toMatchObject({ replicas: 4, reason: 'Bounds', message: 'minReplicas is 4' });
  });
});
