import { API_VERSION, GROUP } from '@fairway/api/group';
import { SelfSubjectAccessReviews } from '@fairway/apiserver/auth/delegated/review-types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { notAllowed } from '../http/magnum-error.ts';

/** A question to Fairway's own RBAC, before Fairway acts with its own identity for a user. */
export interface Right {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: 'clusters' | 'nodepools' | 'plans' | 'resourcequotas';
  /** Absent for cluster-wide access. */
  readonly namespace?: string;
}

/** Whether the client's user has this permission. */
export async function may(client: KubeClient, { verb, resource, namespace }: Right): Promise<boolean> {
  const [, ownVersion = ''] = API_VERSION.split('/');
  const kind = resource === 'resourcequotas' ? { group: '', version: 'v1' } : { group: GROUP, version: ownVersion };
  const resourceAttributes = { verb, resource, ...kind, ...(namespace !== undefined && { namespace }) };
  const reviews = client.resource(SelfSubjectAccessReviews);
  const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes } });
  return status?.allowed === true;
}

/** Throws Magnum's 403 unless the client's user has this permission. */
export async function requireRight(client: KubeClient, right: Right, action: string): Promise<void> {
  if (!(await may(client, right))) throw notAllowed(action);
}

/** Users who may create plans are administrators here, as `rule:context_is_admin` defines them in Magnum. */
export function isAdmin(client: KubeClient): Promise<boolean> {
  return may(client, { verb: 'create', resource: 'plans' });
}

/** Throws Magnum's 403 unless the user is an administrator. */
export async function requireAdmin(client: KubeClient, action: string): Promise<void> {
  if (!(await isAdmin(client))) throw notAllowed(action);
}
