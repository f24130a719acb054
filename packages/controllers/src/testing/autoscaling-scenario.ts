import { ConditionType } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Events, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import type { CloudConfig } from '@fairway/simulator/config';
import { SwitchedFaults } from './lasting-causes.ts';
import { SteppingClock } from './stepping-clock.ts';
import { TEAM, TestFairway } from './test-fairway.ts';

const OBSERVATION_MS = 20_000;
const NAMESPACE = 'kube-system';

/** A tenant's cluster without a scheduler: tests specify which pods are pending, and where the others run. */
export class AutoscalingScenario implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly fairway: TestFairway;
  readonly faults: SwitchedFaults;
  #tenant: KubeClient | undefined;

  private constructor(clock: SteppingClock, fairway: TestFairway, faults: SwitchedFaults) {
    this.clock = clock;
    this.fairway = fairway;
    this.faults = faults;
  }

  static async begin(cloud: Partial<CloudConfig> = {}): Promise<AutoscalingScenario> {
    const clock = new SteppingClock();
    const faults = new SwitchedFaults();
    const fairway = await TestFairway.start({ clock, random: seededRandom(7), cloud, ...faults.options });
    const scenario = new AutoscalingScenario(clock, fairway, faults);
    const cluster = await clock.during(
      fairway.createCluster({ cni: { type: 'none' } }).then(() => fairway.clusterReady()),
    );
    scenario.#tenant = fairway.runtime.client(identityOf(cluster));
    return scenario;
  }

  get tenant(): KubeClient {
    if (this.#tenant === undefined) throw new Error('there is no cluster yet');
    return this.#tenant;
  }

  /** Creates an autoscaled pool without nodes, with this spec. */
  async pool(spec: NonNullable<Parameters<TestFairway['createPool']>[0]>, name = 'general'): Promise<void> {
    const autoscaling = { enabled: true, ...spec.autoscaling };
    await this.fairway.createPool({ replicas: 0, ...spec, autoscaling }, name);
    await this.clock.pass(OBSERVATION_MS);
  }

  /** Creates an autoscaled pool of two nodes, each with a pod that requests 100m of CPU. */
  async twoNodes(spec: NonNullable<Parameters<TestFairway['createPool']>[0]> = {}): Promise<string[]> {
    await this.pool({ replicas: 2, ...spec });
    await this.clock.pass(OBSERVATION_MS);
    const names = await this.nodes();
    for (const name of names) await this.running(`on-${name}`, name);
    await this.clock.pass(OBSERVATION_MS);
    return names;
  }

  /** Creates pods for which the scheduler has no node. */
  async pending(
    names: readonly string[],
    cpu: string,
    nodeSelector: NonNullable<Pod['spec']>['nodeSelector'] = {},
  ): Promise<void> {
    for (const name of names) {
      const pod = podOf(name, cpu);
      await this.#create({ ...pod, ...(pod.spec && { spec: { ...pod.spec, nodeSelector } }) });
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

  /** Creates a PodDisruptionBudget for all pods that allows no eviction. */
  async forbidEvictions(): Promise<void> {
    const budgets = this.tenant.resource(PodDisruptionBudgets);
    const spec = { minAvailable: '100%', selector: { matchLabels: { app: 'web' } } };
    await budgets.create({ metadata: { name: 'web', namespace: NAMESPACE }, spec });
    const value = { status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 } };
    await budgets.patch('web', { type: 'merge', value }, { namespace: NAMESPACE, subresource: 'status' });
  }

  /** Names of the pool's machines, including those being deleted. */
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

  /** Messages of Events with this reason, from Fairway's API or the tenant's. */
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
