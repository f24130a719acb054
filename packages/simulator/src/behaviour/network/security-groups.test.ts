import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstListed, listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork } from '../../test-resources.ts';

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud();
});
afterEach(() => test.cloud.close());

const GROUPS = '/network/v2.0/security-groups';
const RULES_PATH = '/network/v2.0/security-group-rules';

const makeGroup = (name = 'g') => test.demo.make(GROUPS, { security_group: { name } });

describe('security groups', () => {
  it('include a default group, whose members reach each other', async () => {
    const response = await test.demo.call('GET', GROUPS);
    const group = firstListed(response, 'security_groups');
    const rules = listed(await test.demo.call('GET', RULES_PATH), 'security_group_rules');
    const described = rules.map(({ direction, ethertype, remote_group_id: remote }) =>
      [direction, ethertype, remote === group.id ? 'own' : 'all'].join(' '),
    );

    expect(listed(response, 'security_groups')).toHaveLength(1);
    expect(group).toMatchObject({ name: 'default', description: 'Default security group' });
    expect(described.sort()).toEqual(['egress IPv4 all', 'egress IPv6 all', 'ingress IPv4 own', 'ingress IPv6 own']);
    expect((await test.demo.call('DELETE', `${GROUPS}/${group.id}`)).status).toBe(409);
    expect((await test.demo.call('POST', GROUPS, { security_group: { name: 'default' } })).status).toBe(409);
  });

  it('allow all egress from a new group', async () => {
    const group = await makeGroup();

    expect(group['security_group_rules']).toMatchObject([
      { direction: 'egress', ethertype: 'IPv4', protocol: null },
      { direction: 'egress', ethertype: 'IPv6', protocol: null },
    ]);
  });

  it('cannot be deleted while a port uses them', async () => {
    const group = await makeGroup();
    const { network } = await makeNetwork(test.demo);
    await test.demo.make('/network/v2.0/ports', { port: { network_id: network.id, security_groups: [group.id] } });

    const response = await test.demo.call('DELETE', `${GROUPS}/${group.id}`);

    expect(response.status).toBe(409);
    expect(response.body['NeutronError']).toMatchObject({
      type: 'SecurityGroupInUse',
      message: `Security Group ${group.id} in use.`,
    });
  });

  it('are deleted with their rules and with rules that refer to them', async () => {
    const [group, other] = [await makeGroup('a'), await makeGroup('b')];
    await test.demo.make(RULES_PATH, {
      security_group_rule: { security_group_id: other.id, direction: 'ingress', remote_group_id: group.id },
    });

    const response = await test.demo.call('DELETE', `${GROUPS}/${group.id}`);
    const rules = await test.demo.call(
      'GET',
      `${RULES_PATH}?security_group_id=${group.id}&security_group_id=${other.id}`,
    );

    expect(response.status).toBe(204);
    expect(rules.body['security_group_rules']).toHaveLength(2);
  });
});

describe('a rule', () => {
  it('is created in bulk, all or none', async () => {
    const group = await makeGroup();
    const rule = (port: number) => ({
      security_group_id: group.id,
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: port,
      port_range_max: port,
    });
    const good = await test.demo.call('POST', RULES_PATH, { security_group_rules: [rule(22), rule(443)] });
    const bad = await test.demo.call('POST', RULES_PATH, { security_group_rules: [rule(80), rule(22)] });
    const { body } = await test.demo.call('GET', `${GROUPS}/${group.id}`);

    expect(good.status).toBe(201);
    expect(bad.status).toBe(409);
    expect(bad.body['NeutronError']).toMatchObject({ type: 'SecurityGroupRuleExists' });
    expect(body['security_group']?.['security_group_rules']).toHaveLength(4);
  });

  it.each<[string, object]>([
    ['is the same with and without the prefix of all addresses', { remote_ip_prefix: '0.0.0.0/0' }],
    ['is the same with a description', { description: 'again' }],
  ])('%s', async (_name, fields) => {
    const group = await makeGroup();
    const rule = {
      security_group_id: group.id,
      direction: 'ingress',
      protocol: 'tcp',
      port_range_min: 22,
      port_range_max: 22,
    };
    const first = await test.demo.make(RULES_PATH, { security_group_rule: rule });
    const second = await test.demo.call('POST', RULES_PATH, { security_group_rule: { ...rule, ...fields } });

    expect(second.status).toBe(409);
    expect(second.body['NeutronError']?.['message']).toBe(
      `Security group rule already exists. Rule id is ${first.id}.`,
    );
  });

  it.each<[string, object, string]>([
    [
      'ports the wrong way round',
      { protocol: 'tcp', port_range_min: 9, port_range_max: 1 },
      'SecurityGroupInvalidPortRange',
    ],
    ['ports without a protocol', { port_range_min: 1, port_range_max: 9 }, 'SecurityGroupProtocolRequiredWithPorts'],
    [
      'a port that does not exist',
      { protocol: 'udp', port_range_min: 1, port_range_max: 70000 },
      'SecurityGroupInvalidPortValue',
    ],
    ['an unknown protocol', { protocol: 'carrier-pigeon' }, 'SecurityGroupRuleInvalidProtocol'],
    [
      'ports for a protocol without ports',
      { protocol: 'vrrp', port_range_min: 1, port_range_max: 2 },
      'SecurityGroupInvalidProtocolForPort',
    ],
    ['a prefix of the other IP version', { remote_ip_prefix: 'fd00::/8' }, 'SecurityGroupRuleParameterConflict'],
    [
      'two remotes',
      { remote_ip_prefix: '10.0.0.0/8', remote_group_id: '00000000-0000-4000-8000-000000000000' },
      'SecurityGroupMultipleRemoteEntites',
    ],
    ['an ICMP code without a type', { protocol: 'icmp', port_range_max: 1 }, 'SecurityGroupMissingIcmpType'],
  ])('is rejected with %s', async (_name, fields, type) => {
    const group = await makeGroup();

    const response = await test.demo.call('POST', RULES_PATH, {
      security_group_rule: { security_group_id: group.id, direction: 'ingress', ...fields },
    });

    expect(response.status).toBe(400);
    expect(response.body['NeutronError']?.['type']).toBe(type);
  });

  it("cannot be added to another project's group", async () => {
    const group = await makeGroup();

    const response = await test.other.call('POST', RULES_PATH, {
      security_group_rule: { security_group_id: group.id, direction: 'ingress' },
    });

    expect(response.status).toBe(404);
  });
});
