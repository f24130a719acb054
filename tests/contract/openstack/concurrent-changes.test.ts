import { expect, it } from 'vitest';
import type { ContractCloud, RawResponse } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

const CONCURRENCY = 5;

/**
 * Responses to concurrent changes to one object. Neutron compares before it writes, so several changes may succeed.
 * Fairway does not rely on the outcome, and has one writer for each object.
 */
describeClouds('concurrent changes', (cloud) => {
  it('refuse all but one update to a revision with 412', async () => {
    const { networks } = cloud().member.network;
    const { id } = await cloud().network('10.140.0.0/24');
    const { revision_number: revision = 0 } = await networks.get(id);

    const responses = await concurrently((index) =>
      cloud().raw('network', 'PUT', `/networks/${id}`, {
        headers: { 'if-match': `revision_number=${revision}` },
        body: { network: { description: `by ${index}` } },
      }),
    );

    for (const { status } of responses) expect([200, 412]).toContain(status);
    const taken = responses.flatMap(({ status }, index) => (status === 200 ? [`by ${index}`] : []));
    expect(taken).toContain((await networks.get(id)).description);
  });

  it('give an address to one port, and refuse the others with 409', async () => {
    const { id: networkId, subnetId } = await cloud().network('10.141.0.0/24');
    const port = {
      network_id: networkId,
      name: cloud().name(),
      fixed_ips: [{ subnet_id: subnetId, ip_address: '10.141.0.77' }],
    };

    const responses = await concurrently(() => cloud().raw('network', 'POST', '/ports', { body: { port } }));

    await clearPorts(cloud(), networkId);
    expect(statuses(responses)).toEqual([201, 409, 409, 409, 409]);
    for (const { json } of responses.filter(({ status }) => status === 409)) {
      expect(json).toMatchObject({ NeutronError: { type: 'IpAddressAlreadyAllocated' } });
    }
  });

  it('refuse all but one creation of a rule with 409', async () => {
    const { securityGroups } = cloud().member.network;
    const group = await securityGroups.create({ name: cloud().name() });
    cloud().defer(() => securityGroups.delete(group.id));
    const rule = {
      security_group_id: group.id,
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: 1,
      port_range_max: 2,
    };

    const responses = await concurrently(() =>
      cloud().raw('network', 'POST', '/security-group-rules', { body: { security_group_rule: rule } }),
    );

    for (const { status } of responses) expect([201, 409]).toContain(status);
    const created = responses.filter(({ status }) => status === 201).length;
    expect(created).toBeGreaterThan(0);
    const { security_group_rules: rules } = await securityGroups.get(group.id);
    expect(rules.filter(({ direction }) => direction === 'ingress')).toHaveLength(created);
  });

  it('refuse an action on a server in another state with 409, and report the state', async () => {
    const [flavor, image] = await Promise.all([cloud().smallestFlavor(), cloud().anyImage()]);
    const { servers } = cloud().member.compute;
    const basics = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };
    const { id } = await servers.create(basics);
    cloud().deferServer(id);
    await cloud().waitUntilSettled(id);
    await cloud().raw('compute', 'POST', `/servers/${id}/action`, { body: { 'os-stop': null } });
    await cloud().waitUntil('the server has stopped', async () =>
      (await servers.get(id)).status === 'SHUTOFF' ? true : undefined,
    );

    const response = await cloud().raw('compute', 'POST', `/servers/${id}/action`, { body: { 'os-stop': null } });

    expect(response.status).toBe(409);
    const message = `Cannot 'stop' instance ${id} while it is in vm_state stopped`;
    expect(response.json).toEqual({ conflictingRequest: { code: 409, message } });
  });

  it('accept all deletions of a server, and delete it once', async () => {
    const [flavor, image] = await Promise.all([cloud().smallestFlavor(), cloud().anyImage()]);
    const { servers } = cloud().member.compute;
    const basics = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };
    const { id } = await servers.create(basics);
    cloud().deferServer(id);
    await cloud().waitUntilSettled(id);

    const responses = await concurrently(() => cloud().raw('compute', 'DELETE', `/servers/${id}`));

    // Later requests get a 404.
    for (const { status } of responses) expect([204, 404]).toContain(status);
    expect(statuses(responses)[0]).toBe(204);
    await cloud().waitUntilDeleted(id);
  });
});

function concurrently(change: (index: number) => Promise<RawResponse>): Promise<RawResponse[]> {
  return Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => change(index)));
}

function statuses(responses: readonly RawResponse[]): number[] {
  return responses.map(({ status }) => status).sort((a, b) => a - b);
}

async function clearPorts(cloud: ContractCloud, networkId: string): Promise<void> {
  const { ports } = cloud.member.network;
  for await (const port of ports.list({ network_id: networkId })) await ports.delete(port.id);
}
