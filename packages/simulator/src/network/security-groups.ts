import { z } from 'zod';
import type { World } from '../world.ts';
import { badRequest, conflict, groupNotFound } from './problem.ts';
import { deletePolicies, isSharedByPolicy } from './rbac-policies.ts';
import type { SecurityGroup } from './records.ts';
import type { ResourceKind } from './resource.ts';
import { newRule, ruleView } from './rule-row.ts';
import { Description, Flag, Name, ownerAttributes } from './schema.ts';
import { newResource } from './stamp.ts';

const mutable = { name: Name.optional(), description: Description.nullish(), stateful: Flag.optional() };
const CreateGroup = z.strictObject({ ...mutable, ...ownerAttributes });
const UpdateGroup = z.strictObject(mutable);

export function securityGroupKind(world: World): ResourceKind<SecurityGroup, typeof CreateGroup, typeof UpdateGroup> {
  const { securityGroups, securityGroupRules, ports } = world.tables;
  return {
    singular: 'security_group',
    plural: 'security_groups',
    path: 'security-groups',
    table: securityGroups,
    createSchema: CreateGroup,
    updateSchema: UpdateGroup,
    adminAttributes: [],
    hiddenAttributes: [],
    missing: groupNotFound,
    isSharedWith: (access, group) => isSharedByPolicy(world, group.id, access.projectId),
    prepare: (access) => {
      if (access.projectId !== '') ensureDefaultGroup(world, access.projectId);
    },
    create(_access, projectId, body) {
      if (body.name === 'default') {
        throw conflict('SecurityGroupDefaultAlreadyExists', 'Default security group already exists.');
      }
      ensureDefaultGroup(world, projectId);
      const group = newGroup(world, projectId, body.name ?? '', body.description ?? '', body.stateful ?? true);
      addRules(world, group, false);
      return group;
    },
    update(_access, group, body) {
      if (group.name === 'default' && body.name !== undefined && body.name !== 'default') {
        throw conflict('SecurityGroupCannotUpdateDefault', 'Updating default security group not allowed.');
      }
      if (body.name === 'default' && group.name !== 'default') {
        throw badRequest('Invalid input for name. Reason: Default security group name is not allowed.');
      }
      return {
        ...group,
        name: body.name ?? group.name,
        description: body.description ?? group.description,
        stateful: body.stateful ?? group.stateful,
      };
    },
    remove(access, group) {
      if (group.name === 'default' && !access.roles.includes('admin')) {
        throw conflict('SecurityGroupCannotRemoveDefault', 'Insufficient rights for removing default security group.');
      }
      if (ports.find((port) => port.security_groups.includes(group.id)) !== undefined) {
        throw conflict('SecurityGroupInUse', `Security Group ${group.id} in use.`);
      }
      const remote = securityGroupRules.where((rule) => rule.remote_group_id === group.id);
      for (const rule of remote) securityGroupRules.delete(rule.id);
      for (const rule of world.indexes.rulesByGroup.of(group.id)) securityGroupRules.delete(rule.id);
      deletePolicies(world, group.id);
    },
    derive: (group, access) => ({
      shared: isSharedByPolicy(world, group.id, access.projectId),
      security_group_rules: world.indexes.rulesByGroup.of(group.id).map(ruleView),
    }),
  };
}

/** Returns a project's default group. Neutron creates it when the project first uses the network API. */
export function ensureDefaultGroup(world: World, projectId: string): SecurityGroup {
  const { securityGroups } = world.tables;
  const known = securityGroups.find((group) => group.project_id === projectId && group.name === 'default');
  if (known !== undefined) return known;
  const group = securityGroups.put(newGroup(world, projectId, 'default', 'Default security group', true));
  addRules(world, group, true);
  return group;
}

function newGroup(
  world: World,
  projectId: string,
  name: string,
  description: string,
  stateful: boolean,
): SecurityGroup {
  return { ...newResource(world, projectId, description), name, stateful };
}

/** Adds the rules of a new group: all egress is allowed and, in the default group, ingress from members. */
function addRules(world: World, group: SecurityGroup, isDefault: boolean): void {
  for (const ethertype of ['IPv4', 'IPv6'] as const) {
    world.tables.securityGroupRules.put(newRule(world, group, { direction: 'egress', ethertype }));
    if (isDefault) {
      world.tables.securityGroupRules.put(
        newRule(world, group, { direction: 'ingress', ethertype, remote_group_id: group.id }),
      );
    }
  }
}
