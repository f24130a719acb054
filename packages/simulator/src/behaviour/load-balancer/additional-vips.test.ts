import { describe, expect, it } from 'vitest';
import { faultOf, LBAAS, make, settle, show } from '../../load-balancer/test-tree.ts';
import { type CreatedObject, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork } from '../../test-resources.ts';

/** Starts a cloud whose Octavia has this API version, with a dual-stack network. */
async function start(
  minor: number,
): Promise<AsyncDisposable & { test: TestCloud; first: CreatedObject; second: CreatedObject }> {
  const test = await startTestCloud({ loadBalancerVersion: minor });
  const { network, subnet: first } = await makeNetwork(test.demo);
  const second = await test.demo.make('/network/v2.0/subnets', {
    subnet: { network_id: network.id, ip_version: 6, cidr: 'fd00::/64' },
  });
  return { test, first, second, [Symbol.asyncDispose]: () => test.cloud.close() };
}

/** Creates a TCP listener with these allowed CIDRs. */
async function listen({ demo }: TestCloud, loadbalancer_id: string, allowed_cidrs: readonly string[]) {
  const listener = { loadbalancer_id, protocol: 'TCP', protocol_port: 80, allowed_cidrs };
  return demo.call('POST', `${LBAAS}/listeners`, { listener });
}

describe('an additional VIP', () => {
  it('is not supported by Octavia before API version 2.26', async () => {
    await using cloud = await start(25);
    const { test, first, second } = cloud;
    const loadbalancer = { vip_subnet_id: first.id, additional_vips: [{ subnet_id: second.id }] };

    const response = await test.demo.call('POST', `${LBAAS}/loadbalancers`, { loadbalancer });
    const plain = await make(test, 'loadbalancers', { loadbalancer: { vip_subnet_id: first.id } });
    const { body } = await test.demo.call('GET', '/load-balancer/');

    expect([response.status, faultOf(response)]).toEqual([
      400,
      'Unknown attribute for argument load_balancer.loadbalancer: additional_vips',
    ]);
    expect(plain).not.toHaveProperty('additional_vips');
    const versions = body['versions'] as unknown as { id: string; status: string }[];
    expect(versions.at(-1)).toMatchObject({ id: 'v2.25', status: 'CURRENT' });
  });

  it.each([
    { minor: 26, provider: 'amphora', address: 'fd00::7' },
    { minor: 26, provider: 'ovn', address: null },
    { minor: 27, provider: 'ovn', address: 'fd00::7' },
  ])('gets the address $address from $provider in API version 2.$minor', async ({ minor, provider, address }) => {
    await using cloud = await start(minor);
    const { test, first, second } = cloud;
    const additional_vips = [{ subnet_id: second.id, ip_address: 'fd00::7' }];

    const created = await make(test, 'loadbalancers', {
      loadbalancer: { vip_subnet_id: first.id, provider, additional_vips },
    });

    expect(created['additional_vips']).toEqual([{ subnet_id: second.id, ip_address: address }]);
  });

  it.each([
    {
      minor: 26,
      cidrs: ['2001:db8::/32'],
      status: 400,
      message: /CIDR 2001:db8::\/32 IP version incompatible with VIP 10/,
      becomes: 'ACTIVE',
    },
    { minor: 26, cidrs: ['192.0.2.0/24'], status: 201, message: /^{"listener":/, becomes: 'ERROR' },
    { minor: 27, cidrs: ['192.0.2.0/24', '2001:db8::/32'], status: 201, message: /^{"listener":/, becomes: 'ACTIVE' },
    { minor: 27, cidrs: ['192.0.2.0/24'], status: 201, message: /^{"listener":/, becomes: 'ACTIVE' },
  ])(
    'has allowed CIDRs $cidrs checked in API version 2.$minor: $status $becomes',
    async ({ minor, cidrs, status, message, becomes }) => {
      await using cloud = await start(minor);
      const { test, first, second } = cloud;
      const { id } = await make(test, 'loadbalancers', {
        loadbalancer: { vip_subnet_id: first.id, additional_vips: [{ subnet_id: second.id }] },
      });

      const response = await listen(test, id, cidrs);
      await settle(test.clock);

      const { provisioning_status } = await show(test.demo, `loadbalancers/${id}`);
      expect([response.status, provisioning_status]).toEqual([status, becomes]);
      expect(JSON.stringify(response.body)).toMatch(message);
    },
  );

  it('is listed in the error with all other VIPs if no VIP has the range’s IP version', async () => {
    await using cloud = await start(27);
    const { id } = await make(cloud.test, 'loadbalancers', {
      loadbalancer: { vip_subnet_id: cloud.second.id, vip_address: 'fd00::9' },
    });

    expect(faultOf(await listen(cloud.test, id, ['192.0.2.0/24']))).toBe(
      "Validation failure: CIDR 192.0.2.0/24 IP version incompatible with all VIPs ['fd00::9'] IP version.",
    );
  });

  it.each([
    { minor: 27, status: 501 },
    { minor: 28, status: 201 },
  ])('may have members of its IP family with OVN in API version 2.$minor: $status', async ({ minor, status }) => {
    await using cloud = await start(minor);
    const { test, first, second } = cloud;
    const pool = { name: 'p', protocol: 'TCP', lb_algorithm: 'SOURCE_IP_PORT' };
    const members = [{ address: 'fd00::20', protocol_port: 80, subnet_id: second.id }];
    const vips = { vip_subnet_id: first.id, additional_vips: [{ subnet_id: second.id }], provider: 'ovn' };

    const response = await test.demo.call('POST', `${LBAAS}/loadbalancers`, {
      loadbalancer: { ...vips, pools: [{ ...pool, members }] },
    });

    expect(response.status).toBe(status);
  });
});
