import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Router } from '@fairway/openstack/types/network';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { expectNeutronError } from './neutron-error.ts';
import { describeClouds } from './targets.ts';

/** Creates a router, with a gateway if `external`; it is deleted with its interfaces after the test. */
async function router(cloud: ContractCloud, external = false): Promise<Router> {
  const { routers, ports } = cloud.member.network;
  const gateway = external ? { external_gateway_info: { network_id: (await cloud.externalNetwork()).id } } : {};
  const createdRouter = await routers.create({ name: cloud.name(), ...gateway });
  cloud.defer(async () => {
    for await (const port of ports.list({ device_id: createdRouter.id, device_owner: 'network:router_interface' })) {
      await routers.removeInterface(createdRouter.id, { port_id: port.id });
    }
    await routers.delete(createdRouter.id);
  });
  return createdRouter;
}

/** A port behind a router with a gateway. */
async function reachablePort(
  cloud: ContractCloud,
  cidr: string,
): Promise<{ portId: string; router: Router; subnetId: string }> {
  const { network } = cloud.member;
  const { id: network_id, subnetId } = await cloud.network(cidr);
  const createdRouter = await router(cloud, true);
  await network.routers.addInterface(createdRouter.id, { subnet_id: subnetId });
  const port = await network.ports.create({ network_id });
  cloud.defer(() => network.ports.delete(port.id));
  return { portId: port.id, router: createdRouter, subnetId };
}

describeClouds('routers and floating IPs', (cloud) => {
  it('give a router a gateway with an address from the external network', async () => {
    const external = await cloud().externalNetwork();

    const createdRouter = await router(cloud(), true);

    expect(createdRouter).toMatchObject({ status: 'ACTIVE', admin_state_up: true, routes: [], tags: [] });
    expect(createdRouter.external_gateway_info).toEqual({
      network_id: external.id,
      enable_snat: true,
      external_fixed_ips: [{ subnet_id: expect.any(String), ip_address: expect.any(String) }],
    });
    const closed = await cloud().member.network.routers.update(createdRouter.id, { external_gateway_info: null });
    expect(closed.external_gateway_info).toBeNull();
  });

  it('give an interface the gateway address of its subnet, once', async () => {
    const { routers, ports } = cloud().member.network;
    const { id: network_id, subnetId } = await cloud().network('10.61.0.0/24');
    const createdRouter = await router(cloud());

    const added = await routers.addInterface(createdRouter.id, { subnet_id: subnetId });

    expect(added).toMatchObject({ id: createdRouter.id, subnet_id: subnetId, subnet_ids: [subnetId], network_id });
    expect(await ports.get(added.port_id)).toMatchObject({
      device_id: createdRouter.id,
      device_owner: 'network:router_interface',
      security_groups: [],
      fixed_ips: [{ subnet_id: subnetId, ip_address: '10.61.0.1' }],
    });
    const repeated = await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}/add_router_interface`, {
      body: { subnet_id: subnetId },
    });
    expectNeutronError(
      repeated,
      400,
      'BadRequest',
      `Bad router request: Router already has a port on subnet ${subnetId}.`,
    );
    const conflictError = await routers
      .addInterface(createdRouter.id, { subnet_id: subnetId })
      .catch((error: unknown) => error);
    expect(isOpenStackError(conflictError, 'conflict')).toBe(true);
    const other = await router(cloud());
    const taken = await cloud().raw('network', 'PUT', `/routers/${other.id}/add_router_interface`, {
      body: { subnet_id: subnetId },
    });
    expectNeutronError(
      taken,
      409,
      'IpAddressAlreadyAllocated',
      `IP address 10.61.0.1 already allocated in subnet ${subnetId}`,
    );

    expectNeutronError(
      await cloud().raw('network', 'DELETE', `/routers/${createdRouter.id}`),
      409,
      'RouterInUse',
      `Router ${createdRouter.id} has ports still attached: ${added.port_id}`,
    );
    expectNeutronError(
      await cloud().raw('network', 'DELETE', `/ports/${added.port_id}`),
      409,
      'ServicePortInUse',
      `Port ${added.port_id} cannot be deleted directly via the port API: has device owner network:router_interface.`,
    );
    expect(await routers.removeInterface(createdRouter.id, { subnet_id: subnetId })).toMatchObject({
      port_id: added.port_id,
    });
    const body = { subnet_id: subnetId };
    expectNeutronError(
      await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}/remove_router_interface`, { body }),
      404,
      'RouterInterfaceNotFoundForSubnet',
      `Router ${createdRouter.id} has no interface on subnet ${subnetId}`,
    );
  });

  it.each<{
    reason: string;
    status: number;
    type: string;
    message: RegExp;
    cidr?: string;
    gateway?: null;
    body?: object;
  }>([
    {
      reason: 'overlaps another',
      status: 400,
      type: 'BadRequest',
      message:
        /^Bad router request: Cidr 10\.62\.0\.0\/16 of subnet \S+ overlaps with cidr 10\.62\.1\.0\/24 of subnet \S+\.$/,
      cidr: '10.62.0.0/16',
    },
    {
      reason: 'has no gateway',
      status: 400,
      type: 'BadRequest',
      message: /^Bad router request: Subnet for router interface must have a gateway IP\.$/,
      cidr: '10.63.0.0/24',
      gateway: null,
    },
    {
      reason: 'does not exist',
      status: 404,
      type: 'SubnetNotFound',
      message: /could not be found\.$/,
      body: { subnet_id: NO_SUCH_ID },
    },
    {
      reason: 'is not specified',
      status: 400,
      type: 'BadRequest',
      message: /^Bad router request: Either subnet_id or port_id must be specified\.$/,
      body: {},
    },
  ])('refuse an interface on a subnet that $reason', async ({ status, type, message, cidr, gateway, body }) => {
    const { networks, routers, subnets } = cloud().member.network;
    const { subnetId } = await cloud().network('10.62.1.0/24');
    const createdRouter = await router(cloud());
    await routers.addInterface(createdRouter.id, { subnet_id: subnetId });
    let desired = body;
    if (cidr !== undefined) {
      const { id: network_id } = await networks.create({ name: cloud().name() });
      cloud().defer(() => networks.delete(network_id));
      const subnet = await subnets.create({
        network_id,
        ip_version: 4,
        cidr,
        ...(gateway === null && { gateway_ip: null }),
      });
      desired = { subnet_id: subnet.id };
    }

    const response = await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}/add_router_interface`, {
      body: desired,
    });

    expectNeutronError(response, status, type, message);
  });

  it('require an external network for a gateway', async () => {
    const { id } = await cloud().network('10.64.0.0/24');
    const create = (info: object) =>
      cloud().raw('network', 'POST', '/routers', { body: { router: { external_gateway_info: info } } });

    expectNeutronError(
      await create({ network_id: id }),
      400,
      'BadRequest',
      `Bad router request: Network ${id} is not an external network.`,
    );
    expectNeutronError(
      await create({ network_id: NO_SUCH_ID }),
      404,
      'NetworkNotFound',
      `Network ${NO_SUCH_ID} could not be found.`,
    );
    const external = await cloud().externalNetwork();
    expectNeutronError(await create({ network_id: external.id, enable_snat: false }), 403, 'PolicyNotAuthorized');
  });

  it('keep a floating IP at its port until it is removed', async () => {
    const { floatingIps } = cloud().member.network;
    const { portId, router: createdRouter } = await reachablePort(cloud(), '10.65.0.0/24');
    const { id: floating_network_id } = await cloud().externalNetwork();

    const created = await floatingIps.create({ floating_network_id, port_id: portId, description: 'mine' });
    cloud().defer(() => floatingIps.delete(created.id));

    expect(created).toMatchObject({
      floating_network_id,
      port_id: portId,
      router_id: createdRouter.id,
      description: 'mine',
      tags: [],
    });
    const active = await cloud().waitUntil('the floating IP is ACTIVE', async () => {
      const each = await floatingIps.get(created.id);
      return each.status === 'ACTIVE' ? each : undefined;
    });
    expect(active.fixed_ip_address).toMatch(/^10\.65\.0\./);
    const disassociated = await floatingIps.update(created.id, { port_id: null });
    expect(disassociated).toMatchObject({ port_id: null, fixed_ip_address: null, router_id: null });
    await cloud().waitUntil('the floating IP is DOWN', async () =>
      (await floatingIps.get(created.id)).status === 'DOWN' ? true : undefined,
    );
    await floatingIps.delete(created.id);
    expectNeutronError(
      await cloud().raw('network', 'DELETE', `/floatingips/${created.id}`),
      404,
      'FloatingIPNotFound',
      `Floating IP ${created.id} could not be found`,
    );
  });

  it('block the deletion of resources that a floating IP needs', async () => {
    const { floatingIps } = cloud().member.network;
    const { portId, router: createdRouter, subnetId } = await reachablePort(cloud(), '10.66.0.0/24');
    const { id: floating_network_id } = await cloud().externalNetwork();
    const created = await floatingIps.create({ floating_network_id, port_id: portId });
    cloud().defer(() => floatingIps.delete(created.id));

    const second = await cloud().raw('network', 'POST', '/floatingips', {
      body: { floatingip: { floating_network_id, port_id: portId } },
    });
    const removed = await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}/remove_router_interface`, {
      body: { subnet_id: subnetId },
    });
    const cleared = await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}`, {
      body: { router: { external_gateway_info: null } },
    });

    expectNeutronError(
      second,
      409,
      'FloatingIPPortAlreadyAssociated',
      /^Cannot associate floating IP \S+ \(\S+\) with port \S+ using fixed IP \S+, as that fixed IP already has a floating IP on external network \S+\.$/,
    );
    expectNeutronError(
      removed,
      409,
      'RouterInterfaceInUseByFloatingIP',
      `Router interface for subnet ${subnetId} on router ${createdRouter.id} cannot be deleted, as it is required by one or more floating IPs.`,
    );
    expectNeutronError(
      cleared,
      409,
      'RouterExternalGatewayInUseByFloatingIp',
      `Gateway cannot be updated for router ${createdRouter.id}, since a gateway to external network ${floating_network_id} is required by one or more floating IPs.`,
    );
    // The floating IP that could not be associated was not created.
    const attached = await Array.fromAsync(floatingIps.list({ port_id: portId }));
    expect(attached.map((each) => each.id)).toEqual([created.id]);
  });

  it('refuse a floating IP for a port that no router reaches', async () => {
    const { ports } = cloud().member.network;
    const { id: network_id, subnetId } = await cloud().network('10.67.0.0/24');
    const port = await ports.create({ network_id });
    cloud().defer(() => ports.delete(port.id));
    const { id: external } = await cloud().externalNetwork();
    const create = (floatingip: object) => cloud().raw('network', 'POST', '/floatingips', { body: { floatingip } });

    expectNeutronError(
      await create({ floating_network_id: external, port_id: port.id }),
      404,
      'ExternalGatewayForFloatingIPNotFound',
      `External network ${external} is not reachable from subnet ${subnetId}.  Therefore, cannot associate Port ${port.id} with a Floating IP.`,
    );
    expectNeutronError(
      await create({ floating_network_id: network_id }),
      400,
      'BadRequest',
      `Bad floatingip request: Network ${network_id} is not a valid external network.`,
    );
    expectNeutronError(await create({ floating_network_id: external, port_id: NO_SUCH_ID }), 404, 'PortNotFound');
    expectNeutronError(await create({ floating_network_id: NO_SUCH_ID }), 404, 'NetworkNotFound');
  });

  it('add and remove routes one by one, without affecting the others', async () => {
    const { routers } = cloud().member.network;
    const { router: createdRouter, subnetId } = await reachablePort(cloud(), '10.70.0.0/24');
    cloud().defer(() => routers.update(createdRouter.id, { routes: [] }));
    const otherTenantsRoute = { destination: '172.20.1.0/24', nexthop: '10.70.0.77' };
    const first = { destination: '10.2.0.0/24', nexthop: '10.70.0.5' };
    const second = { destination: '10.2.1.0/24', nexthop: '10.70.0.6' };
    await routers.update(createdRouter.id, { routes: [otherTenantsRoute] });

    const added = await routers.addRoutes(createdRouter.id, [first, second]);
    const repeated = await routers.addRoutes(createdRouter.id, [first]);
    const needed = await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}/remove_router_interface`, {
      body: { subnet_id: subnetId },
    });
    const removed = await routers.removeRoutes(createdRouter.id, [first]);
    const afterRemoval = await routers.removeRoutes(createdRouter.id, [first]);

    expect(added.routes).toHaveLength(3);
    expect(added.routes).toEqual(expect.arrayContaining([otherTenantsRoute, first, second]));
    expect(repeated.routes).toHaveLength(3);
    expectNeutronError(needed, 409, 'RouterInterfaceInUseByRoute', /required by one or more routes/);
    expect(removed.routes).toHaveLength(2);
    expect(afterRemoval.routes).toEqual(expect.arrayContaining([otherTenantsRoute, second]));
  });

  it('accept as many routes as the operator allows, and add either all routes in a call or none', async () => {
    const { routers } = cloud().member.network;
    const { router: createdRouter } = await reachablePort(cloud(), '10.71.0.0/24');
    cloud().defer(() => routers.update(createdRouter.id, { routes: [] }));
    const routes = Array.from({ length: 31 }, (_, n) => ({ destination: `10.2.${n}.0/24`, nexthop: '10.71.0.5' }));

    const response = await cloud().raw('network', 'PUT', `/routers/${createdRouter.id}/add_extraroutes`, {
      body: { router: { routes } },
    });
    const after = await routers.get(createdRouter.id);

    const message = `Unable to complete operation for ${createdRouter.id}. The number of routes exceeds the maximum 30.`;
    expectNeutronError(response, 400, 'RoutesExhausted', message);
    expect(after.routes).toEqual([]);
  });

  it('show a floating IP among the addresses of its server', async () => {
    const { compute, network } = cloud().member;
    const { portId } = await reachablePort(cloud(), '10.68.0.0/24');
    const [flavor, image] = [await cloud().smallestFlavor(), await cloud().anyImage()];
    const desired = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: [{ port: portId }] };
    const { id } = await compute.servers.create(desired);
    cloud().deferServer(id);
    await cloud().waitUntilSettled(id);
    const { id: floating_network_id } = await cloud().externalNetwork();

    const floating = await network.floatingIps.create({ floating_network_id, port_id: portId });
    cloud().defer(() => network.floatingIps.delete(floating.id));

    const addresses = await cloud().waitUntil('the server shows the floating IP', async () => {
      const all = Object.values((await compute.servers.get(id)).addresses).flat();
      return all.length === 2 ? all : undefined;
    });
    expect(addresses).toContainEqual(
      expect.objectContaining({ addr: floating.floating_ip_address, version: 4, 'OS-EXT-IPS:type': 'floating' }),
    );
  });
});
