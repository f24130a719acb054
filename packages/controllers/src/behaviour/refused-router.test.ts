import { ConditionType } from '@fairway/api/conditions';
import { RETRY_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const where = { namespace: TEAM };
const ATTACH_ROUTER = { service: 'network', path: '/add_router_interface$', times: null } as const;

/** A cluster with one server whose router the cloud first delays, and then refuses to attach. */
async function startRefusedRouter() {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const options = { clock, random: seededRandom(4_242), nodesJoin: false, ...faults.options };
  const fairway = await TestFairway.start(options);
  fairway.cloud.faults.add({ ...ATTACH_ROUTER, action: { kind: 'delay', delayMs: 10_000 } });
  fairway.cloud.faults.add({ ...ATTACH_ROUTER, action: { kind: 'answer', status: 403 } });
  await fairway.createCluster();
  await fairway.createPool({ replicas: 1 });
  await clock.pass(MINUTE_MS);
  const cluster = () => fairway.client.resource(clusters).get('demo', where);
  return {
    fairway,
    clock,
    faults,
    reportedText: async () => {
      const { status } = await cluster();
      const network = findCondition(status?.conditions, ConditionType.NetworkReady);
      return `${status?.phase} ${network?.status} ${network?.reason}`;
    },
    /** Calls that create servers, or rewrite their disks. */
    builds: () =>
      fairway.cloud.calls
        .counts()
        .filter(({ service, method }) => service === 'compute' && method === 'POST')
        .reduce((sum, { count }) => sum + count, 0),
    repairs: async () =>
      (await fairway.client.resource(Events).list(where)).items.filter(({ reason = '' }) =>
        /Repair|Timeout/.test(reason),
      ),
  };
}

test('a router that the cloud refuses to attach is reported as refused, not as in progress at each attempt', async () => {
  const { fairway, clock, faults, reportedText } = await startRefusedRouter();
  await using _ = fairway;
  const writes = faults.writes;
  const seen = new Set<string>();

  for (let seconds = 0; seconds < 1_800; seconds += 5) {
    await clock.pass(5_000);
    seen.add(await reportedText());
  }

  expect([...seen]).toEqual(['Failed False PermissionDenied']);
  expect(faults.writes - writes).toBeLessThanOrEqual(4);
});

test('a server that waits for the router is neither reported as late nor repaired, and joins in time afterwards', async () => {
  const { fairway, clock, builds, repairs } = await startRefusedRouter();
  await using _ = fairway;
  const before = builds();

  await clock.pass(90 * MINUTE_MS);

  expect(before).toBeGreaterThan(0);
  expect(builds()).toBe(before);
  expect(await repairs()).toEqual([]);

  fairway.cloud.faults.clear();
  await clock.pass(9 * MINUTE_MS);
  const earlyRepairs = await repairs();
  await clock.pass(8 * MINUTE_MS);
  expect(earlyRepairs).toEqual([]);
  // Fairway retries within five minutes; from then on, the usual timeout applies.
  expect((await repairs()).map(({ reason }) => reason)).toContain('NodeStartupTimeout');
});

test('a server created before the refusal is deleted with its cluster', async () => {
  const { fairway, clock } = await startRefusedRouter();
  await using _ = fairway;
  expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 1, routers: 1 });

  await fairway.delete(clusters, 'demo');
  await clock.pass(5 * MINUTE_MS);

  expect((await fairway.client.resource(clusters).list(where)).items).toEqual([]);
  expect((await fairway.client.resource(nodePools).list(where)).items).toEqual([]);
  expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0, routers: 0, networks: 1 });
});

test('one of two lasting failures is reported, regardless of their order, and both are retried only infrequently', async () => {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  await using fairway = await TestFairway.start({ clock, random: seededRandom(4_242), ...faults.options });
  for (const [index, [path, status]] of (
    [
      ['/routers$', 403],
      ['/security-groups$', 400],
    ] as const
  ).entries()) {
    const call = { service: 'network', method: 'POST', path } as const;
    // The two calls take turns being the slower one.
    for (let nth = 1 + index; nth < 400; nth += 2) {
      fairway.cloud.faults.add({ ...call, nth, action: { kind: 'delay', delayMs: 200 } });
    }
    fairway.cloud.faults.add({ ...call, times: null, action: { kind: 'answer', status } });
  }

  await fairway.createCluster();
  const reportedReasons = new Set<string | undefined>();
  for (let seconds = 0; seconds < 600; seconds += 5) {
    await clock.pass(5_000);
    const { status } = await fairway.client.resource(clusters).get('demo', where);
    reportedReasons.add(findCondition(status?.conditions, ConditionType.NetworkReady)?.reason);
  }

  const tries = fairway.cloud.calls
    .counts()
    .find(({ method, template }) => method === 'POST' && template.endsWith('/routers'));
  expect([...reportedReasons]).toEqual(['PermissionDenied']);
  expect(tries?.count).toBeLessThanOrEqual(12);
});

test('a creation without a response is reported, and not hidden by the wait for its outcome', async () => {
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock, random: seededRandom(4_242) });
  const call = { service: 'network', method: 'POST', path: '/routers$', times: null } as const;
  fairway.cloud.faults.add({ ...call, action: { kind: 'delay', delayMs: 200 } });
  fairway.cloud.faults.add({ ...call, action: { kind: 'drop' } });

  await fairway.createCluster();
  const reportedReasons: (string | undefined)[] = [];
  for (let seconds = 0; seconds < 600; seconds++) {
    await clock.pass(1_000);
    const { status } = await fairway.client.resource(clusters).get('demo', where);
    const { reason } = findCondition(status?.conditions, ConditionType.NetworkReady) ?? {};
    if (reportedReasons.at(-1) !== reason) reportedReasons.push(reason);
  }

  // Only once, because the cloud may still create the server a second later.
  expect(reportedReasons).toEqual(['CloudUnavailable', 'Provisioning', 'CloudUnavailable']);
});

test('a working cluster keeps its status while its router is attached again', async () => {
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock, random: seededRandom(4_242) });
  const { status } = await clock.during(fairway.readyCluster({ replicas: 1 }));
  const { routerID = '', subnetID = '' } = status?.network ?? {};
  const { routers } = fairway.process.project.client.network;
  await clock.during(routers.removeInterface(routerID, { subnet_id: subnetID }));
  fairway.cloud.faults.add({ ...ATTACH_ROUTER, action: { kind: 'delay', delayMs: 10_000 } });

  await fairway.patch(clusters, 'demo', { metadata: { annotations: { [RETRY_ANNOTATION]: 'now' } } });
  const reportedReasons = new Set<string | undefined>();
  for (let seconds = 0; seconds < 30; seconds++) {
    await clock.pass(1_000);
    const { status } = await fairway.client.resource(clusters).get('demo', where);
    reportedReasons.add(`${status?.phase} ${findCondition(status?.conditions, ConditionType.NetworkReady)?.status}`);
  }

  const attached = fairway.cloud.calls.counts().find(({ template }) => template.endsWith('/add_router_interface'));
  expect(attached?.count).toBe(2);
  expect([...reportedReasons]).toEqual(['Ready True']);
});
