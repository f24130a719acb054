import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CreatedObject, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork } from '../../test-resources.ts';

let test: TestCloud;
let network: CreatedObject;
let subnet: CreatedObject;
beforeEach(async () => {
  test = await startTestCloud();
  ({ network, subnet } = await makeNetwork(test.demo, { cidr: '10.0.0.0/29' }));
});
afterEach(() => test.cloud.close());

const PORTS_PATH = '/network/v2.0/ports';
const makePort = (fields: object = {}) => test.demo.make(PORTS_PATH, { port: { network_id: network.id, ...fields } });
const createPort = (fields: object) =>
  test.demo.call('POST', PORTS_PATH, { port: { network_id: network.id, ...fields } });

describe('a new port', () => {
  it('gets the next address, a MAC and the default security group', async () => {
    const port = await makePort();
    const { body } = await test.demo.call('GET', '/network/v2.0/security-groups?name=default');

    expect(port).toMatchObject({
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.0.0.2' }],
      security_groups: [body['security_groups']?.[0]?.['id']],
      status: 'DOWN',
      device_id: '',
      device_owner: '',
      port_security_enabled: true,
    });
    expect(port['mac_address']).toMatch(/^fa:16:3e(:[0-9a-f]{2}){3}$/);
    expect(port).not.toHaveProperty('binding:host_id');
  });

  it('gets one address per IP version', async () => {
    await test.demo.make('/network/v2.0/subnets', {
      subnet: { network_id: network.id, ip_version: 6, cidr: 'fd00::/64', ipv6_address_mode: 'slaac' },
    });

    const port = await makePort({ mac_address: 'fa:16:3e:01:02:03' });

    expect(port['fixed_ips']).toMatchObject([{ ip_address: '10.0.0.2' }, { ip_address: 'fd00::f816:3eff:fe01:203' }]);
  });

  it('gets the requested address only if no other port has it', async () => {
    const requested = { fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.0.0.5' }] };
    const first = await makePort(requested);
    const second = await createPort(requested);

    expect(first['fixed_ips']).toMatchObject([{ ip_address: '10.0.0.5' }]);
    expect(second.status).toBe(409);
    expect(second.body['NeutronError']).toMatchObject({
      type: 'IpAddressAlreadyAllocated',
      message: `IP address 10.0.0.5 already allocated in subnet ${subnet.id}`,
    });
  });

  it('is rejected when the subnet is full, until an address is released', async () => {
    const ports = [];
    for (let i = 0; i < 5; i++) ports.push(await makePort());
    const full = await createPort({});
    await test.demo.call('DELETE', `${PORTS_PATH}/${ports[2]?.id ?? ''}`);
    const again = await makePort();

    expect(full.status).toBe(409);
    expect(full.body['NeutronError']).toMatchObject({ type: 'IpAddressGenerationFailure' });
    expect(again['fixed_ips']).toEqual(ports[2]?.['fixed_ips']);
  });

  it.each<[string, object, number, string]>([
    ['an address outside of the network', { fixed_ips: [{ ip_address: '192.0.2.1' }] }, 400, 'InvalidIpForNetwork'],
    [
      'an unknown security group',
      { security_groups: ['00000000-0000-4000-8000-000000000000'] },
      404,
      'SecurityGroupNotFound',
    ],
    ['a host binding', { 'binding:host_id': 'h' }, 403, 'PolicyNotAuthorized'],
    [
      'address pairs without port security',
      { port_security_enabled: false, allowed_address_pairs: [{ ip_address: '10.2.0.0/16' }] },
      409,
      'AddressPairAndPortSecurityRequired',
    ],
    ['an unknown network', { network_id: '00000000-0000-4000-8000-000000000000' }, 404, 'NetworkNotFound'],
  ])('is rejected with %s', async (_name, fields, status, type) => {
    const response = await createPort(fields);

    expect(response.status).toBe(status);
    expect(response.body['NeutronError']?.['type']).toBe(type);
  });

  it('accepts allowed address pairs', async () => {
    const port = await makePort({ allowed_address_pairs: [{ ip_address: '10.2.0.0/16' }] });

    expect(port['allowed_address_pairs']).toEqual([{ ip_address: '10.2.0.0/16', mac_address: port['mac_address'] }]);
  });
});

describe('lists of ports', () => {
  it.each([
    ['device_id=d1', 1],
    ['device_id=d1&device_id=d2', 2],
    ['fixed_ips=ip_address=10.0.0.3', 1],
    ['fixed_ips=ip_address_substr=10.0.0', 3],
    ['admin_state_up=false', 0],
    ['description=made%20by%20x', 1],
    ['name=', 3],
  ])('are filtered by %s', async (query, count) => {
    await makePort({ device_id: 'd1' });
    await makePort({ device_id: 'd2', description: 'made by x' });
    await makePort();

    expect((await test.demo.call('GET', `${PORTS_PATH}?${query}`)).body['ports']).toHaveLength(count);
  });

  it('reject unknown filters', async () => {
    await makePort();
    const response = await test.demo.call('GET', `${PORTS_PATH}?colour=red`);

    expect(response.status).toBe(400);
    expect(response.body['NeutronError']?.['message']).toBe("['colour'] is invalid attribute for filtering");
  });
});
