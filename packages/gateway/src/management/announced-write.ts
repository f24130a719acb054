import { KINDS } from '@fairway/api/kinds/all';
import type { AuditTrail } from '@fairway/apiserver/audit/audit-trail';
import type { Authorizer, UserInfo } from '@fairway/apiserver/auth/user';
import { type Cause, objectName } from '@fairway/base/tracing';
import { createsByName } from './audit-response.ts';
import { NameScanner } from './name-scanner.ts';

/**
 * Before an object is written, notifies other processes of the write's trace if `isAllowed` resolves with true. That
 * check costs a call. Never rejects.
 */
export type AnnounceWrite = (object: string, cause: Cause, isAllowed: () => Promise<boolean>) => Promise<void>;

export interface TracedWrite {
  readonly trail: AuditTrail;
  readonly query: URLSearchParams;
  readonly body: Uint8Array | undefined;
  readonly user: UserInfo;
  readonly cause: Cause;
}

/** A valid name or namespace; a write with an invalid one is never announced. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Announces a write of one of Fairway's objects, if its name is known in advance. */
export async function announceWrite(
  announce: AnnounceWrite,
  authorizer: Authorizer,
  { trail, query, body, user, cause }: TracedWrite,
): Promise<void> {
  // A trace that is not sampled is not announced.
  if (trail.resource === undefined || query.has('dryRun') || !cause.traceparent.endsWith('-01')) return;
  const { plural, name: resourceName, ...resource } = trail.resource;
  const { group, namespace } = resource;
  const kind = KINDS.find((each) => each.group === group && each.plural === plural)?.kind;
  const name = createsByName(trail) ? body && new NameScanner().scan(body) : resourceName;
  if (kind === undefined || name === undefined || !NAME.test(name)) return;
  if (namespace !== '' && !NAME.test(namespace)) return;
  const isAllowed = async () => {
    const decision = await authorizer.authorize({ ...resource, user, verb: trail.verb, resource: plural, name });
    return decision.allowed;
  };
  await announce(objectName(kind, namespace, name), cause, isAllowed);
}
