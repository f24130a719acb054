import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_LATENCY } from '../../http/latency.ts';
import {
  faultOf,
  LBAAS,
  list,
  make,
  makeSubnet,
  makeTree,
  settle,
  show,
  type Tree,
} from '../../load-balancer/test-tree.ts';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const statusOf = async (path: string): Promise<string> => {
  const { provisioning_status, operating_status } = await show(test.demo, path);
  return `${String(provisioning_status)}/${String(operating_status)}`;
};

describe('a load balancer', () => {
  it('is PENDING_CREATE for as long as its provider needs, then ACTIVE', async () => {
    const lifecycle = { ...NO_LATENCY.lifecycle, loadBalancerCreate: 40_000 };
    const slowCloud = await startTestCloud({ latency: { ...NO_LATENCY, lifecycle } });
    const { id: vip_subnet_id } = await makeSubnet(slowCloud.demo);
    const { id } = await slowCloud.demo.make(`${LBAAS}/loadbalancers`, { loadbalancer: { vip_subnet_id } });
    const seen: unknown[] = [];
    for (const ms of [0, 39_999, 1]) {
      await slowCloud.clock.advance(ms);
      const { provisioning_status, operating_status } = await show(slowCloud.demo, `loadbalancers/${id}`);
      seen.push([provisioning_status, operating_status]);
    }
    await slowCloud.cloud.close();

    expect(seen).toEqual([
      ['PENDING_CREATE', 'OFFLINE'],
      ['PENDING_CREATE', 'OFFLINE'],
      ['ACTIVE', 'ONLINE'],
    ]);
  });

  it('resumes its pending operation when the cloud is restored', async () => {
    const { id: vip_subnet_id } = await makeSubnet(test.demo);
    const { id } = await test.demo.make(`${LBAAS}/loadbalancers`, { loadbalancer: { vip_subnet_id } });
    const savedState = test.cloud.snapshot();
    await test.demo.call('DELETE', `${LBAAS}/loadbalancers/${id}`);

    test.cloud.restore(savedState);
    await settle(test.clock);

    expect(await statusOf(`loadbalancers/${id}`)).toBe('ACTIVE/ONLINE');
  });

  it('goes to ERROR with its pending parts, and leaves that state only if it is deleted or fails over', async () => {
    const { loadBalancer, listener, pool, member } = await makeTree(test);
    test.cloud.faults.add({ action: { kind: 'loadBalancerError' } });
    await test.demo.call('PUT', `${LBAAS}/pools/${pool.id}/members/${member.id}`, { member: { weight: 5 } });
    await settle(test.clock);
    const failed = await Promise.all(
      [
        `loadbalancers/${loadBalancer.id}`,
        `listeners/${listener.id}`,
        `pools/${pool.id}`,
        `pools/${pool.id}/members/${member.id}`,
      ].map(statusOf),
    );
    const changed = await test.demo.call('PUT', `${LBAAS}/loadbalancers/${loadBalancer.id}`, {
      loadbalancer: { name: 'x' },
    });
    const failover = await test.admin.call('PUT', `${LBAAS}/loadbalancers/${loadBalancer.id}/failover`);
    await settle(test.clock);

    expect(failed).toEqual(['ERROR/ONLINE', 'ERROR/ONLINE', 'ERROR/ONLINE', 'ERROR/NO_MONITOR']);
    expect([changed.status, faultOf(changed)]).toEqual([
      409,
      `Invalid state ERROR of loadbalancer resource ${loadBalancer.id}`,
    ]);
    expect(failover.status).toBe(202);
    expect(await statusOf(`pools/${pool.id}/members/${member.id}`)).toBe('ACTIVE/NO_MONITOR');
    expect(await statusOf(`loadbalancers/${loadBalancer.id}`)).toBe('ACTIVE/ONLINE');
  });
});

describe('a change to the parts of a load balancer', () => {
  const monitor = { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 };

  it.each<[string, string, (tree: Tree) => readonly [path: string, body?: object]]>([
    ['a listener', 'PUT', ({ listener }) => [`listeners/${listener.id}`, { listener: { name: 'x' } }]],
    ['a listener', 'DELETE', ({ listener }) => [`listeners/${listener.id}`]],
    ['a pool', 'PUT', ({ pool }) => [`pools/${pool.id}`, { pool: { name: 'x' } }]],
    ['a pool', 'DELETE', ({ pool }) => [`pools/${pool.id}`]],
    ['a member', 'PUT', ({ pool, member }) => [`pools/${pool.id}/members/${member.id}`, { member: { weight: 2 } }]],
    ['a member', 'DELETE', ({ pool, member }) => [`pools/${pool.id}/members/${member.id}`]],
    ['all members', 'PUT', ({ pool }) => [`pools/${pool.id}/members`, { members: [] }]],
    ['a monitor', 'POST', ({ pool }) => ['healthmonitors', { healthmonitor: { pool_id: pool.id, ...monitor } }]],
  ])('(%s with %s) makes the load balancer immutable until it is complete', async (_what, method, requestOf) => {
    const tree = await makeTree(test);
    const { loadBalancer } = tree;
    const [path, body] = requestOf(tree);

    const first = await test.demo.call(method, `${LBAAS}/${path}`, body);
    const during = await statusOf(`loadbalancers/${loadBalancer.id}`);
    const second = await test.demo.call('POST', `${LBAAS}/listeners`, {
      listener: { loadbalancer_id: loadBalancer.id, protocol: 'TCP', protocol_port: 81 },
    });
    await settle(test.clock);
    const third = await test.demo.call('POST', `${LBAAS}/listeners`, {
      listener: { loadbalancer_id: loadBalancer.id, protocol: 'TCP', protocol_port: 81 },
    });

    expect(first.status).toBeLessThan(300);
    expect(during).toBe('PENDING_UPDATE/ONLINE');
    expect([second.status, faultOf(second)]).toEqual([
      409,
      `Load Balancer ${loadBalancer.id} is immutable and cannot be updated.`,
    ]);
    expect(third.status).toBe(201);
  });

  it('is visible in the status of the parents too', async () => {
    const { listener, pool, member } = await makeTree(test);

    await test.demo.call('DELETE', `${LBAAS}/pools/${pool.id}/members/${member.id}`);

    expect(await statusOf(`listeners/${listener.id}`)).toBe('PENDING_UPDATE/ONLINE');
    expect(await statusOf(`pools/${pool.id}`)).toBe('PENDING_UPDATE/ONLINE');
    expect(await statusOf(`pools/${pool.id}/members/${member.id}`)).toBe('PENDING_DELETE/NO_MONITOR');
    await settle(test.clock);
    expect(await list(test.demo, `pools/${pool.id}/members`)).toEqual([]);
  });
});

describe('deletion', () => {
  it('removes a pool and leaves its listener without a default pool', async () => {
    const { listener, pool } = await makeTree(test);
    await test.demo.call('DELETE', `${LBAAS}/pools/${pool.id}`);
    await settle(test.clock);

    expect(await show(test.demo, `listeners/${listener.id}`)).toMatchObject({ default_pool_id: null });
  });

  it('requires cascade for a load balancer with children, and then includes the tree and the port', async () => {
    const { loadBalancer } = await makeTree(test);
    const path = `${LBAAS}/loadbalancers/${loadBalancer.id}`;
    const refused = await test.demo.call('DELETE', path);
    const accepted = await test.demo.call('DELETE', `${path}?cascade=true`);
    const during = await statusOf(`loadbalancers/${loadBalancer.id}`);
    await settle(test.clock);
    const notFound = await test.demo.call('GET', path);

    expect([refused.status, faultOf(refused)]).toEqual([
      400,
      `Validation failure: Cannot delete Load Balancer ${loadBalancer.id} - it has children`,
    ]);
    expect([accepted.status, during]).toEqual([204, 'PENDING_DELETE/ONLINE']);
    expect([notFound.status, faultOf(notFound)]).toEqual([404, `Load Balancer ${loadBalancer.id} not found.`]);
    for (const kind of ['listeners', 'pools']) expect(await list(test.demo, kind)).toEqual([]);
    expect((await test.demo.call('GET', `/network/v2.0/ports/${String(loadBalancer['vip_port_id'])}`)).status).toBe(
      404,
    );
  });
});

describe('operating status', () => {
  const monitor = { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 };

  it.each<[string, object, boolean, string]>([
    ['without a monitor', {}, false, 'NO_MONITOR'],
    ['with a monitor', {}, true, 'ONLINE'],
    ['with a weight of zero', { weight: 0 }, true, 'DRAINING'],
    ['with admin_state_up false', { admin_state_up: false }, true, 'OFFLINE'],
  ])('is reported for a member %s', async (_what, fields, isMonitored, expected) => {
    const { pool, member } = await makeTree(test, { member: fields });
    await Promise.all(
      [{ pool_id: pool.id, ...monitor }]
        .filter(() => isMonitored)
        .map((healthmonitor) => make(test, 'healthmonitors', { healthmonitor })),
    );

    expect(await show(test.demo, `pools/${pool.id}/members/${member.id}`)).toMatchObject({
      operating_status: expected,
    });
  });

  it.each<[string, string | undefined, readonly string[]]>([
    ['none', '10.9.9.9', ['ONLINE', 'ONLINE', 'ONLINE']],
    ['one of two', '10.0.0.9', ['ERROR', 'DEGRADED', 'DEGRADED']],
    ['all', undefined, ['ERROR', 'ERROR', 'ERROR']],
  ])(
    'is reported for the member, pool and load balancer if the monitor reports %s as down',
    async (_what, address, expected) => {
      const { loadBalancer, pool, member } = await makeTree(test);
      await make(test, `pools/${pool.id}/members`, { member: { address: '10.0.0.10', protocol_port: 80 } });
      await make(test, 'healthmonitors', { healthmonitor: { pool_id: pool.id, ...monitor } });
      test.cloud.faults.add({
        times: null,
        action: { kind: 'memberDown', ...(address !== undefined && { address }) },
      });

      const response = await Promise.all(
        [`pools/${pool.id}/members/${member.id}`, `pools/${pool.id}`, `loadbalancers/${loadBalancer.id}`].map((path) =>
          show(test.demo, path),
        ),
      );
      expect(response.map((row) => row['operating_status'])).toEqual(expected);
    },
  );
});
