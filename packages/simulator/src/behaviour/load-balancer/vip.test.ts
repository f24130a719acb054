import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultOf, LBAAS, make, settle, show } from '../../load-balancer/test-tree.ts';
import { type CreatedObject, listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork } from '../../test-resources.ts';

let test: TestCloud;
let network: CreatedObject;
let subnet: CreatedObject;
let second: CreatedObject;
let foreign: CreatedObject;
beforeAll(async () => {
  test = await startTestCloud();
  ({ network, subnet } = await makeNetwork(test.demo));
  second = await test.demo.make('/network/v2.0/subnets', {
    subnet: { network_id: network.id, ip_version: 6, cidr: 'fd00::/64' },
  });
  foreign = (await makeNetwork(test.other, { cidr: '10.9.0.0/24' })).subnet;
});
afterAll(() => test.cloud.close());

const create = (loadbalancer: object) => test.demo.call('POST', `${LBAAS}/loadbalancers`, { loadbalancer });

async function makePort(fields: object = {}): Promise<CreatedObject> {
  return test.demo.make('/network/v2.0/ports', { port: { network_id: network.id, ...fields } });
}

describe('the VIP', () => {
  it.each<[string, () => object, () => object]>([
    ['a subnet', () => ({ vip_subnet_id: subnet.id }), () => ({ vip_subnet_id: subnet.id })],
    ['a network: its IPv4 subnet', () => ({ vip_network_id: network.id }), () => ({ vip_subnet_id: subnet.id })],
    [
      'a network and an address',
      () => ({ vip_network_id: network.id, vip_address: 'fd00::99' }),
      () => ({ vip_subnet_id: second.id, vip_address: 'fd00::99' }),
    ],
    [
      'a subnet and an address',
      () => ({ vip_subnet_id: subnet.id, vip_address: '10.0.0.77' }),
      () => ({ vip_address: '10.0.0.77' }),
    ],
    [
      'a second subnet of the network',
      () => ({ vip_subnet_id: subnet.id, additional_vips: [{ subnet_id: second.id, ip_address: 'fd00::7' }] }),
      () => ({ additional_vips: [{ subnet_id: second.id, ip_address: 'fd00::7' }] }),
    ],
  ])('is placed by %s', async (_what, fieldsOf, expected) => {
    const created = await make(test, 'loadbalancers', { loadbalancer: fieldsOf() });

    expect(created).toMatchObject({ vip_network_id: network.id, ...expected() });
  });

  it.each<[string, () => Promise<object>, number, (input: CreatedObject) => string]>([
    [
      "another project's subnet",
      async () => ({ vip_subnet_id: foreign.id }),
      400,
      () => `Subnet ${foreign.id} not found.`,
    ],
    [
      'a port that is in use',
      async () => ({ vip_port_id: (await makePort({ device_id: 'x' })).id }),
      400,
      (input) => `Validation failure: Port ${String(input['vip_port_id'])} is already used by device x `,
    ],
    [
      'an address that is not on the port',
      async () => ({ vip_port_id: (await makePort()).id, vip_address: '10.0.0.250' }),
      400,
      () => 'Validation failure: Specified VIP address not found on the specified VIP port.',
    ],
    [
      'an address outside of the network',
      async () => ({ vip_network_id: network.id, vip_address: '192.0.2.1' }),
      400,
      () => 'Validation failure: Supplied network does not contain a subnet for VIP address specified.',
    ],
    [
      'an address that is in use',
      async () => {
        const { fixed_ips } = await makePort({ fixed_ips: [{ subnet_id: subnet.id }] });
        const [first] = fixed_ips as { ip_address: string }[];
        return { vip_subnet_id: subnet.id, vip_address: first?.ip_address };
      },
      500,
      (input) =>
        `Provider 'amphora' reports error: IP address ${String(input['vip_address'])} already allocated in subnet ${subnet.id}`,
    ],
    [
      'the same subnet twice',
      async () => ({ vip_subnet_id: subnet.id, additional_vips: [{ subnet_id: subnet.id }] }),
      400,
      () => 'Validation failure: Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.',
    ],
    [
      'a QoS policy',
      async () => ({ vip_subnet_id: subnet.id, vip_qos_policy_id: subnet.id }),
      400,
      () => 'Validation failure: VIP QoS policy is not allowed in this deployment.',
    ],
  ])('is refused with %s, and leaves no port behind', async (_what, fieldsOf, status, messageOf) => {
    const input = await fieldsOf();
    const before = listed(await test.demo.call('GET', '/network/v2.0/ports'), 'ports').length;

    const response = await create(input);

    expect([response.status, faultOf(response)]).toEqual([status, messageOf(input as CreatedObject)]);
    expect(listed(await test.demo.call('GET', '/network/v2.0/ports'), 'ports')).toHaveLength(before);
  });

  it('counts against the port quota', async () => {
    test.cloud.setQuota('demo', { port: 0 });
    const response = await create({ vip_subnet_id: subnet.id });
    test.cloud.setQuota('demo', { port: 100 });

    expect([response.status, faultOf(response)]).toEqual([
      500,
      "Provider 'amphora' reports error: Quota exceeded for resources: ['port'].",
    ]);
  });
});

describe("the VIP's security group", () => {
  it('belongs to the amphora driver, allows the listeners’ traffic, and is deleted with the load balancer', async () => {
    const created = await make(test, 'loadbalancers', { loadbalancer: { vip_subnet_id: subnet.id } });
    const listen = (fields: object) =>
      make(test, 'listeners', { listener: { loadbalancer_id: created.id, ...fields } });
    await listen({ protocol: 'HTTP', protocol_port: 80 });
    const limited = await listen({ protocol: 'UDP', protocol_port: 53, allowed_cidrs: ['192.0.2.0/24', '10.0.0.0/8'] });
    const rules = async (): Promise<string[]> => {
      const response = await test.admin.call('GET', `/network/v2.0/security-groups?name=lb-${created.id}`);
      const [group] = listed(response, 'security_groups');
      const all = (group?.['security_group_rules'] ?? []) as CreatedObject[];
      return all
        .filter((rule) => rule['direction'] === 'ingress')
        .map(
          (rule) => `${String(rule['protocol'])} ${String(rule['port_range_min'])} ${String(rule['remote_ip_prefix'])}`,
        )
        .sort();
    };
    const open = await rules();
    await test.demo.call('PUT', `${LBAAS}/listeners/${limited.id}`, { listener: { allowed_cidrs: ['10.0.0.0/8'] } });
    await settle(test.clock);
    const rulesAfter = await rules();
    const port = await test.demo.call('GET', `/network/v2.0/ports/${String(created['vip_port_id'])}`);
    await test.demo.call('DELETE', `${LBAAS}/loadbalancers/${created.id}?cascade=true`);
    await settle(test.clock);

    expect(open).toEqual(['tcp 80 null', 'udp 53 10.0.0.0/8', 'udp 53 192.0.2.0/24']);
    expect(rulesAfter).toEqual(['tcp 80 null', 'udp 53 10.0.0.0/8']);
    expect(port.body['port']?.['security_groups']).toHaveLength(1);
    expect(await rules()).toEqual([]);
  });

  it('is removed from a user’s port when the load balancer is deleted', async () => {
    const port = await makePort();
    const [address] = port['fixed_ips'] as { ip_address: string }[];
    const created = await make(test, 'loadbalancers', {
      loadbalancer: { vip_port_id: port.id, vip_address: address?.ip_address },
    });
    await test.demo.call('DELETE', `${LBAAS}/loadbalancers/${created.id}`);
    await settle(test.clock);
    const left = await test.demo.call('GET', `/network/v2.0/ports/${port.id}`);

    expect(left.body['port']).toMatchObject({ id: port.id, security_groups: [] });
    expect((await test.demo.call('GET', `${LBAAS}/loadbalancers/${created.id}`)).status).toBe(404);
  });

  it('does not exist with OVN, whose port has a different name', async () => {
    const created = await make(test, 'loadbalancers', { loadbalancer: { vip_subnet_id: subnet.id, provider: 'ovn' } });
    const fetched = await show(test.demo, `loadbalancers/${created.id}`);
    const port = await test.demo.call('GET', `/network/v2.0/ports/${String(created['vip_port_id'])}`);
    const groups = await test.admin.call('GET', `/network/v2.0/security-groups?name=lb-${created.id}`);

    expect(fetched).toMatchObject({ provider: 'ovn', provisioning_status: 'ACTIVE' });
    expect(port.body['port']).toMatchObject({
      name: `ovn-lb-vip-${created.id}`,
      device_owner: '',
      admin_state_up: true,
    });
    expect(listed(groups, 'security_groups')).toEqual([]);
  });
});
