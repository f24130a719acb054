import { createForeignClient } from '@fairway/controllers/testing/foreign-client';
import { Events } from '@fairway/kube/kinds/resources';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const LOAD_BALANCER_ID = 'loadbalancer.openstack.org/load-balancer-id';
const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
const SUBNET = 'loadbalancer.openstack.org/subnet-id';

/** The operator's credentials have the admin role in the tenant's project, so the cloud permits every request. */
const entries = DEFAULT_CONFIG.entries.map((each) =>
  each.entry === 'simulator' ? { ...each, role: 'admin' as const } : each,
);

let fairway: LoadBalancedFairway;
beforeEach(async () => {
  fairway = await LoadBalancedFairway.start({ cloud: { entries } });
});
afterEach(() => fairway[Symbol.asyncDispose]());

/** A subnet of another project that does not share it. */
async function foreignSubnet(): Promise<string> {
  let id = '';
  await createForeignClient(fairway.fairway, async ({ network }) => {
    const { id: network_id } = await network.networks.create({ name: 'theirs' });
    id = (await network.subnets.create({ network_id, ip_version: 4, cidr: '10.66.0.0/24' })).id;
  });
  return id;
}

async function serveService(name: string, port: number, annotations: Record<string, string>): Promise<void> {
  await fairway.create(name, { ports: [{ port }] }, annotations, 30_000 + port);
  await fairway.clock.pass(60_000);
}

async function memberSubnets(): Promise<ReadonlySet<string>> {
  const trees = await fairway.trees();
  return new Set(trees.flatMap(({ members }) => members.flat().map(({ subnet_id }) => subnet_id ?? '')));
}

async function warnings(): Promise<readonly string[]> {
  const events = fairway.fairway.runtime.client(fairway.clusterUid).resource(Events);
  const { items } = await events.list({ namespace: 'default' });
  return items.filter(({ type }) => type === 'Warning').map(({ message }) => message ?? '');
}

test.each([SUBNET, MEMBER_SUBNET])(
  'creates no load balancer in another project’s subnet specified by %s',
  async (annotation) => {
    await serveService('web', 80, { [annotation]: await foreignSubnet() });

    expect(await fairway.trees()).toEqual([]);
    expect(await warnings()).toEqual([expect.stringContaining('is not visible to this project')]);
  },
);

test('adds no members in another project’s subnet for a Service that shares a load balancer', async () => {
  const foreignSubnetID = await foreignSubnet();
  await serveService('first', 80, {});
  const id = (await fairway.get('first')).metadata.annotations?.[LOAD_BALANCER_ID] ?? '';
  await serveService('second', 8080, { [LOAD_BALANCER_ID]: id, [MEMBER_SUBNET]: foreignSubnetID });

  expect(await memberSubnets()).not.toContain(foreignSubnetID);
  expect(await warnings()).toEqual([expect.stringContaining('is not visible to this project')]);
});
