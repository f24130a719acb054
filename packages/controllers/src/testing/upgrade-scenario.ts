import { clusters } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { SwitchedFaults } from './lasting-causes.ts';
import { joinOnceActive, offer } from './offers.ts';
import { PoolHistory } from './pool-history.ts';
import { SteppingClock } from './stepping-clock.ts';
import { TEAM, TestFairway } from './test-fairway.ts';

/** Newer than all shipped releases, and without dates. */
const [FROM, TO] = ['1.50', '1.51'] as const;

type Strategy = NonNullable<Parameters<TestFairway['createPool']>[0]>['upgradeStrategy'];

export interface UpgradingOptions {
  readonly replicas?: number;
  readonly strategy?: Strategy;
  readonly pool?: Parameters<TestFairway['createPool']>[0];
  readonly cluster?: Parameters<TestFairway['createCluster']>[0];
}

/** An upgrade of a cluster `demo` with a pool `general` on a clock that the test advances. */
export class UpgradeScenario implements AsyncDisposable {
  readonly clock = new SteppingClock();
  readonly faults = new SwitchedFaults();
  fairway!: TestFairway;
  history!: PoolHistory;
  /** Whether servers become nodes. */
  nodesJoin = true;

  /** A cluster with a pool, all Ready on the older version. */
  static async start({
    replicas = 3,
    strategy = { type: 'Rolling' },
    pool = {},
    cluster = {},
  }: UpgradingOptions = {}): Promise<UpgradeScenario> {
    const self = new UpgradeScenario();
    const { clock, faults } = self;
    self.fairway = await TestFairway.start({ clock, random: seededRandom(7), nodesJoin: false, ...faults.options });
    const { fairway } = self;
    joinOnceActive(fairway, { mayJoin: () => self.nodesJoin });
    await offer(fairway, [FROM, TO]);
    await clock.during(
      fairway.readyCluster({ replicas, upgradeStrategy: strategy, ...pool }, { version: FROM, ...cluster }),
    );
    await clock.pass(60_000);
    self.history = await PoolHistory.of(fairway);
    return self;
  }

  async upgrade(): Promise<void> {
    await this.clock.during(this.fairway.patch(clusters, 'demo', { spec: { version: TO } }));
  }

  patchPool(value: object): Promise<NodePool> {
    return this.clock.during(this.fairway.patch(nodePools, 'general', value));
  }

  pool(): Promise<NodePool> {
    return this.clock.during(this.fairway.client.resource(nodePools).get('general', { namespace: TEAM }));
  }

  machines(): Promise<readonly Machine[]> {
    return this.clock.during(this.fairway.machines());
  }

  /** Advances the clock until the upgrade is in this state. */
  async until(check: (upgrade: PoolUpgrade, pool: NodePool) => boolean): Promise<NodePool> {
    const [pool] = await this.clock.during(
      this.fairway.until(
        nodePools,
        ([each]) => Boolean(each?.status?.upgrade && check(each.status.upgrade, each)),
        'general',
      ),
    );
    return pool as NodePool;
  }

  async versions(): Promise<string[]> {
    return (await this.machines()).map(({ spec }) => spec.version);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.history?.[Symbol.asyncDispose]();
    await this.fairway[Symbol.asyncDispose]();
  }
}
