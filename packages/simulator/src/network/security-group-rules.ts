import { z } from 'zod';
import { pythonRepr } from '../http/parse-body.ts';
import { isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { formatCidr, parseCidr } from './cidr.ts';
import { conflict, groupNotFound, refusalError, ruleNotFound } from './problem.ts';
import type { SecurityGroupRule } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { newRule, ruleView } from './rule-row.ts';
import { Description, ownerAttributes, Uuid } from './schema.ts';
import { networkTime } from './stamp.ts';

const Port = z.union([z.int(), z.string().regex(/^-?\d+$/)]).nullish();

const CreateRule = z.strictObject({
  ...ownerAttributes,
  description: Description.nullish(),
  security_group_id: Uuid,
  direction: z.enum(['ingress', 'egress']),
  ethertype: z.string().nullish(),
  protocol: z.union([z.string(), z.int()]).nullish(),
  port_range_min: Port,
  port_range_max: Port,
  remote_ip_prefix: z.string().nullish(),
  remote_group_id: Uuid.nullish(),
  remote_address_group_id: z.null().optional(),
});
const UpdateRule = z.strictObject({ description: Description.nullish() });

// biome-ignore format: one list
const PROTOCOLS = [
  'ah', 'dccp', 'egp', 'esp', 'gre', 'hopopt', 'icmp', 'igmp', 'ip', 'ipip', 'ipv6-encap', 'ipv6-frag', 'ipv6-icmp',
  'icmpv6', 'ipv6-nonxt', 'ipv6-opts', 'ipv6-route', 'ospf', 'pgm', 'rsvp', 'sctp', 'tcp', 'udp', 'udplite', 'vrrp',
];
const PORT_PROTOCOLS = ['tcp', 'udp', 'sctp', 'udplite', 'dccp', '6', '17', '33', '132', '136'];
const ICMP = ['icmp', 'ipv6-icmp', 'icmpv6', '1', '58'];

export function securityGroupRuleKind(
  world: World,
): ResourceKind<SecurityGroupRule, typeof CreateRule, typeof UpdateRule> {
  const { securityGroups, securityGroupRules } = world.tables;
  return {
    singular: 'security_group_rule',
    plural: 'security_group_rules',
    path: 'security-group-rules',
    table: securityGroupRules,
    createSchema: CreateRule,
    updateSchema: UpdateRule,
    adminAttributes: [],
    hiddenAttributes: [],
    missing: ruleNotFound,
    isSharedWith: (access, rule) => securityGroups.get(rule.security_group_id)?.project_id === access.projectId,
    create(access, _projectId, body) {
      const group = securityGroups.get(body.security_group_id);
      if (group === undefined || (group.project_id !== access.projectId && !isAdmin(access))) {
        throw groupNotFound(body.security_group_id);
      }
      const rule = newRule(world, group, ruleFields(world, body));
      refuseDuplicate(world, rule);
      securityGroups.put({ ...group, revision_number: group.revision_number + 1, updated_at: networkTime(world) });
      return rule;
    },
    update: (_access, rule, body) => ({ ...rule, description: body.description ?? rule.description }),
    remove(_access, rule) {
      const group = securityGroups.get(rule.security_group_id);
      if (group === undefined) return;
      securityGroups.put({ ...group, revision_number: group.revision_number + 1, updated_at: networkTime(world) });
    },
    derive: ruleView,
  };
}

type RuleFields = Pick<SecurityGroupRule, 'direction' | 'ethertype'> & Partial<SecurityGroupRule>;

function ruleFields(world: World, body: z.infer<typeof CreateRule>): RuleFields {
  const ethertype = parseEthertype(body.ethertype ?? 'IPv4');
  const protocol = parseProtocol(body.protocol ?? null);
  if (body.remote_ip_prefix != null && body.remote_group_id != null) {
    throw refusalError(
      'SecurityGroupMultipleRemoteEntites',
      'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.',
    );
  }
  if (body.remote_group_id != null && !world.tables.securityGroups.has(body.remote_group_id)) {
    throw groupNotFound(body.remote_group_id);
  }
  const [min, max] = parsePorts(protocol, toNumber(body.port_range_min), toNumber(body.port_range_max));
  return {
    direction: body.direction,
    ethertype,
    protocol,
    port_range_min: min,
    port_range_max: max,
    remote_ip_prefix: parsePrefix(body.remote_ip_prefix ?? null, ethertype),
    remote_group_id: body.remote_group_id ?? null,
    description: body.description ?? '',
  };
}

function parseEthertype(text: string): 'IPv4' | 'IPv6' {
  const known = (['IPv4', 'IPv6'] as const).find((type) => type.toLowerCase() === text.toLowerCase());
  if (known !== undefined) return known;
  throw refusalError(
    'SecurityGroupRuleInvalidEtherType',
    `Security group rule for ethertype '${text}' not supported. Allowed values are ['IPv4', 'IPv6'].`,
  );
}

function parseProtocol(value: string | number | null): string | null {
  if (value === null || value === 'any' || value === '') return null;
  const text = String(value).toLowerCase();
  if (PROTOCOLS.includes(text)) return text;
  if (/^\d+$/.test(text) && Number(text) <= 255) return text === '0' ? null : text;
  throw refusalError(
    'SecurityGroupRuleInvalidProtocol',
    `Security group rule protocol ${text} not supported. Only protocol values ${pythonRepr([null, ...PROTOCOLS])} and integer representations [0 to 255] are supported.`,
  );
}

function toNumber(value: string | number | null | undefined): number | null {
  return value == null ? null : Number(value);
}

function parsePorts(
  protocol: string | null,
  min: number | null,
  max: number | null,
): readonly [number | null, number | null] {
  if (min === null && max === null) return [null, null];
  if (protocol === null) {
    throw refusalError('SecurityGroupProtocolRequiredWithPorts', 'Must also specify protocol if port range is given.');
  }
  if (ICMP.includes(protocol)) {
    for (const [field, attr, value] of [
      ['type', 'port_range_min', min],
      ['code', 'port_range_max', max],
    ] as const) {
      if (value !== null && (value < 0 || value > 255)) {
        throw refusalError(
          'SecurityGroupInvalidIcmpValue',
          `Invalid value for ICMP ${field} (${attr}) ${value}. It must be 0 to 255.`,
        );
      }
    }
    if (min === null) {
      throw refusalError(
        'SecurityGroupMissingIcmpType',
        `ICMP code (port-range-max) ${max} is provided but ICMP type (port-range-min) is missing.`,
      );
    }
    return [min, max];
  }
  if (!PORT_PROTOCOLS.includes(protocol)) {
    throw refusalError(
      'SecurityGroupInvalidProtocolForPort',
      `Ports cannot be specified for protocol ${protocol}. Ports are only supported for ${pythonRepr(PORT_PROTOCOLS.slice(0, 5))}.`,
    );
  }
  for (const port of [min, max]) {
    if (port !== null && (port < 0 || port > 65535))
      throw refusalError('SecurityGroupInvalidPortValue', `Invalid value for port ${port}`);
  }
  if (min === null || max === null || min > max) {
    throw refusalError(
      'SecurityGroupInvalidPortRange',
      'For TCP/UDP protocols, port_range_min must be <= port_range_max',
    );
  }
  return [min, max];
}

function parsePrefix(text: string | null, ethertype: 'IPv4' | 'IPv6'): string | null {
  if (text === null || text === '') return null;
  const cidr = parseCidr(text);
  if (cidr === undefined) throw refusalError('InvalidCIDR', `Invalid CIDR ${text} given as IP prefix.`);
  if ((cidr.version === 4) !== (ethertype === 'IPv4')) {
    throw refusalError(
      'SecurityGroupRuleParameterConflict',
      `Conflicting value ethertype ${ethertype} for CIDR ${text}`,
    );
  }
  return formatCidr(cidr);
}

function refuseDuplicate(world: World, rule: SecurityGroupRule): void {
  const keyOf = (r: SecurityGroupRule): string =>
    JSON.stringify([
      r.direction,
      r.ethertype,
      canonicalProtocol(r.protocol),
      r.port_range_min,
      r.port_range_max,
      withoutAnyPrefix(r),
      r.remote_group_id,
    ]);
  const key = keyOf(rule);
  const known = world.indexes.rulesByGroup.of(rule.security_group_id).find((r) => keyOf(r) === key);
  if (known === undefined) return;
  throw conflict('SecurityGroupRuleExists', `Security group rule already exists. Rule id is ${known.id}.`);
}

/** The canonical form of a protocol: its name and number are equivalent. */
function canonicalProtocol(protocol: string | null): string | null {
  return protocol === null ? null : (PROTOCOL_NUMBERS[protocol] ?? protocol);
}

const PROTOCOL_NUMBERS: Readonly<Record<string, string>> = {
  icmp: '1',
  tcp: '6',
  udp: '17',
  'ipv6-icmp': '58',
  icmpv6: '58',
  sctp: '132',
};

/** An empty prefix and the prefix that covers all addresses are equivalent. */
function withoutAnyPrefix({ remote_ip_prefix: prefix }: SecurityGroupRule): string | null {
  return prefix === '0.0.0.0/0' || prefix === '::/0' ? null : prefix;
}
