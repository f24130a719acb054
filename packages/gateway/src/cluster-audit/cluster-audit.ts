import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { KUBECONFIG_SUBRESOURCE } from '@fairway/api/kinds/kubeconfig-request';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import type { CustomSubresource } from '@fairway/apiserver/server/resource';
import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import { eventsSelection } from '../audit-events/events-query.ts';
import { eventsInForm, responseFormOf } from '../audit-events/response-form.ts';
import { tenantUserName } from '../kubeconfig/kubeconfig-request.ts';
import { refusal } from '../requests/parent-request.ts';
import { CLUSTER_AUDIT_KIND, CLUSTER_AUDIT_SUBRESOURCE } from './cluster-audit-kind.ts';
import { type ClusterAuditReader, formatLinePosition, parseLinePosition } from './cluster-audit-reader.ts';
import { clusterEventView } from './cluster-event-view.ts';

export interface ClusterAuditRequest {
  readonly cluster: Cluster;
  readonly user: UserInfo;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly nowMs: number;
  /** Decides which users see bodies. */
  readonly authorizer: Authorizer;
}

/**
 * Responds to an authorized GET of `clusters/NAME/audit` with the audit events of the cluster's API server, in the same
 * formats and with the same query as `auditevents`. Only users who could read the objects with a kubeconfig get bodies.
 * Rejects with 409 if audit events are not enabled for the cluster, and with 503 if its log is on another replica.
 */
export async function clusterAuditList(
  reader: ClusterAuditReader,
  { cluster, user, query, accept, nowMs, authorizer }: ClusterAuditRequest,
): Promise<object> {
  const { name = '', namespace = '' } = cluster.metadata;
  if (cluster.spec.apiServer.audit === undefined) throw auditDisabled(cluster);
  const selection = eventsSelection(query, nowMs);
  const form = responseFormOf(query, accept);
  const token = query.get('continue') ?? '';
  const from = parseLinePosition(token);
  if (token !== '' && from === undefined) throw badRequest('invalid continue token');
  const page = await reader.read({ uid: identityOf(cluster), namespace }, selection, from);
  if (page === undefined) throw logElsewhereError(cluster);
  const hasBodies = page.events.some(({ level }) => level !== 'Metadata');
  const maySeeBodies = hasBodies && (await mayReadObjects(authorizer, user, namespace, name));
  const view = { reader: user, readerInCluster: tenantUserName(user.username), maySeeBodies };
  const events = page.events.map((event) => clusterEventView(event, view));
  return eventsInForm(form, { events, next: page.next && formatLinePosition(page.next), namespace, nowMs });
}

/** The subresource on the embedded server. Undefined if this process does not read audit logs. */
export function clusterAuditSubresource(reader: ClusterAuditReader | undefined): CustomSubresource {
  return {
    kind: CLUSTER_AUDIT_KIND,
    schema: { type: 'object' },
    get: async ({ parent, user, query, headers, nowMs, access }) => {
      const cluster = parent as Cluster;
      if (reader === undefined || access === undefined) throw logElsewhereError(cluster);
      const accept = headers['accept'];
      return clusterAuditList(reader, { cluster, user, query, accept, nowMs, authorizer: access });
    },
  };
}

async function mayReadObjects(
  authorizer: Authorizer,
  user: UserInfo,
  namespace: string,
  name: string,
): Promise<boolean> {
  const { group, version, plural: resource } = clusters;
  const attributes = { user, verb: 'create', group, version, resource, subresource: KUBECONFIG_SUBRESOURCE };
  const { allowed } = await authorizer.authorize({ ...attributes, namespace, name });
  return allowed;
}

function auditDisabled(cluster: Cluster): ApiError {
  const patch = `kubectl patch cluster ${cluster.metadata.name} --type merge -p '{"spec":{"apiServer":{"audit":{}}}}'`;
  const hint = `API server audit events are not enabled: set spec.apiServer.audit, with "${patch}"`;
  return refusal(cluster, CLUSTER_AUDIT_SUBRESOURCE, hint);
}

export function logElsewhereError({ metadata: { namespace = '', name = '' } }: Cluster): ApiError {
  const message = `the audit events of cluster ${namespace}/${name} are not available to this replica of Fairway: its API server has not started yet, or runs on the host of another replica, which serves them at its own address`;
  return new ApiError(503, 'ServiceUnavailable', message);
}
