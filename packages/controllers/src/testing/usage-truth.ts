import { usageReport } from '@fairway/api/domain/usage/report';
import type { UsageResource } from '@fairway/api/kinds/usage-record';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import type { TestFairway } from './test-fairway.ts';

interface ServerLifetime {
  readonly flavor: string;
  readonly launchedMs: number;
  deletedMs?: number;
}

export interface TrueUsage {
  readonly amount: number;
  /** By how much the actual usage may have been lower, at most. */
  readonly uncertain: number;
}

/** The true lifetimes of servers in the simulated cloud, which Fairway does not see. */
export class UsageTruth {
  /** By server ID: a rebuilt server is launched again. */
  readonly #lifetimes = new Map<string, ServerLifetime>();

  constructor({ cloud, clock }: Pick<TestFairway, 'cloud' | 'clock'>) {
    cloud.onServerActive(({ id, flavorId }) => {
      const flavor = DEFAULT_CONFIG.flavors.find((each) => each.id === flavorId)?.name ?? flavorId;
      if (!this.#lifetimes.has(id)) this.#lifetimes.set(id, { flavor, launchedMs: clock.now() });
    });
    cloud.onServerDown(({ id }, reason) => {
      const life = this.#lifetimes.get(id);
      if (life && reason === 'deleted') life.deletedMs = clock.now();
    });
  }

  /** The total seconds of all servers that ever ran, by flavor, and their number. */
  nodeSeconds(nowMs: number): ReadonlyMap<string, { readonly seconds: number; readonly servers: number }> {
    const sums = new Map<string, { seconds: number; servers: number }>();
    for (const { flavor, launchedMs, deletedMs = nowMs } of this.#lifetimes.values()) {
      const { seconds, servers } = sums.get(flavor) ?? { seconds: 0, servers: 0 };
      sums.set(flavor, { seconds: seconds + (deletedMs - launchedMs) / 1000, servers: servers + 1 });
    }
    return sums;
  }
}

/** Fairway's reported usage of a resource from the start until now, by type. */
export async function reported(fairway: TestFairway, resource: UsageResource): Promise<ReadonlyMap<string, TrueUsage>> {
  const { items } = await fairway.client.resource(usageRecords).list();
  const nowMs = fairway.clock.now();
  const rows = usageReport(items, { fromMs: 0, toMs: nowMs, nowMs, step: 'all', byCluster: false });
  const ofResource = rows.filter((row) => row.resource === resource);
  return new Map(ofResource.map(({ type, amount, uncertain }) => [type, { amount, uncertain }]));
}

/**
 * Errors in the reported node seconds: deviations beyond the reported uncertainty, plus a second for each start and
 * end.
 */
export async function nodeUsageErrors(fairway: TestFairway, truth: UsageTruth): Promise<string[]> {
  const known = await reported(fairway, 'Node');
  return [...truth.nodeSeconds(fairway.clock.now())].flatMap(([flavor, { seconds, servers }]) => {
    const { amount, uncertain } = known.get(flavor) ?? { amount: 0, uncertain: 0 };
    const isWithinBounds = seconds <= amount + servers && amount - uncertain - servers <= seconds;
    return isWithinBounds
      ? []
      : [`${flavor}: ${amount} s (${uncertain} uncertain) are reported of ${seconds} s for ${servers} servers`];
  });
}
