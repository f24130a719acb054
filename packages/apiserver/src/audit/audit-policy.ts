import type { ResourcePath } from '../server/router.ts';

/** What decides whether a request is written down. */
export interface AuditedFacts {
  readonly verb: string;
  /** Undefined for paths beside the resources: discovery, health, metrics. */
  readonly resource: ResourcePath | undefined;
  /** Reading it gives away somebody's credentials. */
  readonly isSensitive: boolean;
  /** Of the answer. */
  readonly status: number;
  readonly isKnown: boolean;
  readonly isImpersonated: boolean;
  /** By this process itself, without a connection. */
  readonly isInProcess: boolean;
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);
const REVIEW_GROUPS: ReadonlySet<string> = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

/** What of Kubernetes' own kinds holds credentials, or makes them. */
export function holdsCredentials({ group, plural, subresource }: ResourcePath): boolean {
  return group === '' && (plural === 'secrets' || (plural === 'serviceaccounts' && subresource === 'token'));
}

/** A request that was turned away before or by authorisation. Strangers can make any number of them. */
export function isRefused({ status, isKnown }: Pick<AuditedFacts, 'status' | 'isKnown'>): boolean {
  return status === 401 || status === 403 || (!isKnown && status >= 400);
}

/**
 * Whether a request is worth a line: what changes something, what reads credentials, what was refused, and all that is done in another's name. Other
 * reads are not, nor questions about rights, nor what this process reads for itself or writes about what it sees: status, Events, Leases.
 */
export function isAudited(facts: AuditedFacts): boolean {
  const { verb, resource, isImpersonated, isInProcess } = facts;
  if (isRefused(facts) || isImpersonated) return true;
  const isRead = READS.has(verb);
  if (resource === undefined) return !isRead && facts.isKnown;
  if (isInProcess) return !isRead && !isObservation(resource);
  return facts.isSensitive || (!isRead && !isReview(resource));
}

function isReview({ group, plural }: ResourcePath): boolean {
  return REVIEW_GROUPS.has(group) && plural.endsWith('reviews');
}

function isObservation({ plural, subresource }: ResourcePath): boolean {
  return subresource === 'status' || plural === 'events' || plural === 'leases';
}
