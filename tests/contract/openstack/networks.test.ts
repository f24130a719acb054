import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { expectNeutronError } from './neutron-error.ts';
import { describeClouds } from './targets.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

async function port(cloud: ContractCloud, networkId: string, more: object = {}): Promise<string> {
  const { ports } = cloud.member.network;
  const { id } = await ports.create({ network_id: networkId, name: cloud.name(), ...more });
  cloud.defer(() => ports.delete(id));
  return id;
}

describeClouds('networks, subnets and ports', (cloud) => {
  it('give a network the requested values and the defaults', async () => {
    const { networks } = cloud().member.network;
    const name = cloud().name();

    const network = await networks.create({ name, description: 'mine' });
    cloud().defer(() => networks.delete(network.id));

    const project_id = await cloud().member.session.projectId();
    expect(network).toMatchObject({
      name,
      description: 'mine',
      status: 'ACTIVE',
      admin_state_up: true,
      shared: false,
      project_id,
      tenant_id: project_id,
      'router:external': false,
      subnets: [],
      tags: [],
      port_security_enabled: true,
      availability_zone_hints: [],
      created_at: TIME,
      updated_at: TIME,
      revision_number: 1,
    });
    expect(await networks.get(network.id)).toMatchObject({ id: network.id, name });
  });

  it('do not need unique names', async () => {
    const { networks } = cloud().member.network;
    const name = cloud().name();
    const created = [await networks.create({ name }), await networks.create({ name })];
    for (const { id } of created) cloud().defer(() => networks.delete(id));

    const listed = await Array.fromAsync(networks.list({ name }));

    expect(listed.map((each) => each.id).sort()).toEqual(created.map((each) => each.id).sort());
  });

  it('can be created in bulk', async () => {
    const { networks } = cloud().member.network;
    const names = [cloud().name(), cloud().name()];

    const created = await networks.createMany(names.map((name) => ({ name })));
    for (const { id } of created) cloud().defer(() => networks.delete(id));

    expect(created.map((each) => each.name)).toEqual(names);
  });

  it('give a subnet a gateway and a pool by default', async () => {
    const { subnets } = cloud().member.network;
    const { id: network_id, subnetId } = await cloud().network('10.50.0.0/29');
    const closed = await subnets.create({
      network_id,
      ip_version: 4,
      cidr: '10.50.1.7/24',
      gateway_ip: null,
      enable_dhcp: false,
    });

    expect(await subnets.get(subnetId)).toMatchObject({
      network_id,
      ip_version: 4,
      cidr: '10.50.0.0/29',
      gateway_ip: '10.50.0.1',
      enable_dhcp: true,
      allocation_pools: [{ start: '10.50.0.2', end: '10.50.0.6' }],
      dns_nameservers: [],
      host_routes: [],
    });
    // The host bits are cleared, and the gateway's address is in the pool.
    expect(closed).toMatchObject({
      cidr: '10.50.1.0/24',
      gateway_ip: null,
      enable_dhcp: false,
      allocation_pools: [{ start: '10.50.1.1', end: '10.50.1.254' }],
    });
    const changed = await subnets.update(subnetId, { dns_nameservers: ['192.0.2.53'] });
    expect(changed.dns_nameservers).toEqual(['192.0.2.53']);
    expect((await cloud().member.network.networks.get(network_id)).subnets.sort()).toEqual(
      [subnetId, closed.id].sort(),
    );
  });

  it.each<{ reason: string; status: number; type: string; message: string | RegExp; subnet: object }>([
    {
      reason: 'overlaps another',
      status: 400,
      type: 'InvalidInput',
      message:
        /^Invalid input for operation: Requested subnet with cidr: 10\.51\.0\.0\/16 for network: \S+ overlaps with another subnet\.$/,
      subnet: { cidr: '10.51.0.0/16' },
    },
    {
      reason: 'has no CIDR',
      status: 400,
      type: 'InvalidInput',
      message: 'Invalid input for operation: 10.52.0.0/33 is not in a CIDR format.',
      subnet: { cidr: '10.52.0.0/33' },
    },
    {
      reason: 'has another IP family',
      status: 400,
      type: 'InvalidInput',
      message: "Invalid input for operation: cidr '10.52.0.0/24' does not match the ip_version '6'.",
      subnet: { cidr: '10.52.0.0/24', ip_version: 6 },
    },
    {
      reason: 'has a pool outside of its CIDR',
      status: 400,
      type: 'OutOfBoundsAllocationPool',
      message: 'The allocation pool 10.53.0.1-10.53.0.9 spans beyond the subnet cidr 10.52.0.0/24.',
      subnet: { cidr: '10.52.0.0/24', allocation_pools: [{ start: '10.53.0.1', end: '10.53.0.9' }] },
    },
    {
      reason: 'has its gateway in a pool',
      status: 409,
      type: 'GatewayConflictWithAllocationPools',
      message: 'Gateway ip 10.52.0.5 conflicts with allocation pool 10.52.0.2-10.52.0.9.',
      subnet: {
        cidr: '10.52.0.0/24',
        gateway_ip: '10.52.0.5',
        allocation_pools: [{ start: '10.52.0.2', end: '10.52.0.9' }],
      },
    },
    {
      reason: 'names a network that does not exist',
      status: 404,
      type: 'NetworkNotFound',
      message: `Network ${NO_SUCH_ID} could not be found.`,
      subnet: { cidr: '10.52.0.0/24', network_id: NO_SUCH_ID },
    },
    {
      reason: 'lacks required values',
      status: 400,
      type: 'HTTPBadRequest',
      message: "Failed to parse request. Required attribute 'ip_version' not specified",
      subnet: { cidr: '10.52.0.0/24', ip_version: undefined },
    },
  ])('refuse a subnet that $reason', async ({ status, type, message, subnet }) => {
    const { id: network_id } = await cloud().network('10.51.1.0/24');

    const response = await cloud().raw('network', 'POST', '/subnets', {
      body: { subnet: { network_id, ip_version: 4, ...subnet } },
    });

    expectNeutronError(response, status, type, message);
  });

  it.each([
    {
      reason: 'a body without a network',
      body: {},
      type: 'HTTPBadRequest',
      message: "Unable to find 'network' in request body",
    },
    {
      reason: 'a field that does not exist',
      body: { network: { foo: 1 } },
      type: 'HTTPBadRequest',
      message: "Unrecognized attribute(s) 'foo'",
    },
    {
      reason: 'tags',
      body: { network: { tags: ['a'] } },
      type: 'HTTPBadRequest',
      message: "Attribute 'tags' not allowed in POST",
    },
    {
      reason: 'a value of the wrong type',
      body: { network: { admin_state_up: 'maybe' } },
      type: 'InvalidInput',
      message: "Invalid input for operation: 'maybe' cannot be converted to boolean.",
    },
    { reason: 'an incomplete body', body: '{', type: 'HTTPBadRequest', message: 'Body contains invalid data' },
  ])('refuse to create a network from $reason', async ({ body, type, message }) => {
    expectNeutronError(await cloud().raw('network', 'POST', '/networks', { body }), 400, type, message);
  });

  it.each([
    { attribute: 'router:external', rule: 'router:external' },
    { attribute: 'shared', rule: 'shared' },
  ])('reserve $attribute for administrators', async ({ attribute, rule }) => {
    const response = await cloud().raw('network', 'POST', '/networks', { body: { network: { [attribute]: true } } });

    const message = `(rule:create_network and rule:create_network:${rule}) is disallowed by policy`;
    expectNeutronError(response, 403, 'PolicyNotAuthorized', message);
  });

  it('give a port an address, the default security group and the requested values', async () => {
    const { ports, securityGroups } = cloud().member.network;
    const { id: network_id, subnetId: subnet_id } = await cloud().network('10.54.0.0/24');
    const [defaultGroup] = await Array.fromAsync(securityGroups.list({ name: 'default' }));

    const id = await port(cloud(), network_id, {
      fixed_ips: [{ subnet_id, ip_address: '10.54.0.77' }],
      allowed_address_pairs: [{ ip_address: '10.2.0.0/16' }],
    });

    const created = await ports.get(id);
    expect(created).toMatchObject({
      network_id,
      status: 'DOWN',
      device_id: '',
      device_owner: '',
      admin_state_up: true,
      port_security_enabled: true,
      fixed_ips: [{ subnet_id, ip_address: '10.54.0.77' }],
      security_groups: [defaultGroup?.id],
      mac_address: expect.stringMatching(/^fa:16:3e(:[0-9a-f]{2}){3}$/),
      'binding:vnic_type': 'normal',
    });
    expect(created.allowed_address_pairs).toEqual([{ ip_address: '10.2.0.0/16', mac_address: created.mac_address }]);
    const open = await ports.update(id, {
      allowed_address_pairs: [],
      security_groups: [],
      port_security_enabled: false,
    });
    expect(open).toMatchObject({ security_groups: [], port_security_enabled: false });
    expect(open.revision_number).toBeGreaterThan(created.revision_number ?? 0);
  });

  it('give a port on one subnet an automatic address from another subnet too', async () => {
    const { subnets, ports } = cloud().member.network;
    const { id: network_id, subnetId } = await cloud().network('10.56.0.0/24');
    const slaac = { ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' };
    const ipv6Subnet = await subnets.create({ network_id, ip_version: 6, cidr: 'fd00:56::/64', ...slaac });
    cloud().defer(() => subnets.delete(ipv6Subnet.id));
    const other = await subnets.create({ network_id, ip_version: 4, cidr: '10.57.0.0/24' });
    cloud().defer(() => subnets.delete(other.id));

    const id = await port(cloud(), network_id, { fixed_ips: [{ subnet_id: subnetId }] });

    const { fixed_ips } = await ports.get(id);
    expect(fixed_ips.map(({ subnet_id }) => subnet_id).toSorted()).toEqual([subnetId, ipv6Subnet.id].toSorted());
  });

  it('do not give a port an address from a subnet with no free addresses', async () => {
    const { id: network_id, subnetId } = await cloud().network('10.58.0.0/30');
    await port(cloud(), network_id, {});

    const body = { port: { network_id, fixed_ips: [{ subnet_id: subnetId }] } };
    const response = await cloud().raw('network', 'POST', '/ports', { body });

    const message = `No more IP addresses available on network ${network_id}.`;
    expectNeutronError(response, 409, 'IpAddressGenerationFailure', message);
  });

  it.each<{
    reason: string;
    status: number;
    type: string;
    message?: string | RegExp;
    more: (subnetId: string) => object;
  }>([
    {
      reason: 'an address that is taken',
      status: 409,
      type: 'IpAddressAlreadyAllocated',
      message: /^IP address 10\.55\.0\.9 already allocated in subnet \S+$/,
      more: () => ({ fixed_ips: [{ ip_address: '10.55.0.9' }] }),
    },
    {
      reason: 'an address outside of the subnet',
      status: 400,
      type: 'InvalidIpForNetwork',
      message: 'IP address 10.99.0.4 is not a valid IP for any of the subnets on the specified network.',
      more: () => ({ fixed_ips: [{ ip_address: '10.99.0.4' }] }),
    },
    {
      reason: 'a missing network',
      status: 404,
      type: 'NetworkNotFound',
      message: `Network ${NO_SUCH_ID} could not be found.`,
      more: () => ({ network_id: NO_SUCH_ID }),
    },
    {
      reason: 'a missing subnet',
      status: 404,
      type: 'SubnetNotFound',
      message: `Subnet ${NO_SUCH_ID} could not be found.`,
      more: () => ({ fixed_ips: [{ subnet_id: NO_SUCH_ID }] }),
    },
    {
      reason: 'a missing security group',
      status: 404,
      type: 'SecurityGroupNotFound',
      message: `Security group ${NO_SUCH_ID} does not exist`,
      more: () => ({ security_groups: [NO_SUCH_ID] }),
    },
    {
      reason: 'address pairs without port security',
      status: 409,
      type: 'AddressPairAndPortSecurityRequired',
      message: 'Port Security must be enabled in order to have allowed address pairs on a port.',
      more: () => ({ port_security_enabled: false, allowed_address_pairs: [{ ip_address: '10.2.0.0/16' }] }),
    },
    {
      reason: 'an invalid address pair',
      status: 400,
      type: 'HTTPBadRequest',
      message: "'x' is not a valid IP address",
      more: () => ({ allowed_address_pairs: [{ ip_address: 'x' }] }),
    },
  ])('refuse a port with $reason', async ({ status, type, message, more }) => {
    const { id: network_id, subnetId } = await cloud().network('10.55.0.0/24');
    await port(cloud(), network_id, { fixed_ips: [{ subnet_id: subnetId, ip_address: '10.55.0.9' }] });

    const response = await cloud().raw('network', 'POST', '/ports', {
      body: { port: { network_id, ...more(subnetId) } },
    });

    expectNeutronError(response, status, type, message);
  });

  it('may create a port without the requested tags', async () => {
    const { id: network_id } = await cloud().network('10.55.1.0/24');

    const response = await cloud().raw('network', 'POST', '/ports', { body: { port: { network_id, tags: ['a'] } } });

    const { port: created } = response.json as { port: { id: string; tags: string[] } };
    cloud().defer(() => cloud().member.network.ports.delete(created.id));
    // With ML2's driver tag_ports_during_bulk_creation the port has them; without it, there is no error.
    expect([[], ['a']]).toContainEqual(created.tags);
  });

  it('report a subnet without free addresses', async () => {
    const { id: network_id } = await cloud().network('10.56.0.0/30');
    await port(cloud(), network_id);

    const failure = await cloud()
      .member.network.ports.create({ network_id })
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(OpenStackError);
    expect(failure).toMatchObject({ kind: 'outOfCapacity', status: 409, retryable: true });
    expect(failure).toMatchObject({ detail: `No more IP addresses available on network ${network_id}.` });
  });

  it('are not deleted while in use', async () => {
    const { id: network_id, subnetId } = await cloud().network('10.57.0.0/24');
    const id = await port(cloud(), network_id);

    const inUseMessage = `Unable to complete operation on network ${network_id}. There are one or more ports still in use on the network, id for these ports is: ${id}.`;
    expectNeutronError(
      await cloud().raw('network', 'DELETE', `/networks/${network_id}`),
      409,
      'NetworkInUse',
      inUseMessage,
    );
    const allocated = `Unable to complete operation on subnet ${subnetId}: One or more ports have an IP allocation from this subnet.`;
    expectNeutronError(await cloud().raw('network', 'DELETE', `/subnets/${subnetId}`), 409, 'SubnetInUse', allocated);
  });

  it('delete a network with its subnets, and return 404 for it afterwards', async () => {
    const { id, subnetId } = await cloud().network('10.58.0.0/24');

    await cloud().member.network.networks.delete(id);

    const notFound = `Network ${id} could not be found.`;
    expectNeutronError(await cloud().raw('network', 'GET', `/networks/${id}`), 404, 'NetworkNotFound', notFound);
    expectNeutronError(await cloud().raw('network', 'DELETE', `/networks/${id}`), 404, 'NetworkNotFound', notFound);
    expectNeutronError(await cloud().raw('network', 'GET', `/subnets/${subnetId}`), 404, 'SubnetNotFound');
  });

  it('cannot be seen, changed, used or deleted by other projects', async () => {
    const { other } = cloud();
    if (other === undefined) return;
    const { id: token } = await other.session.token();
    const { id } = await cloud().network('10.59.0.0/24');
    const notFound = `Network ${id} could not be found.`;

    for (const [method, path, body] of [
      ['GET', `/networks/${id}`, undefined],
      ['PUT', `/networks/${id}`, { network: { name: 'x' } }],
      ['DELETE', `/networks/${id}`, undefined],
      ['POST', '/ports', { port: { network_id: id } }],
    ] as const) {
      expectNeutronError(await cloud().raw('network', method, path, { token, body }), 404, 'NetworkNotFound', notFound);
    }
    expect(await Array.fromAsync(other.network.networks.list({ id: [id] }))).toEqual([]);
  });

  it('do not let other projects change or delete shared networks, or create ports on them', async () => {
    const { id } = await cloud().externalNetwork();

    for (const [method, rule] of [
      ['PUT', 'update_network'],
      ['DELETE', 'delete_network'],
    ] as const) {
      const body = method === 'PUT' ? { network: { description: 'mine' } } : undefined;
      const response = await cloud().raw('network', method, `/networks/${id}`, { body });
      expectNeutronError(response, 403, 'PolicyNotAuthorized', `rule:${rule} is disallowed by policy`);
    }
    const projectId = await cloud().member.session.projectId();
    const forbidden = `Tenant ${projectId} not allowed to create port on this network`;
    expectNeutronError(
      await cloud().raw('network', 'POST', '/ports', { body: { port: { network_id: id } } }),
      403,
      'HTTPForbidden',
      forbidden,
    );
  });

  it('refuse a write based on another revision', async () => {
    const { networks } = cloud().member.network;
    const { id } = await cloud().network('10.60.0.0/24');
    const { revision_number: revision = 0 } = await networks.get(id);

    const changed = await networks.update(id, { description: 'one' }, { ifRevision: revision });
    const response = await cloud().raw('network', 'PUT', `/networks/${id}`, {
      body: { network: { description: 'two' } },
      headers: { 'if-match': `revision_number=${revision}` },
    });

    expect(changed.description).toBe('one');
    const message = `Constrained to ${revision}, but current revision is ${changed.revision_number}`;
    expectNeutronError(response, 412, 'RevisionNumberConstraintFailed', message);
  });
});
