import type { World } from '../world.ts';
import type { SecurityGroup, SecurityGroupRule } from './records.ts';
import { newResource } from './stamp.ts';

export function ruleView(rule: SecurityGroupRule): object {
  return {
    ...rule,
    tenant_id: rule.project_id,
    normalized_cidr: rule.remote_ip_prefix,
    remote_address_group_id: null,
    belongs_to_default_sg: false,
  };
}

export function newRule(
  world: World,
  group: SecurityGroup,
  fields: Pick<SecurityGroupRule, 'direction' | 'ethertype'> & Partial<SecurityGroupRule>,
): SecurityGroupRule {
  return {
    ...newResource(world, group.project_id, fields.description),
    security_group_id: group.id,
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_group_id: null,
    ...fields,
  };
}
