import { describe, expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { LoadBalancerCloud, type ShownResource } from './load-balancer-cloud.ts';
import { expectOctaviaError } from './octavia-error.ts';
import { describeClouds } from './targets.ts';

const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
const OWNER = { project_id: expect.any(String), tenant_id: expect.any(String) };

describeClouds('listeners, pools, members and monitors', (cloud) => {
  const setUp = async (): Promise<{ octavia: LoadBalancerCloud; loadbalancer_id: string }> => {
    const octavia = new LoadBalancerCloud(cloud());
    return { octavia, loadbalancer_id: (await octavia.loadBalancer()).id };
  };

  it('are created with all their fields', async () => {
    const { octavia, loadbalancer_id } = await setUp();
    const pending = { provisioning_status: 'PENDING_CREATE', created_at: TIME, updated_at: null, ...OWNER };

    const listener = await octavia.expect('POST', 'listeners', {
      listener: { loadbalancer_id, protocol: 'TCP', protocol_port: 80 },
    });
    await octavia.waitUntilSettled(loadbalancer_id);
    const pool = await octavia.expect('POST', 'pools', {
      pool: { listener_id: listener.id, protocol: 'PROXYV2', lb_algorithm: 'LEAST_CONNECTIONS', name: 'p' },
    });
    await octavia.waitUntilSettled(loadbalancer_id);
    const member = await octavia.expect('POST', `pools/${pool.id}/members`, {
      member: { address: '10.123.0.20', protocol_port: 30080 },
    });
    await octavia.waitUntilSettled(loadbalancer_id);
    const monitor = await octavia.expect('POST', 'healthmonitors', {
      healthmonitor: { pool_id: pool.id, type: 'HTTP', delay: 10, timeout: 5, max_retries: 3 },
    });
    await octavia.waitUntilSettled(loadbalancer_id);

    expect(listener).toEqual({
      ...pending,
      id: ID,
      name: '',
      description: '',
      operating_status: 'OFFLINE',
      admin_state_up: true,
      protocol: 'TCP',
      protocol_port: 80,
      connection_limit: -1,
      default_pool_id: null,
      l7policies: [],
      loadbalancers: [{ id: loadbalancer_id }],
      insert_headers: {},
      timeout_client_data: 50_000,
      timeout_member_connect: 5000,
      timeout_member_data: 50_000,
      timeout_tcp_inspect: 0,
      tags: [],
      allowed_cidrs: null,
      default_tls_container_ref: null,
      sni_container_refs: [],
      client_ca_tls_container_ref: null,
      client_authentication: 'NONE',
      client_crl_container_ref: null,
      tls_ciphers: null,
      tls_versions: null,
      alpn_protocols: null,
    });
    expect(pool).toEqual({
      ...pending,
      id: ID,
      name: 'p',
      description: '',
      operating_status: 'OFFLINE',
      admin_state_up: true,
      protocol: 'PROXYV2',
      lb_algorithm: 'LEAST_CONNECTIONS',
      session_persistence: null,
      loadbalancers: [{ id: loadbalancer_id }],
      listeners: [{ id: listener.id }],
      members: [],
      tags: [],
      tls_container_ref: null,
      ca_tls_container_ref: null,
      crl_container_ref: null,
      tls_enabled: false,
      tls_ciphers: null,
      tls_versions: null,
      alpn_protocols: null,
    });
    expect(member).toEqual({
      ...pending,
      id: ID,
      name: '',
      operating_status: 'NO_MONITOR',
      admin_state_up: true,
      address: '10.123.0.20',
      protocol_port: 30080,
      weight: 1,
      backup: false,
      subnet_id: null,
      monitor_address: null,
      monitor_port: null,
      tags: [],
    });
    expect(monitor).toEqual({
      ...pending,
      id: ID,
      name: '',
      operating_status: 'OFFLINE',
      admin_state_up: true,
      type: 'HTTP',
      delay: 10,
      timeout: 5,
      max_retries: 3,
      max_retries_down: 3,
      http_method: 'GET',
      url_path: '/',
      expected_codes: '200',
      http_version: null,
      domain_name: null,
      pools: [{ id: pool.id }],
      tags: [],
    });
    expect(await octavia.show(`listeners/${listener.id}`)).toMatchObject({
      provisioning_status: 'ACTIVE',
      operating_status: 'ONLINE',
      default_pool_id: pool.id,
    });
    expect(await octavia.show(`pools/${pool.id}`)).toMatchObject({
      operating_status: 'ONLINE',
      healthmonitor_id: monitor.id,
      members: [{ id: member.id }],
    });
    expect(await octavia.show(`pools/${pool.id}/members/${member.id}`)).toMatchObject({ operating_status: 'ONLINE' });
  });

  it('show a pending change on all parents until it is complete, and a deletion until the object is deleted', async () => {
    const { octavia, loadbalancer_id } = await setUp();
    const listener = await octavia.make(loadbalancer_id, 'listeners', {
      listener: { loadbalancer_id, protocol: 'TCP', protocol_port: 80 },
    });
    const pool = await octavia.make(loadbalancer_id, 'pools', {
      pool: { listener_id: listener.id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' },
    });

    const changed = await octavia.expect('PUT', `pools/${pool.id}`, { pool: { lb_algorithm: 'SOURCE_IP' } });
    await octavia.waitUntilSettled(loadbalancer_id);
    const deleted = await octavia.call('DELETE', `pools/${pool.id}`);
    await octavia.waitUntilDeleted(`pools/${pool.id}`);

    expect(changed).toMatchObject({ provisioning_status: 'PENDING_UPDATE', lb_algorithm: 'SOURCE_IP' });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await octavia.show(`listeners/${listener.id}`)).toMatchObject({ default_pool_id: null });
  });

  it('normalize, change and clear allowed CIDRs', async () => {
    const { octavia, loadbalancer_id } = await setUp();
    const listener = await octavia.make(loadbalancer_id, 'listeners', {
      listener: { loadbalancer_id, protocol: 'TCP', protocol_port: 443, allowed_cidrs: ['192.0.2.5/24', '10.0.0.0/8'] },
    });
    const change = async (allowed_cidrs: readonly string[] | null): Promise<unknown> => {
      const { id } = await octavia.expect('PUT', `listeners/${listener.id}`, { listener: { allowed_cidrs } });
      await octavia.waitUntilSettled(loadbalancer_id);
      return (await octavia.show(`listeners/${id}`))['allowed_cidrs'];
    };

    expect((listener['allowed_cidrs'] as string[]).sort()).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
    expect(await change(['198.51.100.0/24'])).toEqual(['198.51.100.0/24']);
    expect(await change([])).toBeNull();
    expectOctaviaError(
      await octavia.call('PUT', `listeners/${listener.id}`, { listener: { allowed_cidrs: ['2001:db8::/32'] } }),
      400,
      /^Validation failure: CIDR 2001:db8::\/32 IP version incompatible with VIP 10\.123\.0\.\d+ IP version\.$/,
    );
  });

  it('refuse two listeners on one port with the same transport', async () => {
    const { octavia, loadbalancer_id } = await setUp();
    const listen = (protocol: string) => ({ listener: { loadbalancer_id, protocol, protocol_port: 80 } });
    await octavia.make(loadbalancer_id, 'listeners', listen('TCP'));
    await octavia.make(loadbalancer_id, 'listeners', listen('UDP'));

    expectOctaviaError(
      await octavia.call('POST', 'listeners', listen('HTTP')),
      409,
      'Another Listener on this Load Balancer is already using protocol TCP and protocol_port 80',
    );
    expect((await octavia.show(`loadbalancers/${loadbalancer_id}`))['listeners']).toHaveLength(2);
  });

  describe('members', () => {
    const setUpPool = async () => {
      const { octavia, loadbalancer_id } = await setUp();
      const pool = await octavia.make(loadbalancer_id, 'pools', {
        pool: { loadbalancer_id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' },
      });
      const path = `pools/${pool.id}/members`;
      const members = async (): Promise<readonly ShownResource[]> => {
        const found = await octavia.list(path);
        return [...found].sort((a, b) => String(a['address']).localeCompare(String(b['address'])));
      };
      const replace = async (newMembers: readonly object[], query = ''): Promise<number> => {
        const { status } = await octavia.call('PUT', `${path}${query}`, { members: newMembers });
        await octavia.waitUntilSettled(loadbalancer_id);
        return status;
      };
      return { octavia, loadbalancer_id, pool, path, members, replace };
    };
    const member = (last: number, fields: object = {}) => ({
      address: `10.123.0.${last}`,
      protocol_port: 80,
      ...fields,
    });

    it('are replaced in one call, and the remaining ones keep their IDs', async () => {
      const { members, replace } = await setUpPool();

      const status = await replace([member(11, { weight: 7, name: 'a' }), member(12)]);
      const before = await members();
      await replace([member(11), member(13, { tags: ['t'] })]);
      const after = await members();

      expect(status).toBe(202);
      expect(before).toMatchObject([
        { address: '10.123.0.11', weight: 7, name: 'a', provisioning_status: 'ACTIVE' },
        { address: '10.123.0.12', weight: 1, name: '' },
      ]);
      expect(after).toMatchObject([
        { id: before[0]?.id, address: '10.123.0.11', weight: 1, name: 'a' },
        { address: '10.123.0.13', tags: ['t'] },
      ]);
    });

    it('can be added without removing others', async () => {
      const { members, replace } = await setUpPool();
      await replace([member(11)]);
      await replace([member(12)], '?additive_only=True');

      expect(await members()).toMatchObject([{ address: '10.123.0.11' }, { address: '10.123.0.12' }]);
    });

    it('are unique per address and port', async () => {
      const { octavia, path, replace } = await setUpPool();
      await replace([member(11)]);

      expectOctaviaError(
        await octavia.call('POST', path, { member: member(11) }),
        409,
        'Another member on this pool is already using ip 10.123.0.11 on protocol_port 80',
      );
    });

    it('can be changed and removed one by one', async () => {
      const { octavia, loadbalancer_id, path, members } = await setUpPool();
      const created = await octavia.make(loadbalancer_id, path, { member: member(11) });
      const changed = await octavia.expect('PUT', `${path}/${created.id}`, {
        member: { weight: 0, admin_state_up: false, name: 'x' },
      });
      await octavia.waitUntilSettled(loadbalancer_id);
      const [settled] = await members();
      const deleted = await octavia.call('DELETE', `${path}/${created.id}`);
      await octavia.waitUntilSettled(loadbalancer_id);

      expect(changed).toMatchObject({ provisioning_status: 'PENDING_UPDATE', weight: 0, name: 'x' });
      expect(settled).toMatchObject({ provisioning_status: 'ACTIVE', operating_status: 'OFFLINE' });
      expect(deleted.status).toBe(204);
      expect(await members()).toEqual([]);
      expectOctaviaError(await octavia.call('GET', `${path}/${created.id}`), 404, `Member ${created.id} not found.`);
    });
  });

  it('set, change and remove session persistence', async () => {
    const { octavia, loadbalancer_id } = await setUp();
    const { id } = await octavia.make(loadbalancer_id, 'pools', {
      pool: {
        loadbalancer_id,
        protocol: 'TCP',
        lb_algorithm: 'ROUND_ROBIN',
        session_persistence: { type: 'SOURCE_IP' },
      },
    });
    const change = async (session_persistence: object | null): Promise<unknown> => {
      await octavia.expect('PUT', `pools/${id}`, { pool: { session_persistence } });
      await octavia.waitUntilSettled(loadbalancer_id);
      return (await octavia.show(`pools/${id}`))['session_persistence'];
    };

    expect((await octavia.show(`pools/${id}`))['session_persistence']).toEqual({
      type: 'SOURCE_IP',
      cookie_name: null,
      persistence_timeout: null,
      persistence_granularity: null,
    });
    expect(await change({ type: 'APP_COOKIE', cookie_name: 'c' })).toMatchObject({
      type: 'APP_COOKIE',
      cookie_name: 'c',
    });
    expect(await change(null)).toBeNull();
  });

  it('refuse invalid combinations', async () => {
    const { octavia, loadbalancer_id } = await setUp();
    const listener = await octavia.make(loadbalancer_id, 'listeners', {
      listener: { loadbalancer_id, protocol: 'HTTP', protocol_port: 80 },
    });
    const pool = await octavia.make(loadbalancer_id, 'pools', {
      pool: { loadbalancer_id, protocol: 'UDP', lb_algorithm: 'ROUND_ROBIN' },
    });
    const refused: readonly (readonly [path: string, body: object, message: string | RegExp])[] = [
      [
        'pools',
        { pool: { listener_id: listener.id, protocol: 'UDP', lb_algorithm: 'ROUND_ROBIN' } },
        "Validation failure: The pool protocol 'UDP' is invalid while the listener protocol is 'HTTP'.",
      ],
      [
        'pools',
        { pool: { protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' } },
        'Validation failure: Must provide at least one of: loadbalancer_id, listener_id',
      ],
      [
        'pools',
        { pool: { loadbalancer_id, protocol: 'TCP' } },
        "Invalid input for field/attribute lb_algorithm. Value: 'None'. Mandatory field missing.",
      ],
      [
        'pools',
        {
          pool: {
            loadbalancer_id,
            protocol: 'TCP',
            lb_algorithm: 'ROUND_ROBIN',
            session_persistence: { type: 'APP_COOKIE' },
          },
        },
        'Validation failure: Field "cookie_name" must be specified when using the "APP_COOKIE" session persistence type.',
      ],
      [
        'listeners',
        { listener: { loadbalancer_id, protocol: 'QUIC', protocol_port: 443 } },
        /^Invalid input for field\/attribute protocol\. Value: 'QUIC'\. Value should be one of: /,
      ],
      [
        'listeners',
        { listener: { loadbalancer_id, protocol: 'TCP', protocol_port: 65_536 } },
        "Invalid input for field/attribute protocol_port. Value: '65536'. Value should be lower or equal to 65535",
      ],
      [
        'listeners',
        {
          listener: {
            loadbalancer_id,
            protocol: 'TCP',
            protocol_port: 81,
            insert_headers: { 'X-Forwarded-For': 'true' },
          },
        },
        'insert-headers is not a valid option for a TCP protocol listener.',
      ],
      [
        'listeners',
        { listener: { loadbalancer_id, protocol: 'TERMINATED_HTTPS', protocol_port: 443 } },
        'Validation failure: An SNI or default certificate container reference must be provided for TERMINATED_HTTPS protocol listeners.',
      ],
      [
        'healthmonitors',
        { healthmonitor: { pool_id: pool.id, type: 'UDP-CONNECT', delay: 1, timeout: 1, max_retries: 1 } },
        'Validation failure: The request delay value 1 should be larger than 3 for UDP-CONNECT health monitor type.',
      ],
      [
        'healthmonitors',
        { healthmonitor: { pool_id: pool.id, type: 'TCP', delay: 5, timeout: 1, max_retries: 1, url_path: '/x' } },
        'url_path is not a valid option for health monitors of type TCP',
      ],
    ];

    for (const [path, body, message] of refused)
      expectOctaviaError(await octavia.call('POST', path, body), 400, message);
    for (const [path, body] of [
      ['listeners', { listener: { loadbalancer_id: NO_SUCH_ID, protocol: 'TCP', protocol_port: 1 } }],
      ['pools', { pool: { loadbalancer_id: NO_SUCH_ID, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' } }],
    ] as const)
      expectOctaviaError(await octavia.call('POST', path, body), 404, `Load Balancer ${NO_SUCH_ID} not found.`);
  });
});
