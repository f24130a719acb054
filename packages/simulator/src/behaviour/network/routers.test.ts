import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CreatedObject, firstListed, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { externalNetworkId, makeNetwork, makeRouter } from '../../test-resources.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const ROUTERS = '/network/v2.0/routers';

const add = (router: CreatedObject, body: object) =>
  test.demo.call('PUT', `${ROUTERS}/${router.id}/add_router_interface`, body);
const removeInterface = (router: CreatedObject, body: object) =>
  test.demo.call('PUT', `${ROUTERS}/${router.id}/remove_router_interface`, body);

describe('a router', () => {
  it('has an address on the external network and releases it', async () => {
    const { subnet } = await makeNetwork(test.demo);
    const router = await makeRouter(test.demo, subnet.id);
    const path = `${ROUTERS}/${router.id}`;
    const gateway = router['external_gateway_info'];
    const cleared = await test.demo.call('PUT', path, { router: { external_gateway_info: null } });
    const ports = await test.admin.call('GET', `/network/v2.0/ports?device_owner=network:router_gateway`);

    expect(gateway).toMatchObject({ enable_snat: true, external_fixed_ips: [{ ip_address: '203.0.112.10' }] });
    expect(cleared.body['router']).toMatchObject({ external_gateway_info: null });
    expect(ports.body['ports']).toEqual([]);
  });

  it("uses the subnet's gateway address", async () => {
    const { subnet, network } = await makeNetwork(test.demo);
    const router = await test.demo.make(ROUTERS, { router: {} });
    const { status, body } = await add(router, { subnet_id: subnet.id });
    const { body: ports } = await test.demo.call('GET', `/network/v2.0/ports?device_id=${router.id}`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: router.id,
      subnet_id: subnet.id,
      subnet_ids: [subnet.id],
      network_id: network.id,
    });
    expect(ports['ports']).toMatchObject([
      {
        id: body['port_id'],
        device_owner: 'network:router_interface',
        fixed_ips: [{ ip_address: '10.0.0.1' }],
        status: 'ACTIVE',
      },
    ]);
  });

  it('cannot be deleted while it has interfaces, nor can its ports', async () => {
    const { subnet } = await makeNetwork(test.demo);
    const router = await makeRouter(test.demo, subnet.id);
    const inUse = await test.demo.call('DELETE', `${ROUTERS}/${router.id}`);
    const port = firstListed(await test.demo.call('GET', `/network/v2.0/ports?device_id=${router.id}`), 'ports').id;
    const direct = await test.demo.call('DELETE', `/network/v2.0/ports/${port}`);
    const removed = await removeInterface(router, { subnet_id: subnet.id });
    const free = await test.demo.call('DELETE', `${ROUTERS}/${router.id}`);

    expect(inUse.body['NeutronError']).toMatchObject({
      type: 'RouterInUse',
      message: `Router ${router.id} has ports still attached: ${port}`,
    });
    expect(direct.body['NeutronError']).toMatchObject({ type: 'ServicePortInUse' });
    expect([inUse.status, direct.status, removed.status, free.status]).toEqual([409, 409, 200, 204]);
  });

  it.each<[string, (subnet: CreatedObject) => object, number, RegExp]>([
    ['nothing', () => ({}), 400, /^Bad router request: Either subnet_id or port_id must be specified\.$/],
    ['the same subnet', (subnet) => ({ subnet_id: subnet.id }), 400, /Router already has a port on subnet/],
    ['an unknown subnet', () => ({ subnet_id: 'x' }), 404, /^Subnet x could not be found\.$/],
  ])('rejects a duplicate or missing interface: %s', async (_name, body, status, message) => {
    const { subnet } = await makeNetwork(test.demo);
    const router = await makeRouter(test.demo, subnet.id);

    const response = await add(router, body(subnet));

    expect(response.status).toBe(status);
    expect(response.body['NeutronError']?.['message']).toMatch(message);
  });

  it('rejects overlapping subnets', async () => {
    const first = await makeNetwork(test.demo, { cidr: '10.0.0.0/24' });
    const second = await makeNetwork(test.demo, { cidr: '10.0.0.0/16' });
    const router = await makeRouter(test.demo, first.subnet.id);

    const response = await add(router, { subnet_id: second.subnet.id });

    expect(response.status).toBe(400);
    expect(response.body['NeutronError']?.['message']).toMatch(/overlaps with cidr 10\.0\.0\.0\/24/);
  });

  it('rejects removal of an interface that it does not have', async () => {
    const { subnet } = await makeNetwork(test.demo);
    const router = await test.demo.make(ROUTERS, { router: {} });

    const response = await removeInterface(router, { subnet_id: subnet.id });

    expect(response.status).toBe(404);
    expect(response.body['NeutronError']).toMatchObject({
      type: 'RouterInterfaceNotFoundForSubnet',
      message: `Router ${router.id} has no interface on subnet ${subnet.id}`,
    });
  });

  it('rejects a gateway on a network that is not external', async () => {
    const { network } = await makeNetwork(test.demo);

    const response = await test.demo.call('POST', ROUTERS, {
      router: { external_gateway_info: { network_id: network.id } },
    });

    expect(response.status).toBe(400);
    expect(response.body['NeutronError']?.['message']).toMatch(/is not an external network/);
  });

  it('accepts routes to reachable next hops, individually and in bulk', async () => {
    const { subnet } = await makeNetwork(test.demo);
    const router = await makeRouter(test.demo, subnet.id);
    const path = `${ROUTERS}/${router.id}`;
    const near = { destination: '10.2.0.0/24', nexthop: '10.0.0.5' };
    const other = { destination: '10.2.1.0/24', nexthop: '10.0.0.6' };
    const far = { destination: '10.2.0.0/24', nexthop: '192.0.2.1' };

    const set = await test.demo.call('PUT', path, { router: { routes: [near] } });
    const refused = await test.demo.call('PUT', path, { router: { routes: [far] } });
    const added = await test.demo.call('PUT', `${path}/add_extraroutes`, { router: { routes: [near, other] } });
    const needed = await removeInterface(router, { subnet_id: subnet.id });
    const removed = await test.demo.call('PUT', `${path}/remove_extraroutes`, { router: { routes: [near] } });

    expect(set.body['router']?.['routes']).toEqual([near]);
    expect(refused.body['NeutronError']).toMatchObject({ type: 'InvalidRoutes' });
    expect(added.body['router']?.['routes']).toEqual([near, other]);
    expect(needed.body['NeutronError']).toMatchObject({ type: 'RouterInterfaceInUseByRoute' });
    expect(removed.body['router']?.['routes']).toEqual([other]);
  });
});

describe('a floating IP', () => {
  const FLOATING_IPS = '/network/v2.0/floatingips';
  const makeFloating = async (fields: object = {}) =>
    test.demo.make(FLOATING_IPS, {
      floatingip: { floating_network_id: await externalNetworkId(test.demo), ...fields },
    });

  it('reaches a port through the router between them', async () => {
    const { subnet, network } = await makeNetwork(test.demo);
    const router = await makeRouter(test.demo, subnet.id);
    const port = await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });
    const floatingIp = await makeFloating();
    const path = `${FLOATING_IPS}/${floatingIp.id}`;

    const { body } = await test.demo.call('PUT', path, { floatingip: { port_id: port.id } });
    const missingInterface = await removeInterface(router, { subnet_id: subnet.id });
    const missingGateway = await test.demo.call('PUT', `${ROUTERS}/${router.id}`, {
      router: { external_gateway_info: null },
    });
    const second = await makeFloating();
    const repeated = await test.demo.call('PUT', `${FLOATING_IPS}/${second.id}`, { floatingip: { port_id: port.id } });
    await test.demo.call('DELETE', `/network/v2.0/ports/${port.id}`);
    const orphan = await test.demo.call('GET', path);

    expect(floatingIp).toMatchObject({ status: 'DOWN', port_id: null, floating_ip_address: '203.0.112.11' });
    expect(body['floatingip']).toMatchObject({
      status: 'ACTIVE',
      port_id: port.id,
      fixed_ip_address: '10.0.0.2',
      router_id: router.id,
      port_details: { network_id: network.id },
    });
    expect(missingInterface.body['NeutronError']).toMatchObject({ type: 'RouterInterfaceInUseByFloatingIP' });
    expect(missingGateway.body['NeutronError']).toMatchObject({ type: 'RouterExternalGatewayInUseByFloatingIp' });
    expect(repeated.body['NeutronError']).toMatchObject({ type: 'FloatingIPPortAlreadyAssociated' });
    expect(orphan.body['floatingip']).toMatchObject({ status: 'DOWN', port_id: null, router_id: null });
  });

  it('requires a router', async () => {
    const { network, subnet } = await makeNetwork(test.demo);
    const port = await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });
    const floatingIp = await makeFloating();
    const external = await externalNetworkId(test.demo);

    const response = await test.demo.call('PUT', `${FLOATING_IPS}/${floatingIp.id}`, {
      floatingip: { port_id: port.id },
    });

    expect(response.status).toBe(404);
    expect(response.body['NeutronError']).toEqual({
      type: 'ExternalGatewayForFloatingIPNotFound',
      message: `External network ${external} is not reachable from subnet ${subnet.id}.  Therefore, cannot associate Port ${port.id} with a Floating IP.`,
      detail: '',
    });
  });

  it('is not created when it cannot be associated', async () => {
    const { network } = await makeNetwork(test.demo);
    const port = await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id } });
    const external = await externalNetworkId(test.demo);

    const response = await test.demo.call('POST', FLOATING_IPS, {
      floatingip: { floating_network_id: external, port_id: port.id },
    });

    expect(response.status).toBe(404);
    expect((await test.demo.call('GET', FLOATING_IPS)).body).toEqual({ floatingips: [] });
    expect((await test.admin.call('GET', '/network/v2.0/ports?device_owner=network:floatingip')).body).toEqual({
      ports: [],
    });
  });

  it('is allocated only from an external network, and releases its address', async () => {
    const { network } = await makeNetwork(test.demo);
    const inner = await test.demo.call('POST', FLOATING_IPS, { floatingip: { floating_network_id: network.id } });
    const first = await makeFloating();
    await test.demo.call('DELETE', `${FLOATING_IPS}/${first.id}`);
    const second = await makeFloating();

    expect(inner.status).toBe(400);
    expect(inner.body['NeutronError']?.['message']).toMatch(/is not a valid external network/);
    expect(second['floating_ip_address']).toBe(first['floating_ip_address']);
  });
});
