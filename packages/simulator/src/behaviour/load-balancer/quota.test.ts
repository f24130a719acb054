import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultOf, LBAAS, make, makeSubnet, makeTree, settle, type Tree } from '../../load-balancer/test-tree.ts';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const monitor = { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 };

describe('an exhausted quota', () => {
  it.each<[string, string, (tree: Tree, subnetId: string) => readonly [method: string, path: string, body: object]]>([
    [
      'loadbalancer',
      'Load Balancer',
      (_tree, id) => ['POST', 'loadbalancers', { loadbalancer: { vip_subnet_id: id } }],
    ],
    [
      'listener',
      'Listener',
      ({ loadBalancer: { id } }) => [
        'POST',
        'listeners',
        { listener: { loadbalancer_id: id, protocol: 'TCP', protocol_port: 81 } },
      ],
    ],
    [
      'pool',
      'Pool',
      ({ loadBalancer: { id } }) => [
        'POST',
        'pools',
        { pool: { loadbalancer_id: id, protocol: 'TCP', lb_algorithm: 'SOURCE_IP' } },
      ],
    ],
    [
      'member',
      'Member',
      ({ pool }) => ['POST', `pools/${pool.id}/members`, { member: { address: '10.0.0.10', protocol_port: 80 } }],
    ],
    [
      'member',
      'Member',
      ({ pool }) => [
        'PUT',
        `pools/${pool.id}/members`,
        { members: ['10.0.0.9', '10.0.0.10'].map((address) => ({ address, protocol_port: 8080 })) },
      ],
    ],
  ])('for %s refuses another %s', async (name, noun, requestOf) => {
    const tree = await makeTree(test);
    const subnet = await makeSubnet(test.demo);
    test.cloud.setQuota('demo', { [name]: 1 });
    const [method, path, body] = requestOf(tree, subnet.id);

    const refused = await test.demo.call(method, `${LBAAS}/${path}`, body);
    test.cloud.setQuota('demo', { [name]: 2 });
    const accepted = await test.demo.call(method, `${LBAAS}/${path}`, body);

    expect([refused.status, faultOf(refused)]).toEqual([403, `Quota has been met for resources: ${noun}`]);
    expect(accepted.status).toBeLessThan(300);
  });

  it('results in 403 for monitors too', async () => {
    const { pool } = await makeTree(test);
    test.cloud.setQuota('demo', { healthmonitor: 0 });
    const refused = await test.demo.call('POST', `${LBAAS}/healthmonitors`, {
      healthmonitor: { pool_id: pool.id, ...monitor },
    });

    expect(faultOf(refused)).toBe('Quota has been met for resources: Health Monitor');
  });

  it('has room again once the last object is deleted, not before', async () => {
    const { id: vip_subnet_id } = await makeSubnet(test.demo);
    test.cloud.setQuota('demo', { loadbalancer: 1 });
    const first = await make(test, 'loadbalancers', { loadbalancer: { vip_subnet_id } });
    await test.demo.call('DELETE', `${LBAAS}/loadbalancers/${first.id}`);
    const early = await test.demo.call('POST', `${LBAAS}/loadbalancers`, { loadbalancer: { vip_subnet_id } });
    await settle(test.clock);
    const late = await test.demo.call('POST', `${LBAAS}/loadbalancers`, { loadbalancer: { vip_subnet_id } });

    expect([early.status, late.status]).toEqual([403, 201]);
  });

  it('allows a pool to replace its members', async () => {
    const { pool } = await makeTree(test);
    test.cloud.setQuota('demo', { member: 1 });
    const replacement = await test.demo.call('PUT', `${LBAAS}/pools/${pool.id}/members`, {
      members: [{ address: '10.0.0.10', protocol_port: 80 }],
    });

    expect(replacement.status).toBe(202);
  });
});

describe('quotas', () => {
  it('are visible to the project and changed by administrators', async () => {
    const path = `${LBAAS}/quotas/${test.demo.projectId}`;
    const before = await test.demo.call('GET', path);
    const own = await test.demo.call('PUT', path, { quota: { pool: 5 } });
    const changed = await test.admin.call('PUT', path, { quota: { pool: 5, health_monitor: 6 } });
    const foreign = await test.other.call('GET', path);
    const listed = await test.admin.call('GET', `${LBAAS}/quotas`);
    const reset = await test.admin.call('DELETE', path);
    const after = await test.demo.call('GET', path);

    expect(before.body['quota']).toEqual({
      load_balancer: 1000,
      listener: -1,
      member: -1,
      pool: -1,
      health_monitor: -1,
      l7policy: -1,
      l7rule: -1,
    });
    expect([own.status, foreign.status, changed.status, reset.status]).toEqual([403, 403, 202, 202]);
    expect(changed.body['quota']).toMatchObject({ pool: 5, health_monitor: 6 });
    expect(listed.body['quotas']).toMatchObject([
      { project_id: test.demo.projectId, pool: 5, healthmonitor: 6, health_monitor: 6, loadbalancer: null },
    ]);
    expect(after.body['quota']).toEqual(before.body['quota']);
  });
});
