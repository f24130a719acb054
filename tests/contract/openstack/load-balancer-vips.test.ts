import { expect, it } from 'vitest';
import type { ContractCloud } from './contract-cloud.ts';
import { LoadBalancerCloud, type ShownResource } from './load-balancer-cloud.ts';
import { expectOctaviaError } from './octavia-error.ts';
import { describeClouds } from './targets.ts';

/** Two subnets of one network. */
async function dualStackNetwork(cloud: ContractCloud) {
  const { id, subnetId } = await cloud.network();
  const second = { network_id: id, ip_version: 6, cidr: 'fd12:3456::/64', name: cloud.name() } as const;
  const { id: secondId } = await cloud.member.network.subnets.create(second);
  return { networkId: id, subnetId, secondId };
}

const IPV6 = expect.stringMatching(/^fd12:3456::[0-9a-f:]+$/);

describeClouds('additional VIPs', (cloud) => {
  it('are available since API version 2.26, which the client detects', async () => {
    expect(await cloud().member.loadBalancing.apiVersion()).toBe('2.26');
  });

  it('are addresses of the VIP’s port, and are deleted with it', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId, secondId } = await dualStackNetwork(cloud());
    const created = await octavia.loadBalancerOn(subnetId, { additional_vips: [{ subnet_id: secondId }] });
    const { ports } = cloud().member.network;
    const port = await ports.get(String(created['vip_port_id']));

    const shown = await cloud().member.loadBalancing.loadBalancers.get(created.id);
    await octavia.call('DELETE', `loadbalancers/${created.id}`);
    await octavia.waitUntilDeleted(`loadbalancers/${created.id}`);

    expect(created).toMatchObject({
      provisioning_status: 'ACTIVE',
      vip_address: expect.stringMatching(/^10\.123\.0\.\d+$/),
      additional_vips: [{ subnet_id: secondId, ip_address: IPV6 }],
    });
    expect(shown.additional_vips).toEqual(created['additional_vips']);
    expect(port.fixed_ips.map(({ subnet_id }) => subnet_id).sort()).toEqual([subnetId, secondId].sort());
    expect(await Array.fromAsync(ports.list({ device_id: `lb-${created.id}` }))).toEqual([]);
  });

  it('may be IPv4, with a specified address that a floating IP reaches', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { network } = cloud().member;
    const { subnetId, secondId } = await dualStackNetwork(cloud());
    const external = await cloud().externalNetwork();
    const router = await network.routers.create({
      name: cloud().name(),
      external_gateway_info: { network_id: external.id },
    });
    cloud().defer(() => network.routers.delete(router.id));
    await network.routers.addInterface(router.id, { subnet_id: subnetId });
    cloud().defer(() => network.routers.removeInterface(router.id, { subnet_id: subnetId }));

    const created = await octavia.loadBalancerOn(secondId, {
      additional_vips: [{ subnet_id: subnetId, ip_address: '10.123.0.77' }],
    });
    const floatingIp = await network.floatingIps.create({
      floating_network_id: external.id,
      port_id: String(created['vip_port_id']),
    });
    cloud().defer(() => network.floatingIps.delete(floatingIp.id));

    expect(created).toMatchObject({
      vip_address: IPV6,
      additional_vips: [{ subnet_id: subnetId, ip_address: '10.123.0.77' }],
    });
    expect(floatingIp.fixed_ip_address).toBe('10.123.0.77');
  });

  it('are taken from an existing port', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { ports } = cloud().member.network;
    const { networkId, subnetId, secondId } = await dualStackNetwork(cloud());
    const fixed_ips = [{ subnet_id: subnetId }, { subnet_id: secondId }];
    const port = await ports.create({ network_id: networkId, name: cloud().name(), fixed_ips });
    cloud().defer(() => ports.delete(port.id));
    const addressIn = (id: string) => port.fixed_ips.find(({ subnet_id }) => subnet_id === id)?.ip_address;

    const created = await octavia.loadBalancerOn(subnetId, {
      vip_port_id: port.id,
      additional_vips: [{ subnet_id: secondId }],
    });

    expect(created).toMatchObject({
      vip_address: addressIn(subnetId),
      additional_vips: [{ subnet_id: secondId, ip_address: addressIn(secondId) }],
    });
  });

  it('can’t be changed later', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId, secondId } = await dualStackNetwork(cloud());
    const { id } = await octavia.loadBalancerOn(subnetId);

    expectOctaviaError(
      await octavia.call('PUT', `loadbalancers/${id}`, {
        loadbalancer: { additional_vips: [{ subnet_id: secondId }] },
      }),
      400,
      'Unknown attribute for argument load_balancer.loadbalancer: additional_vips',
    );
  });

  it('are in the VIP’s network, one in each subnet', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId } = await dualStackNetwork(cloud());
    const { subnetId: otherSubnetId } = await cloud().network('10.124.0.0/24');
    const refused = (subnet_id: string) =>
      octavia.call('POST', 'loadbalancers', {
        loadbalancer: { name: cloud().name(), vip_subnet_id: subnetId, additional_vips: [{ subnet_id }] },
      });

    expectOctaviaError(
      await refused(subnetId),
      400,
      'Validation failure: Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.',
    );
    expectOctaviaError(
      await refused(otherSubnetId),
      400,
      'Validation failure: All VIP subnets must belong to the same network.',
    );
  });

  it('do not restrict listeners’ ranges before API version 2.27', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId, secondId } = await dualStackNetwork(cloud());
    const { id } = await octavia.loadBalancerOn(subnetId, { additional_vips: [{ subnet_id: secondId }] });
    const listener = { loadbalancer_id: id, protocol: 'TCP', protocol_port: 80, allowed_cidrs: ['2001:db8::/32'] };

    expectOctaviaError(
      await octavia.call('POST', 'listeners', { listener }),
      400,
      /^Validation failure: CIDR 2001:db8::\/32 IP version incompatible with VIP 10\.123\.0\.\d+ IP version\.$/,
    );
  });

  it('are created with the whole tree in one call, with members of both families', async () => {
    const octavia = new LoadBalancerCloud(cloud());
    const { subnetId, secondId } = await dualStackNetwork(cloud());
    const member = (address: string, subnet_id: string) => ({ address, protocol_port: 30_080, subnet_id });
    const pool = { name: 'p', protocol: 'UDP', lb_algorithm: 'ROUND_ROBIN' };
    const members = [member('10.123.0.20', subnetId), member('fd12:3456::20', secondId)];
    const { id } = await octavia.loadBalancerOn(secondId, {
      additional_vips: [{ subnet_id: subnetId }],
      listeners: [{ protocol: 'UDP', protocol_port: 53, default_pool: { ...pool, members } }],
    });

    const [created] = (await octavia.show(`loadbalancers/${id}`))['pools'] as readonly ShownResource[];
    const found = await octavia.list(`pools/${created?.id}/members`);

    expect(found.map(({ address }) => String(address)).sort()).toEqual(['10.123.0.20', 'fd12:3456::20']);
  });
});
