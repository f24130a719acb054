import { expect, it } from 'vitest';
import type { ContractCloud, RawAnswer } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

const AT_ONCE = 5;

/**
 * Responses to concurrent changes of one object. Neutron compares before it writes, so several may succeed: Fairway relies on neither, and has one
 * writer for each object.
 */
describeClouds('concurrent changes', (cloud) => {
  it('of one revision: refused ones get 412', async () => {
    const { networks } = cloud().member.network;
    const { id } = await cloud().network('10.140.0.0/24');
    const { revision_number: revision = 0 } = await networks.get(id);

    const answers = await atOnce((index) =>
      cloud().raw('network', 'PUT', `/networks/${id}`, {
        headers: { 'if-match': `revision_number=${revision}` },
        body: { network: { description: `by ${index}` } },
      }),
    );

    for (const { status } of answers) expect([200, 412]).toContain(status);
    const taken = answers.flatMap(({ status }, index) => (status === 200 ? [`by ${index}`] : []));
    expect(taken).toContain((await networks.get(id)).description);
  });

  it('that request one address: one gets it, the others get 409', async () => {
    const { id: networkId, subnetId } = await cloud().network('10.141.0.0/24');
    const port = {
      network_id: networkId,
      name: cloud().name(),
      fixed_ips: [{ subnet_id: subnetId, ip_address: '10.141.0.77' }],
    };

    const answers = await atOnce(() => cloud().raw('network', 'POST', '/ports', { body: { port } }));

    await clearPorts(cloud(), networkId);
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409]);
    for (const { json } of answers.filter(({ status }) => status === 409)) {
      expect(json).toMatchObject({ NeutronError: { type: 'IpAddressAlreadyAllocated' } });
    }
  });

  it('that create one rule: refused ones get 409', async () => {
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

    const answers = await atOnce(() =>
      cloud().raw('network', 'POST', '/security-group-rules', { body: { security_group_rule: rule } }),
    );

    for (const { status } of answers) expect([201, 409]).toContain(status);
    const made = answers.filter(({ status }) => status === 201).length;
    expect(made).toBeGreaterThan(0);
    const { security_group_rules: rules } = await securityGroups.get(group.id);
    expect(rules.filter(({ direction }) => direction === 'ingress')).toHaveLength(made);
  });

  it('of a server in another state get 409, with the state', async () => {
    const [flavor, image] = await Promise.all([cloud().smallestFlavor(), cloud().anyImage()]);
    const { servers } = cloud().member.compute;
    const basics = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };
    const { id } = await servers.create(basics);
    cloud().deferServer(id);
    await cloud().settled(id);
    await cloud().raw('compute', 'POST', `/servers/${id}/action`, { body: { 'os-stop': null } });
    await cloud().until('the server has stopped', async () =>
      (await servers.get(id)).status === 'SHUTOFF' ? true : undefined,
    );

    const answer = await cloud().raw('compute', 'POST', `/servers/${id}/action`, { body: { 'os-stop': null } });

    expect(answer.status).toBe(409);
    const message = `Cannot 'stop' instance ${id} while it is in vm_state stopped`;
    expect(answer.json).toEqual({ conflictingRequest: { code: 409, message } });
  });

  it('that delete a server: all are accepted, and it is deleted once', async () => {
    const [flavor, image] = await Promise.all([cloud().smallestFlavor(), cloud().anyImage()]);
    const { servers } = cloud().member.compute;
    const basics = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };
    const { id } = await servers.create(basics);
    cloud().deferServer(id);
    await cloud().settled(id);

    const answers = await atOnce(() => cloud().raw('compute', 'DELETE', `/servers/${id}`));

    // Later requests get a 404.
    for (const { status } of answers) expect([204, 404]).toContain(status);
    expect(statuses(answers)[0]).toBe(204);
    await cloud().gone(id);
  });
});

function atOnce(change: (index: number) => Promise<RawAnswer>): Promise<RawAnswer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => change(index)));
}

function statuses(answers: readonly RawAnswer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}

async function clearPorts(cloud: ContractCloud, networkId: string): Promise<void> {
  const { ports } = cloud.member.network;
  for await (const port of ports.list({ network_id: networkId })) await ports.delete(port.id);
}
