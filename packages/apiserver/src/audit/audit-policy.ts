import type { ResourcePath } from '../server/router.ts';

/** The attributes that decide whether a request is audited. */
export interface AuditAttributes {
  readonly verb: string;
  /** Undefined for non-resource paths: discovery, health, metrics. */
  readonly resource: ResourcePath | undefined;
  /** Reading the resource reveals credentials. */
  readonly isSensitive: boolean;
  /** A query made with POST. */
  readonly isQuery: boolean;
  /** Response code. */
  readonly status: number;
  readonly isKnown: boolean;
  readonly isImpersonated: boolean;
  /** Made by this process itself rather than over a connection. */
  readonly isInProcess: boolean;
}

const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);
const REVIEW_GROUPS: ReadonlySet<string> = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

/** Built-in kinds that hold or issue credentials. */
export function holdsCredentials({ group, plural, subresource }: ResourcePath): boolean {
  return group === '' && (plural === 'secrets' || (plural === 'serviceaccounts' && subresource === 'token'));
}

/**
 * Whether the request or response may contain credentials, which no policy may log: true for the built-in kinds above
 * and for token reviews. ConfigMaps are left to the policy.
 */
export function carriesCredentials(path: ResourcePath): boolean {
  return holdsCredentials(path) || (path.group === 'authentication.k8s.io' && path.plural === 'tokenreviews');
}

/** A request rejected before or by authorization. Unauthenticated clients can send any number of these. */
export function isRefused({ status, isKnown }: Pick<AuditAttributes, 'status' | 'isKnown'>): boolean {
  return status === 401 || status === 403 || (!isKnown && status >= 400);
}

/**
 * Events that no policy can omit, because incident investigations need them: rejections, impersonated requests, and
 * issued credentials.
 */
export function isAlwaysAudited(facts: AuditAttributes): boolean {
  return isRefused(facts) || facts.isImpersonated || (facts.isSensitive && !facts.isInProcess);
}

/**
 * The built-in policy: whether a request is audited, always at level Metadata. It audits writes, reads of credentials,
 * refusals, and all impersonated requests. It omits other reads, access reviews and other queries, and this process's
 * own reads and its writes to status, Events and Leases.
 */
export function isAudited(facts: AuditAttributes): boolean {
  const { verb, resource, isInProcess, isQuery } = facts;
  if (isAlwaysAudited(facts)) return true;
  const isRead = READ_VERBS.has(verb) || isQuery;
  if (resource === undefined) return !isRead && facts.isKnown;
  if (isInProcess) return !isRead && !isObservation(resource);
  return !isRead && !isReview(resource);
}

function isReview({ group, plural }: ResourcePath): boolean {
  return REVIEW_GROUPS.has(group) && plural.endsWith('reviews');
}

function isObservation({ plural, subresource }: ResourcePath): boolean {
  return subresource === 'status' || plural === 'events' || plural === 'leases';
}
