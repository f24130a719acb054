import {
  type AuditEvent,
  type AuditUser,
  DRY_RUN_ANNOTATION,
  isDryRun,
  withoutBodies,
} from '@fairway/apiserver/audit/audit-event';
import { carriesCredentials } from '@fairway/apiserver/audit/audit-policy';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { CLUSTER_ADMINS_GROUP } from '@fairway/control-plane/kubeconfig';
import { withoutOrigin } from '../audit-events/tenant-view.ts';

/** Names of Fairway's own clients and those of the control plane, whose addresses tenants need not know. */
const FAIRWAYS =
  /^(?:fairway:|kube-apiserver-kubelet-client$|system:(?:apiserver|kube-controller-manager|kube-scheduler)$)/;
const KEYSTONES = /^keystone:/;
const MASTERS = 'system:masters';
const QUOTES_NOTHING = /^(?:authorization\.k8s\.io|audit\.k8s\.io|fairway\.dev)\//;

/**
 * An event of a cluster's API server as a member of its project sees it. The source address is shown for the reader, for nodes,
 * service accounts and others whom the cluster itself has admitted, and for Keystone users who share a group with the reader. For
 * Fairway, its control plane and other kubeconfig users, including operators, only the name, the request and the result are
 * shown. @param readerInCluster the reader's name in kubeconfigs. @param maySeeBodies whether the reader could read the objects
 * anyway.
 */
export function clusterEventView(
  event: AuditEvent,
  {
    reader,
    readerInCluster,
    maySeeBodies,
  }: { readonly reader: UserInfo; readonly readerInCluster: string; readonly maySeeBodies: boolean },
): AuditEvent {
  const told = withDryRun(event);
  const secret = isSecret(told) ? withoutSecrets(told) : told;
  const shown = maySeeBodies ? secret : withoutQuotes(secret);
  return isOriginShown(shown.user, reader, readerInCluster) ? shown : withoutOrigin(shown);
}

function isOriginShown({ username = '', groups = [] }: AuditUser, reader: UserInfo, readerInCluster: string): boolean {
  if (username === readerInCluster || username === reader.username) return true;
  if (FAIRWAYS.test(username) || groups.includes(MASTERS) || groups.includes(CLUSTER_ADMINS_GROUP)) return false;
  if (!KEYSTONES.test(username)) return true;
  return groups.some((group) => !group.startsWith('system:') && reader.groups.includes(group));
}

/** No policy records them, but the log is untrusted. */
function isSecret({ objectRef }: AuditEvent): boolean {
  if (objectRef === undefined) return false;
  const {
    apiGroup: group = '',
    apiVersion: version,
    resource: plural,
    namespace = '',
    name = '',
    subresource = '',
  } = objectRef;
  return carriesCredentials({ group, version, plural, namespace, name, subresource });
}

function withoutSecrets(event: AuditEvent): AuditEvent {
  const { responseStatus, ...rest } = withoutQuotes(event);
  const { message: _, ...status } = responseStatus ?? { metadata: {} };
  return { ...rest, ...(responseStatus && { responseStatus: status }) };
}

/**
 * Without bodies, and without annotations that quote them: patches of webhooks, and messages of the cluster's admission policies.
 */
function withoutQuotes(event: AuditEvent): AuditEvent {
  const { annotations = {}, ...rest } = withoutBodies(event);
  const said = Object.entries(annotations).filter(([key]) => QUOTES_NOTHING.test(key));
  return { ...rest, level: 'Metadata', ...(said.length > 0 && { annotations: Object.fromEntries(said) }) };
}

/** Based on the event's own fields only: the cluster's admission policies can also write annotations. */
function withDryRun(event: AuditEvent): AuditEvent {
  const { annotations: given = {}, ...rest } = event;
  const { [DRY_RUN_ANNOTATION]: _, ...annotations } = given;
  const said: AuditEvent = { ...rest, ...(Object.keys(annotations).length > 0 && { annotations }) };
  return isDryRun(said) ? { ...said, annotations: { ...annotations, [DRY_RUN_ANNOTATION]: 'true' } } : said;
}
