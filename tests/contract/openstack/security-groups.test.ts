import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { expectNeutronError } from './neutron-error.ts';
import { describeClouds } from './targets.ts';

async function group(cloud: ContractCloud): Promise<SecurityGroup> {
  const { securityGroups } = cloud.member.network;
  const created = await securityGroups.create({ name: cloud.name(), description: 'mine' });
  cloud.defer(() => securityGroups.delete(created.id));
  return created;
}

const SSH = {
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: 'tcp',
  port_range_min: 22,
  port_range_max: 22,
} as const;

describeClouds('security groups', (cloud) => {
  it('allow all outbound and no inbound traffic', async () => {
    const created = await group(cloud());

    expect(created).toMatchObject({ description: 'mine', stateful: true, tags: [] });
    const rules = created.security_group_rules.map(({ direction, ethertype, protocol }) => ({
      direction,
      ethertype,
      protocol,
    }));
    expect(rules).toHaveLength(2);
    expect(rules).toEqual(
      expect.arrayContaining([
        { direction: 'egress', ethertype: 'IPv4', protocol: null },
        { direction: 'egress', ethertype: 'IPv6', protocol: null },
      ]),
    );
  });

  it('accept several rules in one call, all or none', async () => {
    const { securityGroups, securityGroupRules } = cloud().member.network;
    const { id: security_group_id } = await group(cloud());

    const [ssh, icmp, own] = await securityGroupRules.createMany([
      { security_group_id, ...SSH, remote_ip_prefix: '192.0.2.0/24', description: 'ssh' },
      { security_group_id, direction: 'ingress', protocol: 'icmp' },
      { security_group_id, direction: 'ingress', ethertype: 'IPv6', remote_group_id: security_group_id },
    ]);

    expect(ssh).toMatchObject({ ...SSH, remote_ip_prefix: '192.0.2.0/24', remote_group_id: null, description: 'ssh' });
    expect(icmp).toMatchObject({ ethertype: 'IPv4', protocol: 'icmp', port_range_min: null });
    expect(own).toMatchObject({ protocol: null, remote_group_id: security_group_id });
    const repeated = await cloud().raw('network', 'POST', '/security-group-rules', {
      body: {
        security_group_rules: [
          { security_group_id, ...SSH, port_range_min: 80, port_range_max: 80 },
          { security_group_id, ...SSH, remote_ip_prefix: '192.0.2.0/24' },
        ],
      },
    });
    expectNeutronError(
      repeated,
      409,
      'SecurityGroupRuleExists',
      `Security group rule already exists. Rule id is ${ssh?.id}.`,
    );
    expect((await securityGroups.get(security_group_id)).security_group_rules).toHaveLength(5);
    await securityGroupRules.delete(ssh?.id ?? '');
    const remaining = await Array.fromAsync(securityGroupRules.list({ security_group_id, direction: 'ingress' }));
    expect(new Set(remaining.map((rule) => rule.id))).toEqual(new Set([icmp?.id, own?.id]));
  });

  it.each<{ reason: string; status: number; type: string; message?: string | RegExp; change: object }>([
    {
      reason: 'a rule that already exists, with its protocol as a number',
      status: 409,
      type: 'SecurityGroupRuleExists',
      message: /^Security group rule already exists\. Rule id is \S+\.$/,
      change: { protocol: 6 },
    },
    {
      reason: 'a rule with ports but no protocol',
      status: 400,
      type: 'SecurityGroupProtocolRequiredWithPorts',
      message: 'Must also specify protocol if port range is given.',
      change: { protocol: undefined },
    },
    {
      reason: 'a rule with ports in the wrong order',
      status: 400,
      type: 'SecurityGroupInvalidPortRange',
      message: 'For TCP/UDP protocols, port_range_min must be <= port_range_max',
      change: { port_range_min: 30 },
    },
    {
      reason: 'a rule with an invalid port',
      status: 400,
      type: 'SecurityGroupInvalidPortValue',
      message: 'Invalid value for port 70000',
      change: { port_range_max: 70_000 },
    },
    {
      reason: 'a rule with an invalid prefix',
      status: 400,
      type: 'InvalidCIDR',
      message: 'Invalid CIDR x given as IP prefix.',
      change: { remote_ip_prefix: 'x' },
    },
    {
      reason: 'a rule with a prefix of another family',
      status: 400,
      type: 'SecurityGroupRuleParameterConflict',
      message: 'Conflicting value ethertype IPv4 for CIDR ::/0',
      change: { remote_ip_prefix: '::/0' },
    },
    {
      reason: 'a rule with a prefix and a group',
      status: 400,
      type: 'SecurityGroupMultipleRemoteEntites',
      change: { remote_ip_prefix: '10.0.0.0/8', remote_group_id: NO_SUCH_ID },
    },
    {
      reason: 'a rule without a group',
      status: 404,
      type: 'SecurityGroupNotFound',
      message: `Security group ${NO_SUCH_ID} does not exist`,
      change: { security_group_id: NO_SUCH_ID },
    },
    {
      reason: 'a rule with an unknown direction',
      status: 400,
      type: 'HTTPBadRequest',
      message: 'Invalid input for direction. Reason: in is not in valid_values.',
      change: { direction: 'in' },
    },
    {
      reason: 'a rule with an unknown protocol',
      status: 400,
      type: 'SecurityGroupRuleInvalidProtocol',
      message: /^Security group rule protocol foo not supported\. Only protocol values /,
      change: { protocol: 'foo' },
    },
  ])('refuse $reason', async ({ status, type, message, change }) => {
    const { id: security_group_id } = await group(cloud());
    await cloud().member.network.securityGroupRules.create({ security_group_id, ...SSH });

    const response = await cloud().raw('network', 'POST', '/security-group-rules', {
      body: { security_group_rule: { security_group_id, ...SSH, ...change } },
    });

    expectNeutronError(response, status, type, message);
  });

  it('are not deleted while a port has them', async () => {
    const { ports } = cloud().member.network;
    const { id } = await group(cloud());
    const { id: network_id } = await cloud().network('10.70.0.0/24');
    const port = await ports.create({ network_id, security_groups: [id] });
    cloud().defer(() => ports.delete(port.id));

    expect(port.security_groups).toEqual([id]);
    const response = await cloud().raw('network', 'DELETE', `/security-groups/${id}`);
    expectNeutronError(response, 409, 'SecurityGroupInUse', `Security Group ${id} in use.`);
  });

  it('include a default group, which is permanent and unique', async () => {
    const { securityGroups } = cloud().member.network;
    const [only, ...more] = await Array.fromAsync(securityGroups.list({ name: 'default' }));

    expect(more).toEqual([]);
    expect(only?.security_group_rules).toHaveLength(4);
    expect(only?.security_group_rules.filter((rule) => rule.remote_group_id === only.id)).toHaveLength(2);
    // Ports of other tests may use it.
    const kept = /^SecurityGroup(CannotRemoveDefault|InUse)$/;
    const deletion = await cloud().raw('network', 'DELETE', `/security-groups/${only?.id}`);
    expect(deletion.status).toBe(409);
    expect(deletion.json).toMatchObject({ NeutronError: { type: expect.stringMatching(kept) } });
    expectNeutronError(
      await cloud().raw('network', 'POST', '/security-groups', { body: { security_group: { name: 'default' } } }),
      409,
      'SecurityGroupDefaultAlreadyExists',
      'Default security group already exists.',
    );
  });
});
