import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultOf, LBAAS, make, makeSubnet, settle } from '../../load-balancer/test-tree.ts';
import { type CreatedObject, startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
interface Tree {
  readonly loadBalancer: CreatedObject;
  readonly listener: CreatedObject;
  readonly pool: CreatedObject;
}
type RequestOf = (tree: Tree | undefined) => readonly [path: string, body: object];

const trees: Record<string, Tree> = {};
beforeAll(async () => {
  test = await startTestCloud();
  for (const provider of ['amphora', 'ovn']) {
    const { id: vip_subnet_id } = await makeSubnet(test.demo);
    const loadBalancer = await make(test, 'loadbalancers', { loadbalancer: { vip_subnet_id, provider } });
    const listener = await make(test, 'listeners', {
      listener: { loadbalancer_id: loadBalancer.id, protocol: 'UDP', protocol_port: 53 },
    });
    const lb_algorithm = provider === 'ovn' ? 'SOURCE_IP_PORT' : 'ROUND_ROBIN';
    const pool = await make(test, 'pools', { pool: { listener_id: listener.id, protocol: 'UDP', lb_algorithm } });
    trees[provider] = { loadBalancer, listener, pool };
  }
});
afterAll(() => test.cloud.close());

const listenerWith =
  (fields: object): RequestOf =>
  (tree) => ['listeners', { listener: { loadbalancer_id: tree?.loadBalancer.id, protocol_port: 80, ...fields } }];
const poolWith =
  (fields: object): RequestOf =>
  (tree) => ['pools', { pool: { loadbalancer_id: tree?.loadBalancer.id, ...fields } }];
const memberWith =
  (fields: object): RequestOf =>
  (tree) => [`pools/${tree?.pool.id}/members`, { member: { protocol_port: 80, address: '10.0.0.9', ...fields } }];
const monitorWith =
  (fields: object): RequestOf =>
  (tree) => [
    'healthmonitors',
    { healthmonitor: { pool_id: tree?.pool.id, delay: 5, timeout: 3, max_retries: 3, ...fields } },
  ];
const policyWith =
  (fields: object): RequestOf =>
  (tree) => ['l7policies', { l7policy: { listener_id: tree?.listener.id, ...fields } }];

describe('requests that providers refuse', () => {
  it.each<[string, RequestOf, string]>([
    ['ovn', listenerWith({ protocol: 'HTTP' }), 'option: OVN provider does not support HTTP protocol'],
    [
      'ovn',
      listenerWith({ protocol: 'TCP', allowed_cidrs: ['10.0.0.0/8'] }),
      'option: OVN provider does not support allowed_cidrs option',
    ],
    [
      'ovn',
      poolWith({ protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }),
      'option: OVN provider does not support ROUND_ROBIN algorithm',
    ],
    [
      'ovn',
      poolWith({ protocol: 'PROXYV2', lb_algorithm: 'SOURCE_IP_PORT' }),
      'option: OVN provider does not support PROXYV2 protocol',
    ],
    [
      'ovn',
      memberWith({ monitor_port: 10256 }),
      'option: OVN Load Balancer does not support different member monitor address or port.',
    ],
    [
      'ovn',
      memberWith({ address: 'fd00::1' }),
      'option: OVN provider does not support mixing IPv4/IPv6 configuration within the same Load Balancer.',
    ],
    [
      'ovn',
      memberWith({ address: '192.0.2.1' }),
      'option: Subnet is required, or Loadbalancer associated with Pool must have a subnet, for Member creation with OVN Provider Driver if it is not the same as LB VIP subnet',
    ],
    [
      'ovn',
      monitorWith({ type: 'HTTP' }),
      'option: OVN provider does not support HTTP health monitor type. Supported types: UDP-CONNECT, TCP',
    ],
    ['ovn', policyWith({ action: 'REJECT' }), 'action: This provider does not support creating l7policies.'],
    [
      'amphora',
      poolWith({ protocol: 'TCP', lb_algorithm: 'SOURCE_IP_PORT' }),
      'option: Amphora provider does not support SOURCE_IP_PORT algorithm.',
    ],
    [
      'amphora',
      memberWith({ address: 'fd00::1' }),
      "option: This provider doesn't support mixing IPv4 and IPv6 addresses for its VIP and members in UDP load balancers.",
    ],
    ['amphora', policyWith({ action: 'REJECT' }), 'option: UDP protocol listeners do not support L7 policies'],
  ])('%s', async (provider, requestOf, expected) => {
    const tree = trees[provider];
    const [path, body] = requestOf(tree);

    const response = await test.demo.call('POST', `${LBAAS}/${path}`, body);
    const after = await test.demo.call('GET', `${LBAAS}/loadbalancers/${tree?.loadBalancer.id}`);

    expect([response.status, faultOf(response)]).toEqual([
      501,
      `Provider '${provider}' does not support a requested ${expected}`,
    ]);
    // No work has started.
    expect(after.body['loadbalancer']).toMatchObject({ provisioning_status: 'ACTIVE' });
  });

  it('are accepted by the other provider', async () => {
    const ovnTree = trees['ovn'];
    await make(test, ...monitorWith({ type: 'UDP-CONNECT' })(ovnTree));
    await make(test, ...memberWith({})(ovnTree));
    await make(test, ...listenerWith({ protocol: 'HTTP', allowed_cidrs: ['10.0.0.0/8'] })(trees['amphora']));

    expect((await test.demo.call('GET', `${LBAAS}/pools/${ovnTree?.pool.id}`)).body['pool']).toMatchObject({
      operating_status: 'ONLINE',
    });
  });
});

describe('a failover', () => {
  it.each([
    ['amphora', 202],
    ['ovn', 501],
  ])('with provider %s returns %i to administrators', async (provider, expected) => {
    const path = `${LBAAS}/loadbalancers/${trees[provider]?.loadBalancer.id}/failover`;
    const byMember = await test.demo.call('PUT', path);
    const byAdmin = await test.admin.call('PUT', path);
    await settle(test.clock);

    expect([byMember.status, byAdmin.status]).toEqual([403, expected]);
  });
});

it('lists the enabled providers, and refuses other providers', async () => {
  const { body } = await test.demo.call('GET', `${LBAAS}/providers`);
  const subnet = await makeSubnet(test.demo);
  const refused = await test.demo.call('POST', `${LBAAS}/loadbalancers`, {
    loadbalancer: { vip_subnet_id: subnet.id, provider: 'f5' },
  });

  expect(body['providers']).toMatchObject([{ name: 'amphora' }, { name: 'ovn' }]);
  expect([refused.status, faultOf(refused)]).toEqual([400, "Provider 'f5' is not enabled."]);
});
