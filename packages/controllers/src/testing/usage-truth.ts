import { usageReport } from '@fairway/api/domain/usage/report';
import type { UsageResource } from '@fairway/api/kinds/usage-record';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import type { TestFairway } from './test-fairway.ts';

interface Life {
  readonly flavor: string;
  readonly launchedMs: number;
  deletedMs?: number;
}

export interface Used {
  readonly amount: number;
  /** By how much less it may have been. */
  readonly uncertain: number;
}

/** What the simulated cloud knows of when each server was there, which no Fairway sees. */
export class UsageTruth {
  /** By the ids of servers: one that is rebuilt is launched again. */
  readonly #lives = new Map<string, Life>();

  constructor({ cloud, clock }: Pick<TestFairway, 'cloud' | 'clock'>) {
    cloud.onServerActive(({ id, flavorId }) => {
      const flavor = DEFAULT_CONFIG.flavors.find((each) => each.id === flavorId)?.name ?? flavorId;
      if (!this.#lives.has(id)) this.#lives.set(id, { flavor, launchedMs: clock.now() });
    });
    cloud.onServerGone(({ id }, reason) => {
      const life = this.#lives.get(id);
      if (life && reason === 'deleted') life.deletedMs = clock.now();
    });
  }

  /** Seconds of all servers that ever ran, by flavor, and how many there were. */
  nodeSeconds(nowMs: number): ReadonlyMap<string, { readonly seconds: number; readonly servers: number }> {
    const sums = new Map<string, { seconds: number; servers: number }>();
    for (const { flavor, launchedMs, deletedMs = nowMs } of this.#lives.values()) {
      const { seconds, servers } = sums.get(flavor) ?? { seconds: 0, servers: 0 };
      sums.set(flavor, { seconds: seconds + (deletedMs - launchedMs) / 1000, servers: servers + 1 });
    }
    return sums;
  }
}

/** What Fairway reports of a resource from the beginning until now, by type. */
export async function reported(fairway: TestFairway, resource: UsageResource): Promise<ReadonlyMap<string, Used>> {
  const { items } = await fairway.client.resource(usageRecords).list();
  const nowMs = fairway.clock.now();
  const rows = usageReport(items, { fromMs: 0, toMs: nowMs, nowMs, step: 'all', byCluster: false });
  const ofResource = rows.filter((row) => row.resource === resource);
  return new Map(ofResource.map(({ type, amount, uncertain }) => [type, { amount, uncertain }]));
}

/** What is wrong with the reported seconds of nodes: outside of what they say of their own uncertainty, a second for each begin and end aside. */
export async function nodeComplaints(fairway: TestFairway, truth: UsageTruth): Promise<string[]> {
  const known = await reported(fairway, 'Node');
  return [...truth.nodeSeconds(fairway.clock.now())].flatMap(([flavor, { seconds, servers }]) => {
    const { amount, uncertain } = known.get(flavor) ?? { amount: 0, uncertain: 0 };
    const isRight = seconds <= amount + servers && amount - uncertain - servers <= seconds;
    return isRight
      ? []
      : [`${flavor}: ${amount} s (${uncertain} uncertain) are reported of ${seconds} s of ${servers} servers`];
  });
}
