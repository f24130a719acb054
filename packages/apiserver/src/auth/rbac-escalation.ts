import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from '@fairway/kube/kinds/generated/types';
import { ApiError, forbidden } from '@fairway/kube/object/api-error';
import { cloneJson, jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { AdmissionPlugin, AdmissionRequest } from '../server/admission.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import { describeRules, quoteList, uncoveredRules } from './rbac-rules.ts';
import type { Authorizer } from './user.ts';
import { isMaster } from './well-known-users.ts';

const RBAC = 'rbac.authorization.k8s.io';
const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Prevents privilege escalation (pkg/registry/rbac). A role may contain only rules that are covered by its writer's own
 * rules, unless the writer may `escalate` the role. A binding may reference only a role whose rules are covered by its
 * writer's own rules, unless the writer may `bind` the role.
 */
export function createRbacEscalationPlugin(rbac: RbacAuthorizer, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    async validate(request) {
      const { resource, operation, user, object } = request;
      if (resource.group !== RBAC || request.subresource !== '' || object === undefined) return;
      if ((operation !== 'CREATE' && operation !== 'UPDATE') || isMaster(user)) return;
      switch (resource.plural) {
        case 'roles':
        case 'clusterroles':
          await confirmRole(rbac, authorizer, request, object);
          break;
        case 'rolebindings':
        case 'clusterrolebindings':
          await confirmBinding(rbac, authorizer, request, object as RoleBinding | ClusterRoleBinding);
          break;
        default:
      }
    },
  };
}

async function confirmRole(
  rbac: RbacAuthorizer,
  authorizer: Authorizer,
  request: AdmissionRequest,
  role: Role | ClusterRole,
): Promise<void> {
  // The name of a new object is in its body, which authorizers do not see.
  const name = request.operation === 'CREATE' ? '' : request.name;
  if (await isAllowed(authorizer, request, 'escalate', request.resource.plural, name)) return;
  if (isForGarbageCollectorOnly(role, request.oldObject)) return;
  rejectUncoveredRules(rbac, request, role.rules ?? []);
  if (!isAggregating(role) && !isAggregating(request.oldObject)) return;
  // The rules of an aggregated role cannot be known in advance: writing one requires all permissions.
  if (uncovered(rbac, request, FULL_AUTHORITY).length > 0) {
    throw forbiddenError(request, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

async function confirmBinding(
  rbac: RbacAuthorizer,
  authorizer: Authorizer,
  request: AdmissionRequest,
  binding: RoleBinding | ClusterRoleBinding,
): Promise<void> {
  if (isForGarbageCollectorOnly(binding, request.oldObject)) return;
  const { kind, name } = binding.roleRef;
  const resource = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (await isAllowed(authorizer, request, 'bind', resource, name)) return;
  const rules = rbac.rulesOfReference(binding.roleRef, request.namespace);
  if (rules instanceof ApiError) throw rules;
  rejectUncoveredRules(rbac, request, rules);
}

async function isAllowed(
  authorizer: Authorizer,
  { user, namespace }: AdmissionRequest,
  verb: string,
  resource: string,
  name: string,
): Promise<boolean> {
  const attributes = { user, verb, group: RBAC, version: '*', resource, subresource: '', namespace, name };
  return (await authorizer.authorize(attributes)).allowed;
}

function rejectUncoveredRules(rbac: RbacAuthorizer, request: AdmissionRequest, rules: readonly PolicyRule[]): void {
  const missing = uncovered(rbac, request, rules);
  if (missing.length === 0) return;
  const who = `user ${JSON.stringify(request.user.username)} (groups=${quoteList(request.user.groups)})`;
  const lines = describeRules(missing).join('\n');
  throw forbiddenError(request, `${who} is attempting to grant RBAC permissions not currently held:\n${lines}`);
}

function uncovered(rbac: RbacAuthorizer, { user, namespace }: AdmissionRequest, rules: readonly PolicyRule[]) {
  return uncoveredRules(rbac.rulesFor(user, namespace).rules, rules);
}

function forbiddenError({ resource, name }: AdmissionRequest, detail: string): ApiError {
  return forbidden({ group: resource.group, resource: resource.plural, name }, detail);
}

function isAggregating(role: ClusterRole | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/** Lets the garbage collector remove owners and finalizers from roles that it is not otherwise allowed to write. */
function isForGarbageCollectorOnly(object: KubeObject, old: KubeObject | undefined): boolean {
  return old !== undefined && jsonEqual(withoutBookkeeping(object), withoutBookkeeping(old));
}

function withoutBookkeeping(object: KubeObject): KubeObject {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...metadata } = object.metadata;
  delete metadata.resourceVersion;
  delete metadata.generation;
  return cloneJson({ ...object, metadata });
}
