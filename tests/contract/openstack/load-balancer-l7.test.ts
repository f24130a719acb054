import { expect, it } from 'vitest';
import { LoadBalancerCloud } from './load-balancer-cloud.ts';
import { expectOctaviaError } from './octavia-error.ts';
import { describeClouds } from './targets.ts';

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
const PENDING = {
  id: ID,
  provisioning_status: 'PENDING_CREATE',
  operating_status: 'OFFLINE',
  admin_state_up: true,
  created_at: TIME,
  updated_at: null,
  project_id: expect.any(String),
  tenant_id: expect.any(String),
  tags: [],
};

describeClouds('the API for L7 policies, statuses and quotas', (cloud) => {
  const setUp = async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { id: loadbalancer_id } = await octavia.loadBalancer();
    const listener = await octavia.make(loadbalancer_id, 'listeners', {
      listener: { loadbalancer_id, protocol: 'HTTP', protocol_port: 80, name: 'l' },
    });
    const make = (path: string, body: object) => octavia.make(loadbalancer_id, path, body);
    const policy = (fields: object) => ({ l7policy: { listener_id: listener.id, ...fields } });
    return { octavia, loadbalancer_id, listener, make, policy };
  };

  it('creates policies and rules with all their fields', async () => {
    const { octavia, loadbalancer_id, listener, policy } = await setUp();

    const created = await octavia.expect('POST', 'l7policies', policy({ action: 'REJECT', name: 'p' }));
    await octavia.waitUntilSettled(loadbalancer_id);
    const rule = await octavia.expect('POST', `l7policies/${created.id}/rules`, {
      rule: { type: 'HOST_NAME', compare_type: 'EQUAL_TO', value: 'example.org' },
    });
    await octavia.waitUntilSettled(loadbalancer_id);

    expect(created).toEqual({
      ...PENDING,
      name: 'p',
      description: '',
      action: 'REJECT',
      listener_id: listener.id,
      position: 1,
      redirect_pool_id: null,
      redirect_url: null,
      redirect_prefix: null,
      redirect_http_code: null,
      rules: [],
    });
    expect(rule).toEqual({
      ...PENDING,
      type: 'HOST_NAME',
      compare_type: 'EQUAL_TO',
      key: null,
      value: 'example.org',
      invert: false,
    });
    expect(await octavia.show(`l7policies/${created.id}`)).toMatchObject({
      provisioning_status: 'ACTIVE',
      operating_status: 'ONLINE',
      rules: [{ id: rule.id }],
    });
    expect(await octavia.list(`l7policies/${created.id}/rules`)).toMatchObject([{ id: rule.id }]);
    expect((await octavia.show(`listeners/${listener.id}`))['l7policies']).toEqual([{ id: created.id }]);
  });

  it('accepts headers, inverted rules and redirects in a complete tree', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const path = { type: 'PATH', compare_type: 'REGEX', value: '^/api(/|$)' };
    const header = { type: 'HEADER', key: 'x-version', compare_type: 'EQUAL_TO', value: '2' };
    const prefix = { redirect_prefix: 'https://example.org', redirect_http_code: 301 };
    const url = { redirect_url: 'https://example.org/new', redirect_http_code: 308 };

    const { id } = await octavia.loadBalancer({
      pools: [{ name: 'p', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' }],
      listeners: [
        {
          protocol: 'HTTP',
          protocol_port: 8080,
          l7policies: [
            { name: 'a', action: 'REDIRECT_TO_POOL', redirect_pool: { name: 'p' }, position: 1, rules: [path, header] },
            { name: 'b', action: 'REDIRECT_PREFIX', ...prefix, position: 2, rules: [{ ...path, invert: true }] },
            { name: 'c', action: 'REDIRECT_TO_URL', ...url, position: 3, rules: [{ ...header, invert: true }] },
          ],
        },
      ],
    });

    const [listener] = (await octavia.show(`loadbalancers/${id}`))['listeners'] as { id: string }[];
    const policies = await octavia.list(`l7policies?listener_id=${listener?.id}`);
    const rules = await Promise.all(policies.map((each) => octavia.list(`l7policies/${each.id}/rules`)));
    const shown = policies.map((each, at) => ({ ...each, rules: rules[at] }));
    expect(shown.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      { rules: expect.arrayContaining([expect.objectContaining(path), expect.objectContaining(header)]) },
      { ...prefix, redirect_url: null, redirect_pool_id: null, rules: [{ ...path, invert: true }] },
      { ...url, redirect_prefix: null, redirect_pool_id: null, rules: [{ ...header, invert: true }] },
    ]);
  });

  it('numbers policies without gaps, and moves them', async () => {
    const { octavia, loadbalancer_id, listener, make, policy } = await setUp();
    const order = async (): Promise<string[]> => {
      const found = await octavia.list(`l7policies?listener_id=${listener.id}&sort=position`);
      return found.map(({ name, position }) => `${name}${String(position)}`);
    };
    const a = await make('l7policies', policy({ action: 'REJECT', name: 'a' }));
    const b = await make('l7policies', policy({ action: 'REJECT', name: 'b' }));
    await make('l7policies', policy({ action: 'REJECT', name: 'c', position: 1 }));
    const first = await order();
    await octavia.call('PUT', `l7policies/${b.id}`, { l7policy: { position: 1 } });
    await octavia.waitUntilSettled(loadbalancer_id);
    const second = await order();
    await octavia.call('DELETE', `l7policies/${b.id}`);
    await octavia.waitUntilSettled(loadbalancer_id);

    expect(first).toEqual(['c1', 'a2', 'b3']);
    expect(second).toEqual(['b1', 'c2', 'a3']);
    expect(await order()).toEqual(['c1', 'a2']);
    expect(a['position']).toBe(1);
  });

  it('derives the action from the redirect target, and protects the target pool from deletion', async () => {
    const { octavia, loadbalancer_id, make, policy } = await setUp();
    const pool = await make('pools', { pool: { loadbalancer_id, protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' } });
    const created = await make(
      'l7policies',
      policy({ action: 'REDIRECT_TO_URL', redirect_url: 'https://example.org/' }),
    );

    const changed = await octavia.expect('PUT', `l7policies/${created.id}`, {
      l7policy: { redirect_pool_id: pool.id },
    });
    await octavia.waitUntilSettled(loadbalancer_id);

    expect(created).toMatchObject({ redirect_url: 'https://example.org/', redirect_http_code: 302 });
    expect(changed).toMatchObject({
      action: 'REDIRECT_TO_POOL',
      redirect_pool_id: pool.id,
      redirect_url: null,
      redirect_http_code: null,
    });
    // A policy without rules matches nothing.
    expect(await octavia.show(`pools/${pool.id}`)).toMatchObject({ listeners: [] });
    expectOctaviaError(
      await octavia.call('DELETE', `pools/${pool.id}`),
      409,
      `Pool ${pool.id} is in use by L7 policy ${created.id}`,
    );
  });

  it('refuses invalid combinations', async () => {
    const { octavia, make, policy } = await setUp();
    const created = await make('l7policies', policy({ action: 'REJECT' }));
    const rule = (fields: object) => ({ rule: { compare_type: 'EQUAL_TO', value: 'x', ...fields } });
    const refused: readonly (readonly [path: string, body: object, message: string | RegExp])[] = [
      [
        'l7policies',
        policy({ action: 'REDIRECT_TO_URL' }),
        'Invalid L7 Policy arguments: redirect_url must not be None',
      ],
      [
        'l7policies',
        policy({ action: 'REDIRECT_TO_POOL' }),
        'Invalid L7 Policy arguments: redirect_pool_id or redirect_pool must not be None',
      ],
      [
        'l7policies',
        policy({ action: 'REDIRECT_TO_URL', redirect_url: 'nonsense' }),
        "Invalid input for field/attribute redirect_url. Value: 'nonsense'. Value must be a valid URL string",
      ],
      [
        `l7policies/${created.id}/rules`,
        rule({ type: 'HEADER' }),
        'Error parsing L7Rule: Invalid L7 Rule: L7 rule type requires a key',
      ],
      [
        `l7policies/${created.id}/rules`,
        rule({ type: 'FILE_TYPE', compare_type: 'CONTAINS' }),
        'Error parsing L7Rule: Invalid L7 Rule: invalid comparison type for rule type',
      ],
      [
        `l7policies/${created.id}/rules`,
        rule({ type: 'PATH', value: 'a b' }),
        'Error parsing L7Rule: Invalid characters in comparison value',
      ],
      [
        `l7policies/${created.id}/rules`,
        rule({ type: 'SSL_CONN_HAS_CERT' }),
        'Error parsing L7Rule: Invalid L7 Rule: L7rule value x is not a boolean True string.',
      ],
    ];

    for (const [path, body, message] of refused)
      expectOctaviaError(await octavia.call('POST', path, body), 400, message);
  });

  it('accepts policies in a complete tree, including their pools', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId } = await cloud().network();
    const created = await octavia.expect('POST', 'loadbalancers', {
      loadbalancer: {
        vip_subnet_id: subnetId,
        listeners: [
          {
            protocol: 'HTTP',
            protocol_port: 80,
            l7policies: [
              {
                action: 'REDIRECT_TO_POOL',
                redirect_pool: { name: 'p', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' },
                rules: [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/x' }],
              },
            ],
          },
        ],
      },
    });
    octavia.deferDeletion(created.id);
    await octavia.waitUntilSettled(created.id);
    const [pool] = await octavia.list(`pools?loadbalancer_id=${created.id}`);
    const [listener] = await octavia.list(`listeners?loadbalancer_id=${created.id}`);
    const [policy] = await octavia.list(`l7policies?listener_id=${listener?.id}`);

    expect(policy).toMatchObject({ action: 'REDIRECT_TO_POOL', redirect_pool_id: pool?.id, rules: [{ id: ID }] });
    expect(pool).toMatchObject({ name: 'p', listeners: [{ id: listener?.id }] });
  });

  it('accepts rules only in a complete tree or one by one', async () => {
    const { octavia, loadbalancer_id, make, policy } = await setUp();
    const rules = [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/x' }];
    expectOctaviaError(
      await octavia.call('POST', 'l7policies', policy({ action: 'REJECT', rules })),
      500,
      "'dict' object has no attribute '_sa_instance_state'",
    );
    expect(await octavia.waitUntilSettled(loadbalancer_id)).toMatchObject({ provisioning_status: 'ACTIVE' });

    const redirect = { action: 'REDIRECT_PREFIX', redirect_prefix: 'https://a.test', redirect_http_code: 308 };
    const created = await make('l7policies', policy({ ...redirect, admin_state_up: false, rules: [] }));
    const client = cloud().member.loadBalancing;
    const host = { type: 'HOST_NAME', compare_type: 'EQUAL_TO', value: 'a.test' } as const;
    expect(await client.createRule(created.id, host)).toMatchObject(host);
    await octavia.waitUntilSettled(loadbalancer_id);
    await client.l7Policies.update(created.id, { admin_state_up: true });
    await octavia.waitUntilSettled(loadbalancer_id);

    expect(created).toMatchObject({ ...redirect, admin_state_up: false, rules: [] });
    expect(await client.l7Policies.get(created.id)).toMatchObject({ admin_state_up: true, rules: [{ id: ID }] });
  });

  it('shows all targets of listeners in the status tree', async () => {
    const { octavia, loadbalancer_id, listener, make } = await setUp();
    const pool = await make('pools', {
      pool: { listener_id: listener.id, protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', name: 'p' },
    });
    const member = await make(`pools/${pool.id}/members`, { member: { address: '10.123.0.20', protocol_port: 80 } });
    const healthy = { provisioning_status: 'ACTIVE', operating_status: 'ONLINE' };
    const tree = (health_monitor: object) => ({
      loadbalancer: {
        ...healthy,
        id: loadbalancer_id,
        name: expect.any(String),
        listeners: [
          {
            ...healthy,
            id: listener.id,
            name: 'l',
            pools: [
              {
                ...healthy,
                id: pool.id,
                name: 'p',
                ...health_monitor,
                members: [expect.objectContaining({ id: member.id, address: '10.123.0.20', protocol_port: 80 })],
              },
            ],
          },
        ],
      },
    });
    const withoutMonitor = await octavia.show(`loadbalancers/${loadbalancer_id}/status`);
    const monitor = await make('healthmonitors', {
      healthmonitor: { pool_id: pool.id, type: 'TCP', delay: 5, timeout: 3, max_retries: 2, name: 'm' },
    });

    expect(withoutMonitor).toEqual(tree({}));
    expect(await octavia.show(`loadbalancers/${loadbalancer_id}/statuses`)).toEqual(
      tree({ health_monitor: { ...healthy, id: monitor.id, name: 'm', type: 'TCP' } }),
    );
    const traffic = {
      bytes_in: 0,
      bytes_out: 0,
      active_connections: 0,
      total_connections: 0,
      request_errors: 0,
    };
    expect(await octavia.show(`loadbalancers/${loadbalancer_id}/stats`)).toEqual(traffic);
    expect(await octavia.show(`listeners/${listener.id}/stats`)).toEqual(traffic);
  });

  it('allows a failover only to administrators', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { id } = await octavia.loadBalancer();

    expectOctaviaError(
      await octavia.call('PUT', `loadbalancers/${id}/failover`),
      403,
      'Policy does not allow this request to be performed.',
    );
  });

  it('returns 403 for an exhausted quota, which an administrator can raise', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const admin = cloud().admin;
    const token = (await admin?.session.token())?.id ?? '';
    const { id: loadbalancer_id, project_id } = await octavia.loadBalancer();
    const path = `quotas/${String(project_id)}`;
    const pools = (await octavia.list('pools')).length;
    const pool = { pool: { loadbalancer_id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' } };
    cloud().defer(() => octavia.call('DELETE', path, undefined, { token }));
    const limited = await octavia.call('PUT', path, { quota: { pool: pools } }, { token });

    const refused = await octavia.call('POST', 'pools', pool);
    const shown = await octavia.show(path);
    const forbidden = await octavia.call('PUT', path, { quota: { pool: -1 } });
    const reset = await octavia.call('DELETE', path, undefined, { token });
    const accepted = await octavia.call('POST', 'pools', pool);

    expectOctaviaError(refused, 403, 'Quota has been met for resources: Pool');
    expect([limited.status, reset.status, accepted.status]).toEqual([202, 202, 201]);
    expect(Object.keys(shown).sort()).toEqual([
      'health_monitor',
      'l7policy',
      'l7rule',
      'listener',
      'load_balancer',
      'member',
      'pool',
    ]);
    expect(shown['pool']).toBe(pools);
    expectOctaviaError(forbidden, 403, 'Policy does not allow this request to be performed.');
  });

  it('lists providers, flavors and availability zones', async () => {
    const octavia = new LoadBalancerCloud(cloud());

    const providers = await octavia.list('providers');
    const flavors = await octavia.call('GET', 'flavors');
    const zones = await octavia.call('GET', 'availabilityzones');

    expect(providers[0]).toEqual({ name: expect.any(String), description: expect.any(String) });
    expect(flavors.json).toMatchObject({ flavors: expect.any(Array), flavors_links: [] });
    expect(zones.json).toMatchObject({ availability_zones: expect.any(Array), availability_zones_links: [] });
  });
});
