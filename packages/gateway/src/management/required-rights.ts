import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { AUTHENTICATION_CONFIG } from '@fairway/apiserver/auth/delegated/client-authority';
import { SelfSubjectAccessReviews } from '@fairway/apiserver/auth/delegated/review-types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';
import { WEBHOOK_NAME } from '../webhook/webhook-configuration.ts';
import { GATEWAY_CA_SECRET } from './gateway-ca.ts';

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const AUTHENTICATION_RIGHTS = 'authentication.k8s.io';
const WEBHOOK_RIGHTS = { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' };

const RIGHTS: readonly Right[] = [
  { verb: 'create', group: AUTHENTICATION_RIGHTS, resource: 'tokenreviews' },
  { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
  { verb: 'impersonate', group: '', resource: 'users' },
  { verb: 'impersonate', group: '', resource: 'groups' },
  { verb: 'impersonate', group: '', resource: 'serviceaccounts' },
  { verb: 'impersonate', group: AUTHENTICATION_RIGHTS, resource: 'uids' },
  { verb: 'watch', group: '', resource: 'configmaps', ...AUTHENTICATION_CONFIG },
  { verb: 'watch', group: '', resource: 'secrets', namespace: SYSTEM_NAMESPACE, name: GATEWAY_CA_SECRET },
  { verb: 'update', group: '', resource: 'secrets', namespace: SYSTEM_NAMESPACE, name: GATEWAY_CA_SECRET },
  { verb: 'create', ...WEBHOOK_RIGHTS },
  { verb: 'watch', ...WEBHOOK_RIGHTS, name: WEBHOOK_NAME },
  { verb: 'update', ...WEBHOOK_RIGHTS, name: WEBHOOK_NAME },
];

const NAMESPACES = { group: '', resource: 'namespaces' };
const ROLE_BINDING_RIGHTS = { group: 'rbac.authorization.k8s.io', resource: 'rolebindings' };

/** Needed for Keystone projects' namespaces. */
const KEYSTONE_RIGHTS: readonly Right[] = [
  { verb: 'create', ...NAMESPACES },
  { verb: 'patch', ...NAMESPACES },
  { verb: 'delete', ...NAMESPACES },
  { verb: 'list', ...ROLE_BINDING_RIGHTS },
  { verb: 'create', ...ROLE_BINDING_RIGHTS },
  { verb: 'patch', ...ROLE_BINDING_RIGHTS },
  { verb: 'delete', ...ROLE_BINDING_RIGHTS },
];

const CONFIG_MAP_RIGHTS = { group: '', resource: 'configmaps' };
const RESOURCE_QUOTA_RIGHTS = { group: '', resource: 'resourcequotas' };

/** Needed for requests that Magnum's API makes with Fairway's own identity. */
const MAGNUM_RIGHTS: readonly Right[] = [
  { verb: 'list', ...CONFIG_MAP_RIGHTS },
  { verb: 'create', ...CONFIG_MAP_RIGHTS },
  { verb: 'patch', ...CONFIG_MAP_RIGHTS },
  { verb: 'delete', ...CONFIG_MAP_RIGHTS },
  { verb: 'get', ...RESOURCE_QUOTA_RIGHTS },
  { verb: 'list', ...RESOURCE_QUOTA_RIGHTS },
  { verb: 'create', ...RESOURCE_QUOTA_RIGHTS },
  { verb: 'patch', ...RESOURCE_QUOTA_RIGHTS },
  { verb: 'delete', ...RESOURCE_QUOTA_RIGHTS },
  { verb: 'update', group: '', resource: 'secrets' },
  { verb: 'create', group: GROUP, resource: 'nodepools' },
];

/**
 * Rejects with 403 and the missing permissions. Without this check, tenants would later see unrelated errors, and
 * caches would hang.
 */
export async function requireRights(client: KubeClient): Promise<void> {
  const missing = await missingRights(client, RIGHTS);
  if (missing !== '') throw new ApiError(403, 'Forbidden', `the gateway lacks permission to ${missing}`);
}

/** Also checks the permissions to admit Keystone users. */
export async function requireKeystoneRights(client: KubeClient): Promise<void> {
  const missing = await missingRights(client, KEYSTONE_RIGHTS);
  if (missing !== '')
    throw missingBinding('fairway-keystone', `for users of Keystone, the gateway lacks permission to ${missing}`);
}

/** Also checks the permissions to serve Magnum's API. */
export async function requireMagnumRights(client: KubeClient): Promise<void> {
  const missing = await missingRights(client, MAGNUM_RIGHTS);
  if (missing !== '')
    throw missingBinding('fairway-magnum', `for Magnum's API, Fairway lacks permission to ${missing}`);
}

function missingBinding(role: string, requiredRight: string): ApiError {
  const advice = `bind its ClusterRole: kubectl create clusterrolebinding ${role} --clusterrole=${role} --serviceaccount=${SYSTEM_NAMESPACE}:fairway`;
  return new ApiError(403, 'Forbidden', `${requiredRight}; ${advice}`);
}

async function missingRights(client: KubeClient, rights: readonly Right[]): Promise<string> {
  const reviews = client.resource(SelfSubjectAccessReviews);
  const decisions = await Promise.all(
    rights.map(async (right) => {
      const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes: right } });
      return { right, isAllowed: status?.allowed === true };
    }),
  );
  return decisions
    .filter(({ isAllowed }) => !isAllowed)
    .map(({ right }) => describe(right))
    .join(', ');
}

function describe({ verb, group, resource, namespace, name }: Right): string {
  const requiredRight = `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
  const nameText = name === undefined ? '' : ` ${JSON.stringify(name)}`;
  return `${requiredRight}${nameText}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
