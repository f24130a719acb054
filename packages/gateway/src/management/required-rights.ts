import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { AUTHENTICATION_CONFIG } from '@fairway/apiserver/auth/delegated/client-authority';
import { SelfSubjectAccessReviews } from '@fairway/apiserver/auth/delegated/review-types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ApiError } from '@fairway/kube/object/api-error';
import { WEBHOOK_NAME } from '../webhook/webhook-configuration.ts';
import { ROOTS_SECRET } from './gateway-roots.ts';

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const AUTHENTICATION = 'authentication.k8s.io';
const WEBHOOKS = { group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' };

const RIGHTS: readonly Right[] = [
  { verb: 'create', group: AUTHENTICATION, resource: 'tokenreviews' },
  { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
  { verb: 'impersonate', group: '', resource: 'users' },
  { verb: 'impersonate', group: '', resource: 'groups' },
  { verb: 'impersonate', group: '', resource: 'serviceaccounts' },
  { verb: 'impersonate', group: AUTHENTICATION, resource: 'uids' },
  { verb: 'watch', group: '', resource: 'configmaps', ...AUTHENTICATION_CONFIG },
  { verb: 'watch', group: '', resource: 'secrets', namespace: SYSTEM_NAMESPACE, name: ROOTS_SECRET },
  { verb: 'update', group: '', resource: 'secrets', namespace: SYSTEM_NAMESPACE, name: ROOTS_SECRET },
  { verb: 'create', ...WEBHOOKS },
  { verb: 'watch', ...WEBHOOKS, name: WEBHOOK_NAME },
  { verb: 'update', ...WEBHOOKS, name: WEBHOOK_NAME },
];

const NAMESPACES = { group: '', resource: 'namespaces' };
const ROLE_BINDINGS = { group: 'rbac.authorization.k8s.io', resource: 'rolebindings' };

/** For the namespaces of Keystone's projects. */
const KEYSTONE_RIGHTS: readonly Right[] = [
  { verb: 'create', ...NAMESPACES },
  { verb: 'patch', ...NAMESPACES },
  { verb: 'delete', ...NAMESPACES },
  { verb: 'list', ...ROLE_BINDINGS },
  { verb: 'create', ...ROLE_BINDINGS },
  { verb: 'patch', ...ROLE_BINDINGS },
  { verb: 'delete', ...ROLE_BINDINGS },
];

const CONFIG_MAPS = { group: '', resource: 'configmaps' };
const RESOURCE_QUOTAS = { group: '', resource: 'resourcequotas' };

/** For what Magnum's API does in Fairway's own name. */
const MAGNUM_RIGHTS: readonly Right[] = [
  { verb: 'list', ...CONFIG_MAPS },
  { verb: 'create', ...CONFIG_MAPS },
  { verb: 'patch', ...CONFIG_MAPS },
  { verb: 'delete', ...CONFIG_MAPS },
  { verb: 'get', ...RESOURCE_QUOTAS },
  { verb: 'list', ...RESOURCE_QUOTAS },
  { verb: 'create', ...RESOURCE_QUOTAS },
  { verb: 'patch', ...RESOURCE_QUOTAS },
  { verb: 'delete', ...RESOURCE_QUOTAS },
  { verb: 'update', group: '', resource: 'secrets' },
  { verb: 'create', group: GROUP, resource: 'nodepools' },
];

/** Rejects with 403 that lists the missing permissions: later, tenants would see errors that don't concern them, and caches would hang. */
export async function requireRights(client: KubeClient): Promise<void> {
  const missing = await missingOf(client, RIGHTS);
  if (missing !== '') throw new ApiError(403, 'Forbidden', `the gateway lacks permission to ${missing}`);
}

/** The same for the rights to admit Keystone users. */
export async function requireKeystoneRights(client: KubeClient): Promise<void> {
  const missing = await missingOf(client, KEYSTONE_RIGHTS);
  if (missing !== '')
    throw unbound('fairway-keystone', `for users of Keystone, the gateway lacks permission to ${missing}`);
}

/** The same for the rights to serve Magnum's API. */
export async function requireMagnumRights(client: KubeClient): Promise<void> {
  const missing = await missingOf(client, MAGNUM_RIGHTS);
  if (missing !== '') throw unbound('fairway-magnum', `for Magnum's API, Fairway lacks permission to ${missing}`);
}

function unbound(role: string, what: string): ApiError {
  const advice = `bind its ClusterRole: kubectl create clusterrolebinding ${role} --clusterrole=${role} --serviceaccount=${SYSTEM_NAMESPACE}:fairway`;
  return new ApiError(403, 'Forbidden', `${what}; ${advice}`);
}

async function missingOf(client: KubeClient, rights: readonly Right[]): Promise<string> {
  const reviews = client.resource(SelfSubjectAccessReviews);
  const answers = await Promise.all(
    rights.map(async (right) => {
      const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes: right } });
      return { right, isAllowed: status?.allowed === true };
    }),
  );
  return answers
    .filter(({ isAllowed }) => !isAllowed)
    .map(({ right }) => describe(right))
    .join(', ');
}

function describe({ verb, group, resource, namespace, name }: Right): string {
  const what = `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
  const which = name === undefined ? '' : ` ${JSON.stringify(name)}`;
  return `${what}${which}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
