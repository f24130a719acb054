import { expect, it } from 'vitest';
import { type ContractCloud } from './contract-cloud.ts';
import { expectNeutronError } from './neutron-error.ts';
import { describeClouds } from './targets.ts';

const POLICIES = '/rbac-policies';

/** Another project's network, subnet and security group, with the other project's description. */
async function otherProjectsResources(cloud: ContractCloud) {
  if (cloud.other === undefined) throw new Error('the cloud has no second project to test with');
  const { networks, subnets, securityGroups } = cloud.other.network;
  const description = 'Fairway cluster 123e4567-e89b-42d3-a456-426614174000 network';
  const network = await networks.create({ name: cloud.name(), description });
  cloud.defer(() => networks.delete(network.id));
  const subnet = await subnets.create({ network_id: network.id, ip_version: 4, cidr: '10.124.0.0/24', description });
  const group = await securityGroups.create({ name: cloud.name(), description });
  cloud.defer(() => securityGroups.delete(group.id));
  return { network, subnet, group, description, projectID: await cloud.other.session.projectId() };
}

async function share(cloud: ContractCloud, policy: object): Promise<Awaited<ReturnType<ContractCloud['raw']>>> {
  const token = (await cloud.other?.session.token())?.id ?? '';
  return cloud.raw('network', 'POST', POLICIES, { token, body: { rbac_policy: policy } });
}

describeClouds('a network shared by another project', (cloud) => {
  it('is listed in a project that did not request it, with the owner’s description', async () => {
    const { network, subnet, group, description, projectID } = await otherProjectsResources(cloud());
    const target_tenant = await cloud().member.session.projectId();
    const action = 'access_as_shared';
    const { networks, subnets, securityGroups } = cloud().member.network;
    expect(await Array.fromAsync(networks.list({ id: [network.id] }))).toEqual([]);

    const shared = await share(cloud(), { object_type: 'network', object_id: network.id, action, target_tenant });
    await share(cloud(), { object_type: 'security_group', object_id: group.id, action, target_tenant });

    expect(shared).toMatchObject({
      status: 201,
      json: { rbac_policy: { object_type: 'network', object_id: network.id, action, target_tenant } },
    });
    const mark = { project_id: projectID, description };
    const seen = {
      networks: await Array.fromAsync(networks.list({ description })),
      subnets: await Array.fromAsync(subnets.list({ description })),
      groups: await Array.fromAsync(securityGroups.list({ description })),
    };
    expect(seen).toMatchObject({
      networks: [{ id: network.id, shared: true, ...mark }],
      subnets: [{ id: subnet.id, ...mark }],
      groups: [{ id: group.id, ...mark }],
    });
    expect(await cloud().other?.network.networks.get(network.id)).toMatchObject({ shared: false });
    expect(await Array.fromAsync(networks.list({ description, project_id: target_tenant }))).toEqual([]);
  });

  it('can only be changed and deleted by its owner', async () => {
    const { network, group } = await otherProjectsResources(cloud());
    const target_tenant = await cloud().member.session.projectId();
    const action = 'access_as_shared';
    await share(cloud(), { object_type: 'network', object_id: network.id, action, target_tenant });
    await share(cloud(), { object_type: 'security_group', object_id: group.id, action, target_tenant });
    const { networks, securityGroups } = cloud().member.network;

    await expect(networks.delete(network.id)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(securityGroups.delete(group.id)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('disappears from the project when it is no longer shared', async () => {
    const { network } = await otherProjectsResources(cloud());
    const target_tenant = await cloud().member.session.projectId();
    const policy = { object_type: 'network', object_id: network.id, action: 'access_as_shared', target_tenant };
    const { json } = await share(cloud(), policy);
    const { id } = (json as { rbac_policy: { id: string } }).rbac_policy;
    const token = (await cloud().other?.session.token())?.id ?? '';

    const removed = await cloud().raw('network', 'DELETE', `${POLICIES}/${id}`, { token });

    expect(removed.status).toBe(204);
    await expect(cloud().member.network.networks.get(network.id)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it.each([
    { reason: 'all projects at once', status: 403, type: 'PolicyNotAuthorized', policy: { target_tenant: '*' } },
    {
      reason: 'an object type that cannot be shared',
      status: 400,
      type: 'InvalidInput',
      policy: { object_type: 'port' },
    },
    {
      reason: 'an access that does not exist',
      status: 400,
      type: 'InvalidActionForType',
      policy: { action: 'access_as_owner' },
    },
  ])('cannot be shared for $reason', async ({ status, type, policy }) => {
    const { network } = await otherProjectsResources(cloud());
    const target_tenant = await cloud().member.session.projectId();
    const action = 'access_as_shared';

    const response = await share(cloud(), {
      object_type: 'network',
      object_id: network.id,
      action,
      target_tenant,
      ...policy,
    });

    expectNeutronError(response, status, type);
  });
});
