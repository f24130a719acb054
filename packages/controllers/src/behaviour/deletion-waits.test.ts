import { RETRY_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { CAUSES } from '../testing/causes/all.ts';
import { bringAbout } from '../testing/causes/bring-about.ts';
import { type Cause, MINUTE_MS } from '../testing/causes/cause.ts';
import { serverOf } from '../testing/causes/nodes.ts';
import { TEAM, type TestFairway } from '../testing/test-fairway.ts';

const HOUR_MS = 60 * MINUTE_MS;
/** Deletions that Clusters report. */
const WAITS = CAUSES.filter(
  ({ kind, phase, condition }) => kind === 'Cluster' && phase === 'Deleting' && condition === undefined,
);
/**
 * Budget for an hour of a blocked deletion: one attempt every five minutes, with its lists and queries, plus two
 * periodic lists a minute.
 */
const CALLS_PER_HOUR = 60 * 2 + 12 * 15;

function causeOf(name: string): Cause {
  return WAITS.find(({ cause }) => cause === name) as Cause;
}

async function clusterOf(fairway: TestFairway): Promise<Cluster | undefined> {
  return (await fairway.client.resource(clusters).list({ namespace: TEAM })).items[0];
}

/** The number of warnings with this reason on the Cluster. */
async function warnings(fairway: TestFairway, reason: string): Promise<number> {
  const { items } = await fairway.client.resource(Events).list({ namespace: TEAM });
  const events = items.filter((event) => event.involvedObject?.kind === 'Cluster' && event.reason === reason);
  return events.reduce((sum, { count = 1 }) => sum + count, 0);
}

describe('a deletion that is blocked for hours', () => {
  test.each(WAITS)('$cause: reports it once with the same message, and costs little', async (cause) => {
    await using scenario = await bringAbout(cause);
    const { fairway, clock, faults } = scenario;
    // Waits until backoffs have grown and delays are reported.
    await clock.pass(HOUR_MS);
    const before = await clusterOf(fairway);
    const cost = { calls: fairway.cloud.calls.total, writes: faults.writes };

    await clock.pass(2 * HOUR_MS);
    const after = await clusterOf(fairway);
    const calls = fairway.cloud.calls.total - cost.calls;

    expect(after?.status).toEqual(before?.status);
    expect(findCondition(after?.status?.conditions, 'Ready')?.reason).toBe(cause.reason);
    expect(await warnings(fairway, cause.reason)).toBe(1);
    expect(faults.writes - cost.writes).toBeLessThanOrEqual(2);
    expect(calls).toBeLessThanOrEqual(2 * CALLS_PER_HOUR);
  });

  test('reports zero ready nodes once none are left', async () => {
    await using scenario = await bringAbout(causeOf('A port of the tenant is in the network of a deleted cluster'));
    const { status } = (await clusterOf(scenario.fairway)) ?? {};

    expect(status?.readySummary).toBe('0/0');
    expect(status?.nodes).toMatchObject({ desired: 0, current: 0, ready: 0 });
  });

  test('ends immediately on request after the obstacle is removed', async () => {
    await using scenario = await bringAbout(causeOf('A cluster is deleted, and somebody has locked a server of it'));
    const { fairway, clock } = scenario;
    await (await serverOf(fairway)).act({ unlock: null });

    await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
    await clock.pass(MINUTE_MS);

    expect(await clusterOf(fairway)).toBeUndefined();
  });
});
