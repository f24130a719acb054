import { z } from 'zod';
import { ApiError, type ApiRequest, created, noContent, ok, type Route } from '../http/api.ts';
import { type Access, canSee, canWrite, isAdmin } from '../identity/access.ts';
import type { World } from '../world.ts';
import { parseAttributes } from './parse.ts';
import {
  badRequest,
  conflict,
  disallowed,
  groupNotFound,
  invalidInput,
  missing,
  networkNotFound,
  refusalError,
} from './problem.ts';
import { listResponse } from './query.ts';
import type { RbacPolicy } from './records.ts';
import { ownerAttributes, Uuid } from './schema.ts';

const ALL_PROJECTS = '*';

const CreatePolicy = z.strictObject({
  object_type: z.string(),
  object_id: Uuid,
  action: z.string(),
  target_tenant: z.string(),
  project_id: ownerAttributes.project_id,
  tenant_id: ownerAttributes.tenant_id,
});

type ObjectType = RbacPolicy['object_type'];
type Action = RbacPolicy['action'];

/** Neutron also supports access_as_external for networks, which the simulator does not. */
const ACTIONS: readonly Action[] = ['access_as_shared'];

/** Whether the object is shared with the project, or with all projects. */
export function isSharedByPolicy({ indexes }: World, objectId: string, projectId: string): boolean {
  return indexes.policiesByObject
    .of(objectId)
    .some(({ target_tenant }) => [projectId, ALL_PROJECTS].includes(target_tenant));
}

/** Deletes the RBAC policies of an object that is being deleted. */
export function deletePolicies({ tables, indexes }: World, objectId: string): void {
  for (const { id } of indexes.policiesByObject.of(objectId)) tables.rbacPolicies.delete(id);
}

/**
 * https://docs.openstack.org/api-ref/network/v2/#rbac-policies: with these policies a project shares its networks and
 * security groups with another project, without requiring that project's consent.
 */
export function rbacPolicyRoutes(world: World): Route[] {
  const { rbacPolicies } = world.tables;
  const collection = '/v2.0/rbac-policies';
  const item = `${collection}/{id}`;
  return [
    {
      method: 'GET',
      template: collection,
      handle: (request) => {
        const seen = rbacPolicies.where(({ project_id }) => canSee(request.access, project_id));
        return ok(listResponse(request, 'rbac_policies', seen.map(viewOf), FILTERS, policyNotFound));
      },
    },
    {
      method: 'POST',
      template: collection,
      handle: (request) => created({ rbac_policy: viewOf(create(world, request)) }),
    },
    {
      method: 'GET',
      template: item,
      handle: (request) => ok({ rbac_policy: viewOf(findOwnPolicy(world, request)) }),
    },
    {
      method: 'DELETE',
      template: item,
      handle: (request) => {
        const policy = findOwnPolicy(world, request);
        if (!canWrite(request.access)) throw disallowed('delete_rbac_policy');
        refusePolicyInUse(world, policy);
        rbacPolicies.delete(policy.id);
        return noContent;
      },
    },
  ];
}

const FILTERS: ReadonlySet<string> = new Set([
  'id',
  'object_type',
  'object_id',
  'action',
  'target_tenant',
  'project_id',
  'tenant_id',
]);

function viewOf(policy: RbacPolicy): Record<string, unknown> {
  return { ...policy, tenant_id: policy.project_id };
}

function policyNotFound(id: string): ApiError {
  return missing('RbacPolicyNotFound', `RBAC policy of type unknown with ID ${id} not found`);
}

function create(world: World, { access, body }: ApiRequest): RbacPolicy {
  const requested = (body as { rbac_policy?: unknown } | null)?.rbac_policy;
  if (typeof requested !== 'object' || requested === null)
    throw badRequest("Unable to find 'rbac_policy' in request body");
  const attributes = parseAttributes(CreatePolicy, requested);
  const { object_id, target_tenant } = attributes;
  if (!canWrite(access)) throw disallowed('create_rbac_policy');
  if (target_tenant === ALL_PROJECTS && !isAdmin(access)) {
    const message = '(rule:create_rbac_policy and rule:create_rbac_policy:target_tenant) is disallowed by policy';
    throw new ApiError(403, message, { type: 'PolicyNotAuthorized' });
  }
  const object_type = parseType(attributes.object_type);
  requireOwner(world, access, object_type, object_id);
  const action = parseAction(object_type, attributes.action);
  const { rbacPolicies } = world.tables;
  const same = rbacPolicies.find(
    (each) => each.object_id === object_id && each.target_tenant === target_tenant && each.action === action,
  );
  if (same) throw conflict('DuplicateRbacPolicy', 'An RBAC policy already exists with those values.');
  return rbacPolicies.put({
    id: world.ids.uuid(),
    object_type,
    object_id,
    action,
    target_tenant,
    project_id: access.projectId,
  });
}

function parseType(text: string): ObjectType {
  const type = text.trim().toLowerCase();
  if (type === 'network' || type === 'security_group') return type;
  throw invalidInput(`'${text}' is not a valid RBAC object type`);
}

function parseAction(type: ObjectType, text: string): Action {
  const action = ACTIONS.find((each) => each === text);
  if (action !== undefined) return action;
  const valid = ACTIONS.map((action) => `'${action}'`).join(', ');
  throw refusalError(
    'InvalidActionForType',
    `Invalid action '${text}' for object type '${type}'. Valid actions: (${valid})`,
  );
}

/** Requires the caller to own the object. The error depends on whether the object is shared with the caller. */
function requireOwner(world: World, access: Access, type: ObjectType, id: string): void {
  const { networks, securityGroups } = world.tables;
  const object = type === 'network' ? networks.get(id) : securityGroups.get(id);
  const isOwner = object !== undefined && (object.project_id === access.projectId || isAdmin(access));
  if (isOwner) return;
  const isSeen = object !== undefined && isSharedByPolicy(world, id, access.projectId);
  if (!isSeen) throw type === 'network' ? networkNotFound(id) : groupNotFound(id);
  const objects = type === 'network' ? 'networks' : 'objects';
  throw invalidInput(`Only admins can manipulate policies on ${objects} they do not own`);
}

function findOwnPolicy(world: World, { access, params }: ApiRequest): RbacPolicy {
  const id = params['id'] ?? '';
  const policy = world.tables.rbacPolicies.get(id);
  if (policy === undefined || !canSee(access, policy.project_id)) throw policyNotFound(id);
  return policy;
}

/** Throws if another project has ports in the network or security group, which must then stay shared. */
function refusePolicyInUse(world: World, { object_type, object_id, target_tenant }: RbacPolicy): void {
  const { tables, indexes } = world;
  const isNetwork = object_type === 'network';
  const owner = (isNetwork ? tables.networks : tables.securityGroups).get(object_id)?.project_id;
  const users = isNetwork
    ? indexes.portsByNetwork.of(object_id)
    : tables.ports.where((port) => port.security_groups.includes(object_id));
  const isUsed = users.some(({ project_id: user }) => user !== owner && [user, ALL_PROJECTS].includes(target_tenant));
  if (!isUsed) return;
  if (!isNetwork) {
    throw conflict(
      'RbacPolicyInUse',
      `RBAC policy on object ${object_id} cannot be removed because other objects depend on it.\nDetails: Security group is in use`,
    );
  }
  throw conflict(
    'RbacPolicyInUse',
    `RBAC policy on object ${object_id} cannot be removed because other objects depend on it.\nDetails: Unable to reconfigure sharing settings for network ${object_id}. Multiple projects are using it.`,
  );
}
