import { RETRY_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { ClusterRoleBindings } from '@fairway/kube/kinds/resources';
import type { Condition, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { EXTERNAL_DELETIONS } from '../testing/external-deletions.ts';
import { LASTING_CAUSES, type LastingCause, SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';

const OBSERVATION_MS = 20_000;
const HOUR_MS = 3_600_000;
/**
 * Budget for 20 s of any lasting failure, across all clusters, pools and machines. Includes the first list of quotas
 * and volume types, and of Cinder's versions.
 */
const LIMITS = { calls: 47, writes: 60 };
/**
 * Budget for the rest of an hour, with any jitter: two periodic lists and one retry a minute, and the quotas of three
 * services and volume types every 20 minutes.
 */
const LIMITS_PER_HOUR = { calls: 60 * 3 + 3 * 4, writes: 120 };
/** Seed for the jitter, so that a run can be reproduced. */
const SEED = 4_242;

function nodesOf(from: LastingCause['from']): number {
  return from === 'a cluster' || from === 'a given network' ? 1 : 0;
}

/** An existing tenant network, in which the nodes' ports are Fairway's own. */
async function existingNetwork({ process }: TestFairway) {
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
    const network = from.endsWith('given network') ? { network: await existingNetwork(fairway) } : {};
    await clock.during(fairway.readyCluster({ replicas: nodesOf(from) }, network));
    await clock.pass(OBSERVATION_MS);
  }
  /** The calls and writes during the next `durationMs` milliseconds. */
  const costOf = async (durationMs: number) => {
    const before = { calls: fairway.cloud.calls.total, writes: faults.writes };
    await clock.pass(durationMs);
    return { calls: fairway.cloud.calls.total - before.calls, writes: faults.writes - before.writes };
  };
  return { fairway, clock, faults, costOf };
}

/** Requests what the cause prevents; three nodes by default. */
async function request(
  fairway: TestFairway,
  { from, request }: Pick<LastingCause, 'from' | 'request'>,
  nodes = 3,
): Promise<void> {
  if (from === 'nothing') {
    await fairway.createCluster();
    await fairway.createPool({ replicas: nodes });
  } else if (request) await request(fairway);
  else await fairway.patch(nodePools, 'general', { spec: { replicas: nodesOf(from) + nodes } });
}

describe('a lasting failure', () => {
  test.each(LASTING_CAUSES)(
    '$cause costs little, is reported as $reason, and ends automatically',
    async (lastingCause) => {
      const { fairway, clock, faults, costOf } = await startWith(lastingCause);
      await using _ = fairway;
      await lastingCause.begin(fairway, faults);
      const counts = { calls: fairway.cloud.calls.total, writes: faults.writes };

      await request(fairway, lastingCause);
      await clock.pass(OBSERVATION_MS);
      const first = { calls: fairway.cloud.calls.total - counts.calls, writes: faults.writes - counts.writes };
      const conditions = [...(await conditionsOf(fairway, lastingCause.kind))];
      const minute = await costOf(60_000);
      conditions.push(...(await conditionsOf(fairway, lastingCause.kind)));
      const rest = await costOf(HOUR_MS - OBSERVATION_MS - 60_000);
      conditions.push(...(await conditionsOf(fairway, lastingCause.kind)));
      const hour = { calls: minute.calls + rest.calls, writes: minute.writes + rest.writes };
      await lastingCause.end(fairway, faults);
      const ready = clock.during(allReady(fairway));
      await ready;

      expect(conditions).toContainEqual(expect.objectContaining({ reason: lastingCause.reason }));
      expect(first.calls).toBeLessThanOrEqual(LIMITS.calls);
      expect(first.writes).toBeLessThanOrEqual(LIMITS.writes);
      expect(hour.calls).toBeLessThanOrEqual(LIMITS_PER_HOUR.calls);
      expect(hour.writes).toBeLessThanOrEqual(LIMITS_PER_HOUR.writes);
    },
  );
});

describe('resources deleted in the cloud', () => {
  test.each(EXTERNAL_DELETIONS)('$cause costs little and is recreated', async (deleted) => {
    const { fairway, clock, faults, costOf } = await startWith(deleted);
    await using _ = fairway;
    await deleted.begin(fairway, faults);

    await request(fairway, deleted);
    const first = await costOf(OBSERVATION_MS);
    await clock.during(allReady(fairway));
    // If nodes do not depend on a missing resource, it is detected when the cluster is next compared with the cloud.
    await clock.pass(1_300_000);

    expect(first.calls).toBeLessThanOrEqual(LIMITS.calls);
    expect(first.writes).toBeLessThanOrEqual(LIMITS.writes);
    expect(resourceCounts(fairway.cloud)).toMatchObject({ subnets: 2, routers: 1, security_groups: 1 });
  });
});

describe('twenty machines under one quota', () => {
  const QUOTA = LASTING_CAUSES.find(({ cause }) => cause === 'a quota of instances') as LastingCause;

  test('cost no more than one machine after the first attempt', async () => {
    const { fairway, costOf, faults } = await startWith(QUOTA);
    await using _ = fairway;
    await QUOTA.begin(fairway, faults);

    await request(fairway, QUOTA, 20);
    const first = await costOf(OBSERVATION_MS);
    const minute = await costOf(60_000);

    expect(first.calls).toBeLessThanOrEqual(LIMITS.calls);
    expect(first.writes).toBeLessThanOrEqual(LIMITS.writes);
    expect(minute.calls).toBeLessThanOrEqual(6);
    expect(minute.writes).toBe(0);
  });

  test.each<{ who: string; act: (fairway: TestFairway) => Promise<unknown> }>([
    {
      who: 'requests a retry for the cluster',
      act: (fairway) => fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } }),
    },
    {
      who: 'requests a retry for the pool',
      act: (fairway) =>
        fairway.patch(nodePools, 'general', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } }),
    },
    { who: 'scales the pool', act: (fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 22 } }) },
  ])('continue immediately when a user $who', async ({ act }) => {
    const { fairway, clock, faults } = await startWith(QUOTA);
    await using _ = fairway;
    await QUOTA.begin(fairway, faults);
    await request(fairway, QUOTA, 20);
    await clock.pass(HOUR_MS);
    await QUOTA.end(fairway, faults);
    const fixedMs = clock.now();

    await act(fairway);
    await clock.during(allReady(fairway));

    expect(clock.now() - fixedMs).toBeLessThanOrEqual(10_000);
  });

  test('cost one attempt a second if a user retries repeatedly', async () => {
    const { fairway, clock, faults } = await startWith(QUOTA);
    await using _ = fairway;
    await QUOTA.begin(fairway, faults);
    await request(fairway, QUOTA, 20);
    await clock.pass(HOUR_MS);
    const callsOf = (callKind: 'tries' | 'lists') =>
      fairway.cloud.calls
        .counts()
        .filter(({ service, method }) => service === 'compute' && (method === 'POST') === (callKind === 'tries'))
        .reduce((sum, { count }) => sum + count, 0);
    const before = { tries: callsOf('tries'), lists: callsOf('lists') };

    for (let i = 0; i < 100; i++) {
      await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: `${i}` } } });
      await clock.pass(100);
    }

    // Jitter shortens a backoff of one second by at most a quarter.
    expect(callsOf('tries') - before.tries).toBeLessThanOrEqual(14);
    expect(callsOf('lists') - before.lists).toBeLessThanOrEqual(14);
  });
});

describe('the required actor', () => {
  const findCause = (cause: string) => LASTING_CAUSES.find((each) => each.cause === cause) as LastingCause;

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
  ])('is reported for $cause', async ({ cause, types, message }) => {
    const lastingCause = findCause(cause);
    const { fairway, clock, faults } = await startWith(lastingCause);
    await using _ = fairway;
    await lastingCause.begin(fairway, faults);

    await request(fairway, lastingCause);
    await clock.pass(OBSERVATION_MS);

    const conditions = await conditionsOf(fairway, lastingCause.kind);
    for (const type of types) {
      expect(conditions).toContainEqual(
        expect.objectContaining({ type, status: 'False', reason: lastingCause.reason, message }),
      );
    }
  });

  test('objects that nodes need to join are recreated if a tenant deletes them', async () => {
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

  test.each(FAULTS)(
    'fail with $cause: each costs one create and one delete, and from then on, all together cost as much as one',
    async (fault) => {
      const { fairway, clock, costOf, faults } = await startWith(fault);
      await using _ = fairway;
      await fault.begin(fairway, faults);

      await request(fairway, fault, 20);
      const first = await costOf(OBSERVATION_MS);
      const minute = await costOf(60_000);
      const hour = await costOf(HOUR_MS);
      await fairway.stopProcess();
      await fairway.startProcess();
      const costAfterRestart = await costOf(OBSERVATION_MS);
      await fault.end(fairway, faults);
      await clock.during(allReady(fairway));

      // The cloud accepts all twenty before it reports that the first one has failed.
      expect(first.calls).toBeLessThanOrEqual(50);
      expect(first.writes).toBeLessThanOrEqual(100);
      expect(minute.calls).toBeLessThanOrEqual(12);
      expect(minute.writes).toBeLessThanOrEqual(12);
      expect(hour.calls).toBeLessThanOrEqual(LIMITS_PER_HOUR.calls);
      expect(hour.writes).toBeLessThanOrEqual(60);
      // The killed process had observed the failure; its successor reads it from the Machines.
      expect(costAfterRestart.calls).toBeLessThanOrEqual(25);
      expect(costAfterRestart.writes).toBeLessThanOrEqual(12);
    },
  );
});
