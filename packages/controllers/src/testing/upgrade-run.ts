import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { REALISTIC_LATENCY } from '@fairway/simulator/http/latency';
import { DEFAULT_SETTLE_MS } from '@fairway/tenancy/cloud/project-cloud';
import { joinOnceActive, offer } from './offers.ts';
import { SteppingClock } from './stepping-clock.ts';
import { TEAM, TestFairway } from './test-fairway.ts';

const [FROM, TO] = ['1.50', '1.51'];
/**
 * The time that a kubelet takes from the start of its server until it is Ready: cloud-init, certificates, pod network.
 */
export const BOOT_MS = 25_000;
const SETTLE_MS = 60_000;
const LIMIT_MS = 24 * 3_600_000;

export interface UpgradeOptions {
  readonly strategy: {
    readonly type: 'Rolling' | 'InPlace';
    readonly maxSurge?: number;
    readonly maxUnavailable?: number;
  };
  readonly nodes: number;
  readonly plan?: string;
}

/** An upgrade of one cluster's nodes, on a simulated cloud with the latencies of a real one. */
export class UpgradeRun implements AsyncDisposable {
  /** The target minor version of the nodes. */
  static readonly target = TO;
  readonly clock = new SteppingClock();
  fairway!: TestFairway;
  readonly #options: UpgradeOptions;

  private constructor(options: UpgradeOptions) {
    this.#options = options;
  }

  /** Waits until all nodes are Ready on the old version. */
  static async prepare(options: UpgradeOptions): Promise<UpgradeRun> {
    const run = new UpgradeRun(options);
    const { clock } = run;
    const { nodes, plan, strategy } = options;
    const cloud = { latency: REALISTIC_LATENCY };
    run.fairway = await TestFairway.start({
      clock,
      cloud,
      random: seededRandom(1),
      nodesJoin: false,
      settleMs: DEFAULT_SETTLE_MS,
    });
    const { fairway } = run;
    joinOnceActive(fairway, { bootMs: BOOT_MS });
    await offer(fairway, [FROM, TO]);
    await clock.during(fairway.createCluster({ version: FROM, ...(plan !== undefined && { plan }) }));
    await clock.during(fairway.createPool({ replicas: nodes, upgradeStrategy: strategy }));
    await run.#until(async () => {
      const all = await fairway.machines();
      return all.filter(({ status }) => status?.phase === 'Ready').length === nodes;
    });
    await clock.pass(SETTLE_MS);
    return run;
  }

  /** Returns its start and end times by the cluster's clock. */
  async upgrade(): Promise<{ readonly fromMs: number; readonly toMs: number }> {
    const { clock, fairway } = this;
    const fromMs = clock.now();
    await clock.during(fairway.patch(clusters, 'demo', { spec: { version: TO } }));
    await this.#until(async () => {
      const pool = await fairway.client.resource(nodePools).get('general', { namespace: TEAM });
      if (findCondition(pool.status?.conditions, 'UpToDate')?.status !== 'True') return false;
      const all = await fairway.machines();
      const isDone = all.every(({ spec, status }) => spec.version.startsWith(TO) && status?.phase === 'Ready');
      return isDone && all.length === this.#options.nodes;
    });
    return { fromMs, toMs: clock.now() };
  }

  async #until(check: () => Promise<boolean>): Promise<void> {
    const { clock } = this;
    const limitMs = clock.now() + LIMIT_MS;
    while (!(await clock.during(check()))) {
      if (clock.now() > limitMs) throw new Error('it did not finish within a day');
      await clock.pass(1000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fairway?.[Symbol.asyncDispose]();
  }
}
