import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { expectNeutronError } from './neutron-error.ts';
import { describeClouds } from './targets.ts';

async function group(cloud: ContractCloud, owner = cloud.member): Promise<string> {
  const { securityGroups } = owner.network;
  const { id } = await securityGroups.create({ name: cloud.name() });
  cloud.defer(() => securityGroups.delete(id));
  return id;
}

/** A port in a separate network, with this security group. */
async function portInGroup(cloud: ContractCloud, groupID: string) {
  const { networks, ports } = cloud.member.network;
  const { id: network_id } = await networks.create({ name: cloud.name() });
  cloud.defer(() => networks.delete(network_id));
  const port = await ports.create({ network_id, name: cloud.name(), security_groups: [groupID] });
  cloud.defer(() => ports.delete(port.id));
  return port;
}

async function share(cloud: ContractCloud, groupID: string): Promise<{ readonly id: string; readonly token: string }> {
  if (cloud.other === undefined) throw new Error('the cloud has no second project to test with');
  const token = (await cloud.other.session.token())?.id ?? '';
  const target_tenant = await cloud.member.session.projectId();
  const rbac_policy = { object_type: 'security_group', object_id: groupID, action: 'access_as_shared', target_tenant };
  const { json } = await cloud.raw('network', 'POST', '/rbac-policies', { token, body: { rbac_policy } });
  return { id: (json as { rbac_policy: { id: string } }).rbac_policy.id, token };
}

describeClouds('the security groups of a port', (cloud) => {
  it('are those of the last PUT, while other attributes are kept', async () => {
    const [own, more, others] = [await group(cloud()), await group(cloud()), await group(cloud())];
    const { ports } = cloud().member.network;
    const { id, name, revision_number: revision = 0 } = await portInGroup(cloud(), own);

    const changed = await ports.update(id, { security_groups: [own, more] }, { ifRevision: revision });
    expect(changed).toMatchObject({ id, name });
    expect(changed.security_groups.toSorted()).toEqual([own, more].sort());
    expect(changed.revision_number).toBeGreaterThan(revision);

    await ports.update(id, { security_groups: [others, own] });
    expect((await ports.get(id)).security_groups.toSorted()).toEqual([own, others].sort());
    expect((await ports.update(id, { security_groups: [] })).security_groups).toEqual([]);
  });

  it('are not written over a concurrent change', async () => {
    const [own, more] = [await group(cloud()), await group(cloud())];
    const { ports } = cloud().member.network;
    const { id, revision_number: ifRevision = 0 } = await portInGroup(cloud(), own);
    await ports.update(id, { security_groups: [own, more] });

    await expect(ports.update(id, { security_groups: [own] }, { ifRevision })).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect((await ports.get(id)).security_groups.toSorted()).toEqual([own, more].sort());
  });

  it('are listed once each', async () => {
    const own = await group(cloud());
    const { id } = await portInGroup(cloud(), own);

    const response = await cloud().raw('network', 'PUT', `/ports/${id}`, {
      body: { port: { security_groups: [own, own] } },
    });

    expectNeutronError(
      response,
      400,
      'HTTPBadRequest',
      `Invalid input for security_groups. Reason: Duplicate items in the list: '${own}'.`,
    );
  });

  it('must exist, and stay unchanged if one of them does not', async () => {
    const own = await group(cloud());
    const { id } = await portInGroup(cloud(), own);

    const response = await cloud().raw('network', 'PUT', `/ports/${id}`, {
      body: { port: { security_groups: [own, NO_SUCH_ID] } },
    });

    expectNeutronError(response, 404, 'SecurityGroupNotFound', `Security group ${NO_SUCH_ID} does not exist`);
    expect((await cloud().member.network.ports.get(id)).security_groups).toEqual([own]);
  });

  it('cannot be deleted while the port has them', async () => {
    const [own, more] = [await group(cloud()), await group(cloud())];
    const { ports, securityGroups } = cloud().member.network;
    const { id } = await portInGroup(cloud(), own);
    await ports.update(id, { security_groups: [own, more] });

    const response = await cloud().raw('network', 'DELETE', `/security-groups/${more}`);
    expectNeutronError(response, 409, 'SecurityGroupInUse', `Security Group ${more} in use.`);

    await ports.update(id, { security_groups: [own] });
    await securityGroups.delete(more);
  });

  it('are refused if port security is off', async () => {
    const own = await group(cloud());
    const { ports } = cloud().member.network;
    const { id } = await portInGroup(cloud(), own);
    await ports.update(id, { security_groups: [], port_security_enabled: false });

    const response = await cloud().raw('network', 'PUT', `/ports/${id}`, {
      body: { port: { security_groups: [own] } },
    });

    expectNeutronError(
      response,
      400,
      'PortSecurityAndIPRequiredForSecurityGroups',
      'Port security must be enabled and port must have an IP address in order to use security groups.',
    );
  });

  it('may include a group that another project shares, but no other groups of other projects', async () => {
    const own = await group(cloud());
    const foreignGroup = await group(cloud(), cloud().other);
    const { ports } = cloud().member.network;
    const { id } = await portInGroup(cloud(), own);

    const before = await cloud().raw('network', 'PUT', `/ports/${id}`, {
      body: { port: { security_groups: [foreignGroup] } },
    });
    expectNeutronError(before, 404, 'SecurityGroupNotFound', `Security group ${foreignGroup} does not exist`);
    const policy = await share(cloud(), foreignGroup);
    expect((await ports.update(id, { security_groups: [own, foreignGroup] })).security_groups).toHaveLength(2);

    const { id: policyID, token } = policy;
    const deletion = await cloud().raw('network', 'DELETE', `/rbac-policies/${policyID}`, { token });
    expect(deletion.status).toBe(409);
    expect(deletion.text).toContain('RbacPolicyInUse');
    await ports.update(id, { security_groups: [own] });
    const ended = await cloud().raw('network', 'DELETE', `/rbac-policies/${policyID}`, { token });
    expect(ended.status).toBe(204);
  });

  it('must belong to the project for ports that Nova creates: a server with a foreign group ends in ERROR', async () => {
    const foreignGroup = await group(cloud(), cloud().other);
    await share(cloud(), foreignGroup);
    const { compute } = cloud().member;
    const network = await cloud().network();
    const [flavor, image] = [await cloud().smallestFlavor(), await cloud().anyImage()];

    const { id } = await compute.servers.create({
      name: cloud().name(),
      flavorRef: flavor.id,
      imageRef: image.id,
      networks: [{ uuid: network.id }],
      security_groups: [{ name: foreignGroup }],
    });
    cloud().deferServer(id);

    expect(await cloud().waitUntilSettled(id)).toMatchObject({ status: 'ERROR' });
  });
});
