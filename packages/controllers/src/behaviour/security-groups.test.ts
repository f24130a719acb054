import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { Condition } from '@fairway/kube/object/meta';
import { ownerDescription } from '@fairway/tenancy/cloud/ownership';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const PORT = { service: 'network', method: 'PUT', path: '/ports/' } as const;

async function startWith(options: TestFairwayOptions = {}) {
  const clock = new SteppingClock();
  const fairway = await TestFairway.start({ clock, random: seededRandom(4_242), ...options });
  const { network } = fairway.process.project.client;
  const makeGroup = async (name: string, description = '') =>
    (await network.securityGroups.create({ name, description })).id;
  return { fairway, clock, makeGroup };
}

/** The groups of the servers' ports except Fairway's own, sorted by name; each port also has Fairway's. */
async function groupsOf(fairway: TestFairway): Promise<string[][]> {
  const [cluster] = (await fairway.client.resource(clusters).list()).items;
  const own = cluster?.status?.network?.securityGroupID ?? '';
  const ports = await portsOf(fairway);
  return ports.map(({ security_groups: groups }) => {
    expect(groups).toContain(own);
    return groups.filter((id) => id !== own).sort();
  });
}

async function portsOf(fairway: TestFairway) {
  const ports = await Array.fromAsync(fairway.process.project.client.network.ports.list());
  return ports.filter(({ device_owner }) => device_owner.startsWith('compute:'));
}

async function applied(fairway: TestFairway): Promise<Condition | undefined> {
  const pool = await fairway.client.resource(nodePools).get('general', { namespace: 'team' });
  return findCondition(pool.status?.conditions, 'SecurityGroupsApplied');
}

function isApplied(pool: NodePool | undefined): boolean {
  return findCondition(pool?.status?.conditions, 'SecurityGroupsApplied')?.status === 'True';
}

function calls(fairway: TestFairway, method: string, template: RegExp): number {
  const matching = fairway.cloud.calls
    .counts()
    .filter((each) => each.method === method && template.test(each.template));
  return matching.reduce((sum, { count }) => sum + count, 0);
}

/** An existing tenant network, in which the nodes' ports are Fairway's own. */
async function existingNetwork({ process }: TestFairway) {
  const { network } = process.project.client;
  const { id: networkID } = await network.networks.create({ name: 'theirs' });
  await network.subnets.create({ name: 'theirs', network_id: networkID, ip_version: 4, cidr: '10.77.0.0/24' });
  return { networkID, gateway: { mode: 'None' as const } };
}

describe('security groups of a pool', () => {
  test.each([
    { where: "a network of Fairway's", isGiven: false },
    { where: "a network of the tenant's", isGiven: true },
  ])('are on the ports of new servers from the start, in $where', async ({ isGiven }) => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const ids = [await makeGroup('web'), await makeGroup('db')].sort();
    const network = isGiven ? { network: await existingNetwork(fairway) } : {};

    await clock.during(fairway.readyCluster({ replicas: 2, securityGroups: ['web', 'db'] }, network));

    expect(await groupsOf(fairway)).toEqual([ids, ids]);
    expect(calls(fairway, 'PUT', /\/ports/)).toBe(0);
    expect(await applied(fairway)).toMatchObject({ status: 'True' });
  });

  test('are applied to existing servers in place, and are removed with the field', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const [web, db, foreignGroup] = [await makeGroup('web'), await makeGroup('db'), await makeGroup('theirs')];
    await clock.during(fairway.readyCluster({ replicas: 2 }));
    const before = (await fairway.machines()).map(({ status }) => status?.serverID);
    for (const { id, security_groups } of await portsOf(fairway)) {
      const { ports } = fairway.process.project.client.network;
      await ports.update(id, { security_groups: [...security_groups, foreignGroup] });
    }

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: ['web'] } });
    await clock.pass(MINUTE_MS);
    expect(await groupsOf(fairway)).toEqual([[web, foreignGroup].sort(), [web, foreignGroup].sort()]);

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: [db] } });
    await clock.pass(MINUTE_MS);
    expect(await groupsOf(fairway)).toEqual([[db, foreignGroup].sort(), [db, foreignGroup].sort()]);
    // The old group is no longer in use.
    await fairway.process.project.client.network.securityGroups.delete(web);

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: null } });
    await clock.pass(10 * MINUTE_MS);
    expect(await groupsOf(fairway)).toEqual([[foreignGroup], [foreignGroup]]);
    expect(await applied(fairway)).toBeUndefined();
    expect((await fairway.machines()).map(({ status }) => status?.serverID)).toEqual(before);
    const pool = await fairway.client.resource(nodePools).get('general', { namespace: 'team' });
    expect(pool.status?.securityGroups).toBeUndefined();
  });

  test("are also on the ports in the pool's additional networks, and on no other ports of the servers", async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const [web, db] = [await makeGroup('web'), await makeGroup('db')];
    const { networkID } = await existingNetwork(fairway);
    await clock.during(fairway.readyCluster({ replicas: 1, securityGroups: ['web'], networks: [{ networkID }] }));
    expect(await groupsOf(fairway)).toEqual([[web], [web]]);
    const { ports } = fairway.process.project.client.network;
    const [server] = (await fairway.machines()).map(({ status }) => status?.serverID ?? '');
    const added = { network_id: networkID, name: 'theirs', description: '', security_groups: [db] };
    const { id } = await ports.create(added);
    await fairway.process.project.client.compute.servers.attachInterface(server ?? '', { port: id });

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: ['db'] } });
    await clock.pass(MINUTE_MS);

    const after = (await portsOf(fairway)).filter((port) => port.id !== id);
    expect(after.map(({ security_groups }) => security_groups.includes(db))).toEqual([true, true]);
    expect((await ports.get(id)).security_groups).toEqual([db]);
  });

  test('are restored after their removal, at most once a minute', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const web = await makeGroup('web');
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1, securityGroups: ['web'] }));
    const own = cluster.status?.network?.securityGroupID ?? '';
    const { ports } = fairway.process.project.client.network;
    const [port] = await portsOf(fairway);
    const remove = () => ports.update(port?.id ?? '', { security_groups: [own] });

    await remove();
    await clock.pass(11 * MINUTE_MS);
    expect(await groupsOf(fairway)).toEqual([[web]]);

    const before = calls(fairway, 'PUT', /\/ports/);
    for (let minute = 0; minute < 60; minute++) {
      if ((await groupsOf(fairway)).flat().length > 0) await remove();
      await clock.pass(MINUTE_MS);
    }
    // Half of the calls are made by the test itself.
    expect(calls(fairway, 'PUT', /\/ports/) - before).toBeLessThanOrEqual(2 * 7);
  });

  test('cost two lists in ten minutes while nothing changes', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 2, securityGroups: ['web'] }));
    await clock.pass(20 * MINUTE_MS);
    const before = calls(fairway, 'GET', /\/(ports|security-groups)$/);

    await clock.pass(60 * MINUTE_MS);

    expect(calls(fairway, 'PUT', /\/ports/)).toBe(0);
    expect(calls(fairway, 'GET', /\/(ports|security-groups)$/) - before).toBeLessThanOrEqual(6 * 2 + 6);
  });
});

describe('an unavailable security group', () => {
  test('blocks new servers until it exists, and leaves existing servers unchanged', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const web = await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 1, securityGroups: ['web'] }));

    await fairway.patch(nodePools, 'general', { spec: { replicas: 2, securityGroups: ['web', 'later'] } });
    await clock.pass(MINUTE_MS);
    expect(await applied(fairway)).toMatchObject({
      status: 'False',
      reason: 'SecurityGroupNotFound',
      message:
        'spec.securityGroups: later: the project has no such security group. No server is created without it, and existing servers are unaffected',
    });
    await fairway.untilReported(
      nodePools,
      'SecurityGroupNotFound',
      /^1\/2 nodes are ready; .*: spec\.securityGroups: later/,
    );
    expect(await groupsOf(fairway)).toEqual([[web]]);
    const before = fairway.cloud.calls.total;
    await clock.pass(60 * MINUTE_MS);
    // The periodic list of servers runs once a minute.
    expect(fairway.cloud.calls.total - before).toBeLessThanOrEqual(60 * 3);

    const { items } = await fairway.client.resource(Events).list({ namespace: 'team' });
    const warnings = items.filter(({ reason }) => reason === 'SecurityGroupsNotApplied');
    expect(warnings.map(({ count, message }) => ({ count, message }))).toEqual([
      { count: 1, message: expect.stringMatching(/^spec\.securityGroups: later/) },
    ]);

    const later = await makeGroup('later');
    await clock.pass(3 * MINUTE_MS);

    const both = [web, later].sort();
    expect(await groupsOf(fairway)).toEqual([both, both]);
    expect(await applied(fairway)).toMatchObject({ status: 'True' });
  });

  test.each<{ what: string; name: (own: string) => string; expectedMessage: RegExp }>([
    {
      what: 'two groups of that name',
      name: () => 'twice',
      expectedMessage: /the project has 2 security groups of that name/,
    },
    {
      what: "the group of the cluster's nodes",
      name: (own) => own,
      expectedMessage: /is managed by Fairway for the nodes of one/,
    },
    {
      what: "the group of another cluster's nodes",
      name: () => 'fairway-other',
      expectedMessage: /is managed by Fairway/,
    },
  ])('$what: no server is created', async ({ name, expectedMessage }) => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    await makeGroup('twice');
    await makeGroup('twice');
    await makeGroup('fairway-other', ownerDescription('another-uid', 'node-security-group'));
    const cluster = await clock.during(fairway.readyCluster({ replicas: 0 }));
    const securityGroups = [name(cluster.status?.network?.securityGroupID ?? '')];

    await fairway.createPool({ replicas: 1, securityGroups }, 'more');
    await clock.pass(2 * MINUTE_MS);

    await fairway.untilReported(machines, 'SecurityGroupNotFound', expectedMessage);
    expect(await portsOf(fairway)).toEqual([]);
  });

  test('disappears while no server exists: the next server waits', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const web = await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 1, securityGroups: ['web'] }));
    const { securityGroups } = fairway.process.project.client.network;
    await expect(securityGroups.delete(web)).rejects.toMatchObject({ kind: 'conflict' });
    await fairway.patch(nodePools, 'general', { spec: { replicas: 0 } });
    await clock.pass(2 * MINUTE_MS);
    await securityGroups.delete(web);

    await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
    await clock.pass(3 * MINUTE_MS);

    expect(await portsOf(fairway)).toEqual([]);
    expect(await applied(fairway)).toMatchObject({ status: 'False', reason: 'SecurityGroupNotFound' });
  });
});

describe('a port that cannot be changed', () => {
  test.each([
    { status: 403, reason: 'PermissionDenied' },
    { status: 409, reason: 'ResourceInUse' },
  ])('$status: reported as $reason, retried until it works at a few calls a minute', async ({ status, reason }) => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const web = await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 20 }));
    fairway.cloud.faults.add({ ...PORT, times: null, action: { kind: 'answer', status } });

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: ['web'] } });
    await clock.pass(MINUTE_MS);
    expect(await applied(fairway)).toMatchObject({ status: 'False', reason });
    const before = calls(fairway, 'PUT', /\/ports/);
    await clock.pass(60 * MINUTE_MS);
    expect(calls(fairway, 'PUT', /\/ports/) - before).toBeLessThanOrEqual(60 * 4);
    expect(await applied(fairway)).toMatchObject({ status: 'False', reason });

    fairway.cloud.faults.clear();
    await clock.pass(10 * MINUTE_MS);
    expect(await groupsOf(fairway)).toEqual(Array.from({ length: 20 }, () => [web]));
    expect(await applied(fairway)).toMatchObject({ status: 'True' });
  });

  test('500: retried until it works', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    const web = await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 2 }));
    fairway.cloud.faults.add({ ...PORT, times: null, action: { kind: 'answer', status: 500 } });

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: ['web'] } });
    await clock.pass(60 * MINUTE_MS);
    expect(calls(fairway, 'PUT', /\/ports/)).toBeLessThanOrEqual(60 * 4);
    expect(await applied(fairway)).toMatchObject({ status: 'False', reason: 'Updating' });

    fairway.cloud.faults.clear();
    await clock.pass(10 * MINUTE_MS);
    expect(await groupsOf(fairway)).toEqual([[web], [web]]);
  });

  test('is reported if port security is disabled, and queried only when necessary', async () => {
    const { fairway, clock, makeGroup } = await startWith();
    await using _ = fairway;
    await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 1 }));
    const { ports } = fairway.process.project.client.network;
    const [port] = await portsOf(fairway);
    await ports.update(port?.id ?? '', { security_groups: [], port_security_enabled: false });
    const before = calls(fairway, 'PUT', /\/ports/);

    await fairway.patch(nodePools, 'general', { spec: { securityGroups: ['web'] } });
    await clock.pass(10 * MINUTE_MS);

    expect(await applied(fairway)).toMatchObject({
      reason: 'SettingsNotEnforced',
      message: expect.stringContaining(`openstack port set --enable-port-security ${port?.id}`),
    });
    expect(calls(fairway, 'PUT', /\/ports/)).toBe(before);
  });
});

describe('a crash', () => {
  test.each([1, 2, 3, 4, 5])('after call %i of a change: no security group is leaked or missing', async (nth) => {
    const crash = new Crash(/\/(nodepools\/general\/status|ports\/)/);
    const { fairway, clock, makeGroup } = await startWith(crash.options);
    await using _ = fairway;
    const db = await makeGroup('db');
    await makeGroup('web');
    await clock.during(fairway.readyCluster({ replicas: 2, securityGroups: ['web'] }));

    const dropConnections = () => fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } });
    crash.afterCalls(nth, dropConnections);
    crash.afterWrites(nth, dropConnections);
    await fairway.patch(nodePools, 'general', { spec: { securityGroups: ['db'] } });
    await clock.pass(2 * MINUTE_MS);
    expect(crash.hasOccurred).toBe(true);
    await fairway.stopProcess();
    crash.end();
    fairway.cloud.faults.clear();
    await clock.during(fairway.startProcess());
    await clock.during(fairway.until(nodePools, ([pool]) => isApplied(pool)));
    await clock.pass(15 * MINUTE_MS);

    expect(await groupsOf(fairway)).toEqual([[db], [db]]);
    const pool = await fairway.client.resource(nodePools).get('general', { namespace: 'team' });
    expect(pool.status?.securityGroups).toMatchObject({ groupIDs: [db], appliedIDs: [db] });
  });
});
