import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedObject, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { externalNetworkId, makeNetwork, makeRouter } from '../../test-resources.ts';

let test: TestCloud;
let network: CreatedObject;
beforeAll(async () => {
  test = await startTestCloud();
  ({ network } = await makeNetwork(test.demo, { cidr: '10.0.0.0/24' }));
});
afterAll(() => test.cloud.close());

const SUBNETS_PATH = '/network/v2.0/subnets';

describe('a new subnet', () => {
  it.each<[string, object, object]>([
    [
      'takes the first address as gateway',
      { ip_version: 4, cidr: '10.1.0.7/24' },
      { cidr: '10.1.0.0/24', gateway_ip: '10.1.0.1', allocation_pools: [{ start: '10.1.0.2', end: '10.1.0.254' }] },
    ],
    [
      'has pools around a gateway in the middle',
      { ip_version: 4, cidr: '10.2.0.0/29', gateway_ip: '10.2.0.3' },
      {
        allocation_pools: [
          { start: '10.2.0.1', end: '10.2.0.2' },
          { start: '10.2.0.4', end: '10.2.0.6' },
        ],
      },
    ],
    [
      'needs no gateway',
      { ip_version: 4, cidr: '10.3.0.0/30', gateway_ip: null },
      { gateway_ip: null, allocation_pools: [{ start: '10.3.0.1', end: '10.3.0.2' }] },
    ],
    [
      'can be IPv6',
      { ip_version: 6, cidr: 'fd00:1::/64', ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' },
      { gateway_ip: 'fd00:1::1', ipv6_address_mode: 'slaac' },
    ],
  ])('%s', async (_name, fields, expected) => {
    expect(await test.demo.make(SUBNETS_PATH, { subnet: { network_id: network.id, ...fields } })).toMatchObject(
      expected,
    );
  });

  it.each<[string, object, number, string, RegExp]>([
    ['that overlaps', { cidr: '10.0.0.128/25' }, 400, 'InvalidInput', /overlaps with another subnet/],
    ['of another IP version', { cidr: 'fd00::/64' }, 400, 'InvalidInput', /does not match the ip_version/],
    ['that is not a CIDR', { cidr: '10.9.0.0' }, 400, 'InvalidInput', /10\.9\.0\.0 is not in a CIDR format/],
    [
      'with a duplicate name server',
      { cidr: '10.9.0.0/24', dns_nameservers: ['9.9.9.9', '9.9.9.9'] },
      400,
      'HTTPBadRequest',
      /Duplicate nameserver '9\.9\.9\.9'/,
    ],
    ['without a CIDR', {}, 400, 'HTTPBadRequest', /Required attribute 'cidr' not specified/],
    [
      'with the network address as gateway',
      { cidr: '10.9.0.0/24', gateway_ip: '10.9.0.0' },
      400,
      'InvalidInput',
      /Gateway is not valid/,
    ],
    [
      'with the gateway in a pool',
      { cidr: '10.9.0.0/24', allocation_pools: [{ start: '10.9.0.1', end: '10.9.0.9' }] },
      409,
      'GatewayConflictWithAllocationPools',
      /^Gateway ip 10\.9\.0\.1 conflicts with allocation pool 10\.9\.0\.1-10\.9\.0\.9\.$/,
    ],
    [
      'with a pool outside of it',
      { cidr: '10.9.0.0/24', allocation_pools: [{ start: '10.8.0.1', end: '10.8.0.9' }] },
      400,
      'OutOfBoundsAllocationPool',
      /spans beyond the subnet cidr 10\.9\.0\.0\/24/,
    ],
    [
      'with pools that overlap',
      {
        cidr: '10.9.0.0/24',
        allocation_pools: [
          { start: '10.9.0.5', end: '10.9.0.9' },
          { start: '10.9.0.9', end: '10.9.0.20' },
        ],
      },
      409,
      'OverlappingAllocationPools',
      /Found overlapping allocation pools/,
    ],
  ])('%s is rejected', async (_name, fields, status, type, message) => {
    const response = await test.demo.call('POST', SUBNETS_PATH, {
      subnet: { network_id: network.id, ip_version: 4, ...fields },
    });

    expect(response.status).toBe(status);
    expect(response.body['NeutronError']?.['type']).toBe(type);
    expect(response.body['NeutronError']?.['message']).toMatch(message);
  });

  it("is rejected in another project's network: with 404 if it is not visible, with 403 if it is external", async () => {
    const subnet = { ip_version: 4, cidr: '10.77.0.0/24' };
    const unseen = await test.other.call('POST', SUBNETS_PATH, { subnet: { ...subnet, network_id: network.id } });
    const external = await externalNetworkId(test.other);
    const seen = await test.other.call('POST', SUBNETS_PATH, { subnet: { ...subnet, network_id: external } });

    expect(unseen.status).toBe(404);
    expect(seen.status).toBe(403);
  });
});

describe('a subnet in use', () => {
  it('cannot be deleted while a router or port has an address in it', async () => {
    const { subnet } = await makeNetwork(test.demo, { cidr: '10.5.0.0/24' });
    await makeRouter(test.demo, subnet.id);

    const response = await test.demo.call('DELETE', `${SUBNETS_PATH}/${subnet.id}`);
    const gatewayChange = await test.demo.call('PUT', `${SUBNETS_PATH}/${subnet.id}`, {
      subnet: { gateway_ip: '10.5.0.254' },
    });

    expect(response.status).toBe(409);
    expect(response.body['NeutronError']).toMatchObject({
      type: 'SubnetInUse',
      message: `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`,
    });
    expect(gatewayChange.body['NeutronError']).toMatchObject({ type: 'GatewayIpInUse' });
  });
});
