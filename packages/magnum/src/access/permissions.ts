import { API_VERSION, GROUP } from '@fairway/api/group';
import { SelfSubjectAccessReviews } from '@fairway/apiserver/auth/delegated/review-types';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { notAllowed } from '../http/magnum-error.ts';

/** A user's permission. Fairway checks it against its own RBAC before acting for the user under its own identity. */
export interface Permission {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  readonly resource: 'clusters' | 'nodepools' | 'plans' | 'resourcequotas';
  /** Omitted for cluster-wide access. */
  readonly namespace?: string;
}

/** Whether the client's user has this permission. */
export async function isAllowed(client: KubeClient, { verb, resource, namespace }: Permission): Promise<boolean> {
  const [, ownVersion = ''] = API_VERSION.split('/');
  const kind = resource === 'resourcequotas' ? { group: '', version: 'v1' } : { group: GROUP, version: ownVersion };
  const resourceAttributes = { verb, resource, ...kind, ...(namespace !== undefined && { namespace }) };
  const reviews = client.resource(SelfSubjectAccessReviews);
  const { status } = await reviews.create({ metadata: {}, spec: { resourceAttributes } });
  return status?.allowed === true;
}

/** Throws Magnum's 403 unless the client's user has this permission. */
export async function requirePermission(client: KubeClient, permission: Permission, action: string): Promise<void> {
  if (!(await isAllowed(client, permission))) throw notAllowed(action);
}

/**
 * Whether the user is an administrator: here, a user who may create plans. Magnum defines administrators in
 * `rule:context_is_admin`.
 */
export function isAdmin(client: KubeClient): Promise<boolean> {
  return isAllowed(client, { verb: 'create', resource: 'plans' });
}

/** Throws Magnum's 403 unless the user is an administrator. */
export async function requireAdmin(client: KubeClient, action: string): Promise<void> {
  if (!(await isAdmin(client))) throw notAllowed(action);
}
