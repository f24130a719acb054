import { ConditionType } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Events, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const SECONDS_20 = 20_000;
const MINUTE_MS = 60_000;
const NAMESPACE = 'kube-system';

/** A tenant's cluster without a scheduler: tests say which pods wait and where others run. */
class Story implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly fairway: TestFairway;
  readonly faults: SwitchedFaults;
  #tenant: KubeClient | undefined;

  private constructor(clock: SteppingClock, fairway: TestFairway, faults: SwitchedFaults) {
    this.clock = clock;
    this.fairway = fairway;
    this.faults = faults;
  }

  static async begin(): Promise<Story> {
    const clock = new SteppingClock();
    const faults = new SwitchedFaults();
    const fairway = await TestFairway.start({ clock, random: seededRandom(7), ...faults.options });
    const story = new Story(clock, fairway, faults);
    const cluster = await clock.during(fairway.createCluster().then(() => fairway.clusterReady()));
    story.#tenant = fairway.runtime.client(identityOf(cluster));
    return story;
  }

  get tenant(): KubeClient {
    if (this.#tenant === undefined) throw new Error('there is no cluster yet');
    return this.#tenant;
  }

  /** An autoscaled pool without nodes, as asked for. */
  async pool(spec: NonNullable<Parameters<TestFairway['createPool']>[0]>, name = 'general'): Promise<void> {
    const autoscaling = { enabled: true, ...spec.autoscaling };
    await this.fairway.createPool({ replicas: 0, ...spec, autoscaling }, name);
    await this.clock.pass(SECONDS_20);
  }

  /** An autoscaled pool of two nodes, each with a pod that uses 100m of its CPUs. */
  async twoNodes(spec: NonNullable<Parameters<TestFairway['createPool']>[0]> = {}): Promise<string[]> {
    await this.pool({ replicas: 2, ...spec });
    await this.clock.pass(SECONDS_20);
    const names = await this.nodes();
    for (const name of names) await this.running(`on-${name}`, name);
    await this.clock.pass(SECONDS_20);
    return names;
  }

  /** Pods for which the scheduler has no node. */
  async pending(names: readonly string[], cpu: string): Promise<void> {
    for (const name of names) {
      await this.#create(podOf(name, cpu));
      const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
      const value = { status: { phase: 'Pending', conditions } };
      const options = { namespace: NAMESPACE, subresource: 'status' };
      await this.tenant.resource(Pods).patch(name, { type: 'merge', value }, options);
    }
  }

  async running(name: string, nodeName: string, cpu = '100m'): Promise<void> {
    await this.#create(podOf(name, cpu, nodeName));
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.tenant.resource(Pods).delete(name, { namespace: NAMESPACE });
  }

  /** A budget for all pods that allows none of them to go. */
  async forbidEvictions(): Promise<void> {
    const budgets = this.tenant.resource(PodDisruptionBudgets);
    const spec = { minAvailable: '100%', selector: { matchLabels: { app: 'web' } } };
    await budgets.create({ metadata: { name: 'web', namespace: NAMESPACE }, spec });
    const value = { status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 } };
    await budgets.patch('web', { type: 'merge', value }, { namespace: NAMESPACE, subresource: 'status' });
  }

  /** Names of the pool's machines, those that leave included. */
  async nodes(pool = 'general'): Promise<string[]> {
    const all = await this.fairway.machines();
    return all.filter(({ spec }) => spec.nodePoolName === pool).map(({ metadata }) => metadata.name ?? '');
  }

  async marks(): Promise<unknown[]> {
    return (await this.fairway.machines()).flatMap(({ status }) => status?.marks?.unneeded ?? []);
  }

  async autoscaling(name = 'general') {
    const { status } = await this.fairway.client.resource(nodePools).get(name, { namespace: TEAM });
    const condition = findCondition(status?.conditions, ConditionType.Autoscaled);
    return { ...status?.autoscaling, condition };
  }

  /** Messages of Events with the reason: Fairway's, or the tenant's. */
  async events(reason: string, client = this.fairway.client): Promise<string[]> {
    const { items } = await client.resource(Events).list({});
    return items.filter((event) => event.reason === reason).map(({ message = '' }) => message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fairway[Symbol.asyncDispose]();
  }

  async #create(pod: Pod): Promise<void> {
    await this.tenant.resource(Pods).create(pod);
  }
}

/** A pod of a ReplicaSet. */
function podOf(name: string, cpu: string, nodeName?: string): Pod {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true }];
  const containers = [{ name: 'main', image: 'nginx:1.29', resources: { requests: { cpu } } }];
  return {
    metadata: { name, namespace: NAMESPACE, labels: { app: 'web' }, ownerReferences },
    spec: { containers, terminationGracePeriodSeconds: 0, ...(nodeName !== undefined && { nodeName }) },
  };
}

describe('scaling up', () => {
  test('from zero, by as many nodes as the pods need, and says why', async () => {
    await using story = await Story.begin();
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

  test('counts nodes that are on their way', async () => {
    await using story = await Story.begin();
    await story.pool({ maxReplicas: 5 });

    await story.pending(['a'], '900m');
    await story.clock.pass(12_000);
    await story.pending(['b'], '900m');
    await story.clock.pass(10 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(1);
  });

  test('takes the pool that wastes least, unless another one has priority', async () => {
    await using story = await Story.begin();
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

  test('ends at maxReplicas, and tells the pool and its pods', async () => {
    await using story = await Story.begin();
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

  test('says of pods that no node of a pool would fit, at few writes', async () => {
    await using story = await Story.begin();
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
    await using story = await Story.begin();
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
    await story.pending(['b'], '900m');
    await story.clock.pass(2 * MINUTE_MS);
    expect((await story.nodes('large')).length).toBe(1);
  });
});

describe('scaling down', () => {
  test('takes a node away that was unneeded for ten minutes, though Fairway was restarted meanwhile', async () => {
    await using story = await Story.begin();
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

  test('leaves nodes whose pods a PodDisruptionBudget keeps', async () => {
    await using story = await Story.begin();
    await story.twoNodes();

    await story.forbidEvictions();
    await story.clock.pass(30 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(2);
    expect(await story.marks()).toEqual([]);
  });

  test('takes all empty nodes at once, down to minReplicas', async () => {
    await using story = await Story.begin();
    await story.pool({ replicas: 4, minReplicas: 1 });
    await story.clock.pass(2 * MINUTE_MS);
    await story.clock.pass(12 * MINUTE_MS);

    expect(await story.nodes()).toHaveLength(1);
    expect(await story.events('ScaledDown')).toEqual(['Scaled down from 4 to 1, without 3 empty nodes']);
  });

  test('waits ten minutes after nodes were added', async () => {
    await using story = await Story.begin();
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
    await using story = await Story.begin();
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
    await using story = await Story.begin();
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

describe('while the API server of the cluster does not answer', () => {
  test('nothing goes, and the pool says so', async () => {
    await using story = await Story.begin();
    await story.twoNodes();

    story.fairway.runtime.say({ phase: 'Failed', ready: false, reason: 'ControlPlaneFailed', message: 'it is down' });
    await story.clock.pass(30 * MINUTE_MS);
    const down = { nodes: await story.nodes(), ...(await story.autoscaling()) };
    story.fairway.runtime.say({});
    await story.clock.pass(5 * MINUTE_MS);

    expect(down).toMatchObject({
      nodes: { length: 2 },
      condition: { status: 'False', reason: 'ControlPlaneFailed', message: expect.stringContaining('does not answer') },
    });
    expect(await story.nodes()).toHaveLength(1);
    expect(await story.autoscaling()).toMatchObject({ condition: { status: 'True' } });
  });
});

describe('a cluster costs', () => {
  test('no watches of its pods without an autoscaled pool', async () => {
    await using story = await Story.begin();
    await story.pool({ replicas: 1, autoscaling: { enabled: false } });
    await story.clock.pass(MINUTE_MS);

    expect(story.faults.watched('/api/v1/pods')).toBe(0);

    await story.fairway.patch(nodePools, 'general', { spec: { autoscaling: { enabled: true } } });
    await story.clock.pass(MINUTE_MS);

    expect(story.faults.watched('/api/v1/pods')).toBe(1);
  });

  test('no writes while nothing happens', async () => {
    await using story = await Story.begin();
    await story.twoNodes({ minReplicas: 2 });

    const before = story.faults.writes;
    await story.clock.pass(60 * MINUTE_MS);

    expect(story.faults.writes - before).toBe(0);
  });
});

describe('turning it on and off', () => {
  test('begins with the size that there is, and goes back to spec.replicas without a trace', async () => {
    await using story = await Story.begin();
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
    await using story = await Story.begin();
    await story.pool({ maxReplicas: 5 });
    await story.pending(['a', 'b'], '1500m');
    await story.clock.pass(MINUTE_MS);

    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await story.clock.pass(MINUTE_MS);

    expect(await story.nodes()).toHaveLength(2);
  });

  test('follows new bounds at once', async () => {
    await using story = await Story.begin();
    await story.twoNodes();

    await story.fairway.patch(nodePools, 'general', { spec: { replicas: 4, minReplicas: 4 } });
    await story.clock.pass(MINUTE_MS);

    expect(await story.nodes()).toHaveLength(4);
    expect(await story.autoscaling()).toMatchObject({ replicas: 4, reason: 'Bounds', message: 'minReplicas is 4' });
  });
});
