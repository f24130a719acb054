import type { ClusterRole, PolicyRule, Role, RoleBinding } from '@fairway/kube/kinds/generated/types';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AdmissionPlugin, AdmissionRequest } from '../server/admission.ts';
import { createAuthorizer } from './create-auth.ts';
import { FakeObjectReader } from './object-reader-fake.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { createRbacEscalationPlugin } from './rbac-escalation.ts';
import type { UserInfo } from './user.ts';

const RBAC = 'rbac.authorization.k8s.io';
const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const secrets: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
const everything: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const allUrls = { verbs: ['*'], nonResourceURLs: ['*'] };
/** A user who may write roles and bindings and list pods in the namespace shop. */
const lead: UserInfo = { username: 'lead', groups: ['leads'] };
/** A user who has all permissions through RBAC but is not in system:masters. */
const root: UserInfo = { username: 'root', groups: [] };

let reader: FakeObjectReader;
let plugin: AdmissionPlugin;

beforeEach(() => {
  reader = new FakeObjectReader();
  const rbac = new RbacAuthorizer(reader);
  plugin = createRbacEscalationPlugin(rbac, createAuthorizer([rbac]));
  const own: PolicyRule = { verbs: ['create', 'update'], apiGroups: [RBAC], resources: ['roles', 'rolebindings'] };
  reader.put(Roles, { metadata: { namespace: 'shop', name: 'lead' }, rules: [own, pods] });
  reader.put(
    ClusterRoles,
    { metadata: { name: 'view' }, rules: [pods] },
    { metadata: { name: 'cluster-admin' }, rules: [everything, allUrls] },
  );
  bind('shop', 'Role', 'lead', lead);
  reader.put(ClusterRoleBindings, {
    metadata: { name: 'root' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', name: 'root' }],
  });
});

function bind(namespace: string, kind: string, role: string, user: UserInfo): void {
  reader.put(RoleBindings, {
    metadata: { namespace, name: `${user.username}-${role}` },
    roleRef: { apiGroup: RBAC, kind, name: role },
    subjects: [{ kind: 'User', name: user.username }],
  });
}

function binding(kind: string, name: string): RoleBinding {
  return {
    metadata: { name: 'new' },
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [{ kind: 'User', name: 'lead' }],
  };
}

async function write(
  user: UserInfo,
  type: ResourceType,
  namespace: string,
  object: KubeObject,
  oldObject?: KubeObject,
): Promise<string> {
  const request: AdmissionRequest = {
    user,
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    resource: { ...type, schema: {} },
    subresource: '',
    namespace,
    name: object.metadata.name ?? '',
    dryRun: false,
    object,
    oldObject,
    warn: () => undefined,
  };
  try {
    await plugin.validate?.(request);
    return 'allowed';
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const role = (...rules: PolicyRule[]): Role => ({ metadata: { name: 'new' }, rules });

describe('the RBAC escalation check', () => {
  const ESCALATION_ERROR = `403 roles.${RBAC} "new" is forbidden: user "lead" (groups=["leads"]) is attempting to grant RBAC permissions not currently held:\n`;

  test.each<[string, UserInfo, ResourceType, string, KubeObject, string]>([
    ['a role with permissions that the user has', lead, Roles, 'shop', role(pods), 'allowed'],
    [
      'a role with one more permission',
      lead,
      Roles,
      'shop',
      role(pods, secrets),
      `${ESCALATION_ERROR}{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    ],
    [
      'a role with all permissions',
      lead,
      Roles,
      'shop',
      role(everything),
      `${ESCALATION_ERROR}{APIGroups:["*"], Resources:["*"], Verbs:["*"]}`,
    ],
    ['the same permission in another namespace', lead, Roles, 'bank', role(pods), ESCALATION_ERROR],
    ['a namespaced permission, cluster-wide', lead, ClusterRoles, '', role(pods), '403 clusterroles'],
    ['a role with all permissions, by a user who has them', root, Roles, 'shop', role(everything), 'allowed'],
    [
      'a role with all permissions, by a member of system:masters',
      { username: 'm', groups: ['system:masters'] },
      Roles,
      'shop',
      role(everything),
      'allowed',
    ],
    [
      'a binding to a role with permissions that the user has',
      lead,
      RoleBindings,
      'shop',
      binding('ClusterRole', 'view'),
      'allowed',
    ],
    [
      'a binding to cluster-admin',
      lead,
      RoleBindings,
      'shop',
      binding('ClusterRole', 'cluster-admin'),
      `403 rolebindings.${RBAC} "new" is forbidden`,
    ],
    [
      'a binding to a role that does not exist',
      lead,
      RoleBindings,
      'shop',
      binding('ClusterRole', 'later'),
      `404 clusterrole.${RBAC} "later" not found`,
    ],
    [
      'a cluster-wide binding',
      lead,
      ClusterRoleBindings,
      '',
      binding('ClusterRole', 'view'),
      '403 clusterrolebindings',
    ],
    [
      'a cluster-wide binding by a user who has all permissions',
      root,
      ClusterRoleBindings,
      '',
      binding('ClusterRole', 'cluster-admin'),
      'allowed',
    ],
  ])('%s', async (_name, user, type, namespace, object, expected) => {
    const response = await write(user, type, namespace, object);
    expect(expected === 'allowed' ? response : response.slice(0, expected.length)).toBe(expected);
  });

  test('also applies to updates of a role', async () => {
    expect(await write(lead, Roles, 'shop', role(pods, secrets), role(pods))).toMatch(/^403/);
    expect(await write(lead, Roles, 'shop', role(), role(pods))).toBe('allowed');
  });

  test('lets the garbage collector remove an owner reference from a role that it is not otherwise allowed to write', async () => {
    const collector: UserInfo = { username: 'system:serviceaccount:kube-system:generic-garbage-collector', groups: [] };
    const owners = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '1' }];
    const old = { metadata: { name: 'big', ownerReferences: owners, resourceVersion: '1' }, rules: [everything] };
    const now = { metadata: { name: 'big', resourceVersion: '1' }, rules: [everything] };
    expect(await write(collector, Roles, 'shop', now, old)).toBe('allowed');
    expect(
      await write(collector, Roles, 'shop', { ...now, metadata: { name: 'big', labels: { a: 'b' } } }, old),
    ).toMatch(/^403/);
  });

  test('requires full permissions for writing an aggregated role, because its rules are unknown', async () => {
    const aggregated = (...rules: PolicyRule[]): ClusterRole => ({
      metadata: { name: 'new' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
      rules,
    });
    expect(await write(lead, ClusterRoles, '', aggregated())).toBe(
      `403 clusterroles.${RBAC} "new" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    );
    expect(await write(root, ClusterRoles, '', aggregated(everything))).toBe('allowed');
  });
});

describe('the verb', () => {
  const grant = (rule: PolicyRule) => {
    reader.put(Roles, { metadata: { namespace: 'shop', name: 'extra' }, rules: [rule] });
    bind('shop', 'Role', 'extra', lead);
  };

  test('escalate allows writing any role', async () => {
    grant({ verbs: ['escalate'], apiGroups: [RBAC], resources: ['roles'] });
    expect(await write(lead, Roles, 'shop', role(everything))).toBe('allowed');
    expect(await write(lead, RoleBindings, 'shop', binding('ClusterRole', 'cluster-admin'))).toMatch(/^403/);
  });

  test('bind allows binding one role in one namespace', async () => {
    grant({ verbs: ['bind'], apiGroups: [RBAC], resources: ['clusterroles'], resourceNames: ['cluster-admin'] });
    expect(await write(lead, RoleBindings, 'shop', binding('ClusterRole', 'cluster-admin'))).toBe('allowed');
    expect(await write(lead, RoleBindings, 'bank', binding('ClusterRole', 'cluster-admin'))).toMatch(/^403/);
    expect(await write(lead, ClusterRoleBindings, '', binding('ClusterRole', 'cluster-admin'))).toMatch(/^403/);
  });
});
