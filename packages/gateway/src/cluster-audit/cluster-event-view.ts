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

/** Names of Fairway's own clients and of the control plane, whose addresses tenants need not know. */
const FAIRWAY_USER_PATTERN =
  /^(?:fairway:|kube-apiserver-kubelet-client$|system:(?:apiserver|kube-controller-manager|kube-scheduler)$)/;
const KEYSTONE_USER_PATTERN = /^keystone:/;
const MASTERS_GROUP = 'system:masters';
const SAFE_ANNOTATIONS = /^(?:authorization\.k8s\.io|audit\.k8s\.io|fairway\.dev)\//;

/**
 * An event of a cluster's API server as a member of its project sees it. The source address is shown for the reader,
 * for nodes, service accounts and other users whom the cluster itself has admitted, and for Keystone users who share a
 * group with the reader. For Fairway, its control plane and other kubeconfig users, including operators, only the name,
 * the request and the result are shown. @param readerInCluster the reader's name in kubeconfigs. @param maySeeBodies
 * whether the reader could read the objects themselves.
 */
export function clusterEventView(
  event: AuditEvent,
  {
    reader,
    readerInCluster,
    maySeeBodies,
  }: { readonly reader: UserInfo; readonly readerInCluster: string; readonly maySeeBodies: boolean },
): AuditEvent {
  const annotatedEvent = withDryRun(event);
  const secret = isSecret(annotatedEvent) ? withoutSecrets(annotatedEvent) : annotatedEvent;
  const shown = maySeeBodies ? secret : withoutBodyQuotes(secret);
  return showsOrigin(shown.user, reader, readerInCluster) ? shown : withoutOrigin(shown);
}

function showsOrigin({ username = '', groups = [] }: AuditUser, reader: UserInfo, readerInCluster: string): boolean {
  if (username === readerInCluster || username === reader.username) return true;
  if (FAIRWAY_USER_PATTERN.test(username) || groups.includes(MASTERS_GROUP) || groups.includes(CLUSTER_ADMINS_GROUP))
    return false;
  if (!KEYSTONE_USER_PATTERN.test(username)) return true;
  return groups.some((group) => !group.startsWith('system:') && reader.groups.includes(group));
}

/** No policy records these fields, but the log is untrusted. */
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
  const { responseStatus, ...rest } = withoutBodyQuotes(event);
  const { message: _, ...status } = responseStatus ?? { metadata: {} };
  return { ...rest, ...(responseStatus && { responseStatus: status }) };
}

/**
 * Removes bodies and the annotations that quote them: webhooks' patches, and messages of the cluster's admission
 * policies.
 */
function withoutBodyQuotes(event: AuditEvent): AuditEvent {
  const { annotations = {}, ...rest } = withoutBodies(event);
  const filtered = Object.entries(annotations).filter(([key]) => SAFE_ANNOTATIONS.test(key));
  return { ...rest, level: 'Metadata', ...(filtered.length > 0 && { annotations: Object.fromEntries(filtered) }) };
}

/** Based on the event's own fields only: the cluster's admission policies can also write annotations. */
function withDryRun(event: AuditEvent): AuditEvent {
  const { annotations: originalAnnotations = {}, ...rest } = event;
  const { [DRY_RUN_ANNOTATION]: _, ...annotations } = originalAnnotations;
  const filtered: AuditEvent = { ...rest, ...(Object.keys(annotations).length > 0 && { annotations }) };
  return isDryRun(filtered) ? { ...filtered, annotations: { ...annotations, [DRY_RUN_ANNOTATION]: 'true' } } : filtered;
}
