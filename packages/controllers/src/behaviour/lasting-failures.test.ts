import { RETRY_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import type { Condition, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { holdings } from '../testing/cloud-contents.ts';
import { DELETED_BEHIND } from '../testing/deleted-behind.ts';
import { LASTING_CAUSES, type LastingCause, SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

const SECONDS_20 = 20_000;
const HOUR_MS = 3_600_000;
/** Budget for 20 s of any lasting failure, over all clusters, pools and machines, the first list of quotas and volume types, and Cinder's versions. */
const LIMITS = { calls: 47, writes: 60 };
/** Budget for the rest of an hour, for any jitter: a minute's two periodic lists and one call for retries, and the quotas of three services and volume types every 20 minutes. */
const LIMITS_OF_AN_HOUR = { calls: 60 * 3 + 3 * 4, writes: 120 };
/** Seed of the jitter, so that a run can be repeated. */
const SEED = 4_242;

function nodesOf(from: LastingCause['from']): number {
  return from === 'a cluster' || from === 'a given network' ? 1 : 0;
}

/** A network of the tenant's, where the nodes' ports are Fairway's own. */
async function givenNetwork({ process }: TestFairway) {
  const { network } = process.project.client;
  const { id: networkID } = await network.networks.create({ name: 'theirs' });
  await network.subnets.create({ name: 'theirs', network_id: networkID, ip_version: 4, cidr: '10.77.0.0/24' });
  return { networkID, gateway: { mode: 'None' as const } };
}

async function startWith({ from, nodesJoin }: Pick<LastingCause, 'from' | 'nodesJoin'>) {
  const faults = new SwitchedFaults();
  const clock = new SteppingClock();
  const joining = nodesJoin === false ? { nodesJoin } : {};
  const fairway = await TestFairway.start({ clock, random: seededRandom(SEED), ...faults.options, ...joining });
  if (from !== 'nothing') {
    const network = from.endsWith('given network') ? { network: await givenNetwork(fairway) } : {};
    await clock.during(fairway.readyCluster({ replicas: nodesOf(from) }, network));
    await clock.pass(SECONDS_20);
  }
  /** The cost of the next so many milliseconds. */
  const costOf = async (durationMs: number) => {
    const before = { calls: fairway.cloud.calls.total, writes: faults.writes };
    await clock.pass(durationMs);
    return { calls: fairway.cloud.calls.total - before.calls, writes: faults.writes - before.writes };
  };
  return { fairway, clock, faults, costOf };
}

/** Requests what the cause prevents; three nodes by default. */
async function ask(fairway: TestFairway, { from, ask }: Pick<LastingCause, 'from' | 'ask'>, nodes = 3): Promise<void> {
  if (from === 'nothing') {
    await fairway.createCluster();
    await fairway.createPool({ replicas: nodes });
  } else if (ask) await ask(fairway);
  else await fairway.patch(nodePools, 'general', { spec: { replicas: nodesOf(from) + nodes } });
}

describe('a failure that lasts', () => {
  test.each(LASTING_CAUSES)('$cause costs little, is reported as $reason, and ends by itself', async (lasting) => {
    const { fairway, clock, faults, costOf } = await startWith(lasting);
    await using _ = fairway;
    await lasting.begin(fairway, faults);
    const asked = { calls: fairway.cloud.calls.total, writes: faults.writes };

    await ask(fairway, lasting);
    await clock.pass(SECONDS_20);
    const first = { calls: fairway.cloud.calls.total - asked.calls, writes: faults.writes - asked.writes };
    const told = [...(await conditionsOf(fairway, lasting.kind))];
    const minute = await costOf(60_000);
    told.push(...(await conditionsOf(fairway, lasting.kind)));
    const rest = await costOf(HOUR_MS - SECONDS_20 - 60_000);
    told.push(...(await conditionsOf(fairway, lasting.kind)));
    const hour = { calls: minute.calls + rest.calls, writes: minute.writes + rest.writes };
    await lasting.end(fairway, faults);
    const ready = clock.during(allReady(fairway));
    await ready;

    expect(told).toContainEqual(expect.objectContaining({ reason: lasting.reason }));
    expect(first.calls).toBeLessThanOrEqual(LIMITS.calls);
    expect(first.writes).toBeLessThanOrEqual(LIMITS.writes);
    expect(hour.calls).toBeLessThanOrEqual(LIMITS_OF_AN_HOUR.calls);
    expect(hour.writes).toBeLessThanOrEqual(LIMITS_OF_AN_HOUR.writes);
  });
});

describe('resources deleted in the cloud', () => {
  test.each(DELETED_BEHIND)('$cause costs little and is recreated', async (deleted) => {
    const { fairway, clock, faults, costOf } = await startWith(deleted);
    await using _ = fairway;
    await deleted.begin(fairway, faults);

    await ask(fairway, deleted);
    const first = await costOf(SECONDS_20);
    await clock.during(allReady(fairway));
    // Resources that nodes do not depend on are missed when the cluster is next compared with the cloud.
    await clock.pass(1_300_000);

    expect(first.calls).toBeLessThanOrEqual(LIMITS.calls);
    expect(first.writes).toBeLessThanOrEqual(LIMITS.writes);
    expect(holdings(fairway.cloud)).toMatchObject({ subnets: 2, routers: 1, security_groups: 1 });
  });
});

describe('twenty machines under one quota', () => {
  const QUOTA = LASTING_CAUSES.find(({ cause }) => cause === 'a quota of instances') as LastingCause;

  test('cost no more than one after the first attempt', async () => {
    const { fairway, costOf, faults } = await startWith(QUOTA);
    await using _ = fairway;
    await QUOTA.begin(fairway, faults);

    await ask(fairway, QUOTA, 20);
    const first = await costOf(SECONDS_20);
    const minute = await costOf(60_000);

    expect(first.calls).toBeLessThanOrEqual(LIMITS.calls);
    expect(first.writes).toBeLessThanOrEqual(LIMITS.writes);
    expect(minute.calls).toBeLessThanOrEqual(6);
    expect(minute.writes).toBe(0);
  });

  test.each<{ who: string; act: (fairway: TestFairway) => Promise<unknown> }>([
    {
      who: 'asks for the cluster',
      act: (fairway) => fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } }),
    },
    {
      who: 'asks for the pool',
      act: (fairway) =>
        fairway.patch(nodePools, 'general', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } }),
    },
    { who: 'scales the pool', act: (fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 22 } }) },
  ])('continue at once when a person $who', async ({ act }) => {
    const { fairway, clock, faults } = await startWith(QUOTA);
    await using _ = fairway;
    await QUOTA.begin(fairway, faults);
    await ask(fairway, QUOTA, 20);
    await clock.pass(HOUR_MS);
    await QUOTA.end(fairway, faults);
    const mendedMs = clock.now();

    await act(fairway);
    await clock.during(allReady(fairway));

    expect(clock.now() - mendedMs).toBeLessThanOrEqual(10_000);
  });

  test('a person who asks repeatedly costs an attempt a second', async () => {
    const { fairway, clock, faults } = await startWith(QUOTA);
    await using _ = fairway;
    await QUOTA.begin(fairway, faults);
    await ask(fairway, QUOTA, 20);
    await clock.pass(HOUR_MS);
    const callsOf = (wanted: 'tries' | 'lists') =>
      fairway.cloud.calls
        .counts()
        .filter(({ service, method }) => service === 'compute' && (method === 'POST') === (wanted === 'tries'))
        .reduce((sum, { count }) => sum + count, 0);
    const before = { tries: callsOf('tries'), lists: callsOf('lists') };

    for (let i = 0; i < 100; i++) {
      await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: `${i}` } } });
      await clock.pass(100);
    }

    // Jitter shortens a backoff of a second to three quarters of it at most.
    expect(callsOf('tries') - before.tries).toBeLessThanOrEqual(14);
    expect(callsOf('lists') - before.lists).toBeLessThanOrEqual(14);
  });
});

describe('who must act', () => {
  const byCause = (cause: string) => LASTING_CAUSES.find((each) => each.cause === cause) as LastingCause;

  test.each([
    {
      cause: 'a full disk of the control plane',
      types: ['ControlPlaneReady', 'Ready'],
      message: expect.stringMatching(
        /^the control plane runtime failed: no space left on its disk; free space or provide a larger disk(; since 2\S+Z)?$/,
      ),
    },
    {
      cause: 'Machines that are refused',
      types: ['MachinesReady', 'Ready'],
      message: expect.stringMatching(/^Fairway's own API rejected the request: HTTP 403(; since 2\S+Z)?$/),
    },
    {
      cause: 'a tenant API that refuses',
      types: ['MachinesReady', 'Ready'],
      message: expect.stringMatching(/the cluster's API server rejects Fairway's request: HTTP 403(; since 2\S+Z)?$/),
    },
  ])('$cause is reported as such', async ({ cause, types, message }) => {
    const lasting = byCause(cause);
    const { fairway, clock, faults } = await startWith(lasting);
    await using _ = fairway;
    await lasting.begin(fairway, faults);

    await ask(fairway, lasting);
    await clock.pass(SECONDS_20);

    const told = await conditionsOf(fairway, lasting.kind);
    for (const type of types) {
      expect(told).toContainEqual(expect.objectContaining({ type, status: 'False', reason: lasting.reason, message }));
    }
  });

  test('a tenant who deletes what nodes need to join gets it back', async () => {
    const { fairway, clock } = await startWith({ from: 'an empty cluster' });
    await using _ = fairway;
    const [cluster] = (await fairway.client.resource(clusters).list()).items;
    const tenant = fairway.runtime.client(cluster?.metadata.uid ?? '');

    await tenant.resource(ClusterRoleBindings).delete('fairway:node-bootstrappers');
    await clock.pass(1_000);

    const binding = await tenant.resource(ClusterRoleBindings).get('fairway:node-bootstrappers');
    expect(binding.roleRef.name).toBe('system:node-bootstrapper');
  });
});

async function conditionsOf(fairway: TestFairway, kind: LastingCause['kind']): Promise<readonly Condition[]> {
  const type: ResourceType<Cluster | NodePool | Machine> = kind;
  const { items } = await fairway.client.resource(type).list();
  return items.flatMap(({ status }) => status?.conditions ?? []);
}

async function allReady(fairway: TestFairway): Promise<void> {
  await fairway.until(nodePools, (pools) => pools.every((pool) => isReady(pool) && isCurrent(pool)));
  await fairway.until(clusters, (all) => all.every(isReady));
  await fairway.until(machines, (all) => all.every(isReady));
}

function isCurrent({
  metadata,
  status,
}: {
  metadata: { generation?: number };
  status?: { observedGeneration?: number | undefined };
}) {
  return metadata.generation === status?.observedGeneration;
}

describe('twenty machines whose servers fail', () => {
  const FAULTS = LASTING_CAUSES.filter(({ cause }) => cause === 'no valid host' || cause === 'servers that fail');

  test.each(FAULTS)('of $cause: one create and delete each, then they cost as much as one', async (fault) => {
    const { fairway, clock, costOf, faults } = await startWith(fault);
    await using _ = fairway;
    await fault.begin(fairway, faults);

    await ask(fairway, fault, 20);
    const first = await costOf(SECONDS_20);
    const minute = await costOf(60_000);
    const hour = await costOf(HOUR_MS);
    await fairway.stopProcess();
    await fairway.startProcess();
    const restarted = await costOf(SECONDS_20);
    await fault.end(fairway, faults);
    await clock.during(allReady(fairway));

    // The cloud accepts all twenty before it reports that the first has failed.
    expect(first.calls).toBeLessThanOrEqual(50);
    expect(first.writes).toBeLessThanOrEqual(100);
    expect(minute.calls).toBeLessThanOrEqual(12);
    expect(minute.writes).toBeLessThanOrEqual(12);
    expect(hour.calls).toBeLessThanOrEqual(LIMITS_OF_AN_HOUR.calls);
    expect(hour.writes).toBeLessThanOrEqual(60);
    // A process that was killed had observed the failure; its successor reads it from the Machines.
    expect(restarted.calls).toBeLessThanOrEqual(25);
    expect(restarted.writes).toBeLessThanOrEqual(12);
  });
});
