import { clusters } from '@fairway/api/kinds/cluster';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { authorize } from '@fairway/apiserver/server/authorize';
import { type ApiRequest, type ApiResponse, jsonResponse } from '@fairway/apiserver/server/request';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { methodNotAllowed } from '@fairway/kube/object/api-error';
import type { RequestTarget } from '../requests/handle-parent-request.ts';
import { clusterAuditList, logElsewhereError } from './cluster-audit.ts';
import { CLUSTER_AUDIT_SUBRESOURCE } from './cluster-audit-kind.ts';
import type { ClusterAuditReader } from './cluster-audit-reader.ts';

export interface AuditForwardingOptions {
  /** Acts with Fairway's credentials: the caller need not be allowed to read the cluster. */
  readonly client: KubeClient;
  /** Decides whether the user may read the events. */
  readonly authorizer: Authorizer;
  /** Decides what other permissions the user has, without recording it in the audit log. */
  readonly silentAuthorizer: Authorizer;
  /** Undefined if this process does not read audit logs. */
  readonly reader: ClusterAuditReader | undefined;
  readonly clock: Clock;
}

/** Responds to `clusters/audit` in front of a management cluster, as the embedded server would: authorization first. */
export async function forwardedClusterAudit(
  { client, authorizer, silentAuthorizer, reader, clock }: AuditForwardingOptions,
  { namespace, name, verb }: RequestTarget,
  { query, headers }: ApiRequest,
  user: UserInfo,
): Promise<ApiResponse> {
  const { group, version, plural: resource } = clusters;
  const subresource = CLUSTER_AUDIT_SUBRESOURCE;
  await authorize(authorizer, { user, verb, group, version, resource, subresource, namespace, name });
  if (verb !== 'get') throw methodNotAllowed({ group, resource: `${resource}/${subresource}`, name }, verb);
  const cluster = await client.resource(clusters).get(name, { namespace });
  if (reader === undefined) throw logElsewhereError(cluster);
  const accept = headers['accept'];
  const listRequest = { cluster, user, query, accept, nowMs: clock.now(), authorizer: silentAuthorizer };
  return jsonResponse(200, await clusterAuditList(reader, listRequest));
}
