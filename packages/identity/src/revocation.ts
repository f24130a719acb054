import { keystoneTimeMs, type RevocationEvent, type Token } from '@fairway/openstack/types/identity';

/** Keystone's events have whole seconds in some databases. */
const SECOND_MS = 1_000;

/**
 * Whether an event may revoke a token, by Keystone's own rule: all attributes of the event are the token's, and the token is not younger. Where the token does not say
 * (OAuth), it may: Keystone is asked again then.
 */
function mayRevoke(event: RevocationEvent, token: Token): boolean {
  const trust = token['OS-TRUST:trust'];
  const scope = [token.project?.domain.id, token.domain?.id];
  const [auditId] = token.audit_ids;
  return (
    isOneOf(event.user_id, [token.user.id, trust?.trustor_user.id, trust?.trustee_user.id]) &&
    isOneOf(event.domain_id, [token.user.domain.id, ...scope]) &&
    isOneOf(event.domain_scope_id, scope) &&
    isOneOf(event.project_id, [token.project?.id]) &&
    isOneOf(
      event.role_id,
      token.roles.map(({ id }) => id),
    ) &&
    isOneOf(event.audit_id, [auditId]) &&
    isOneOf(event.audit_chain_id, token.audit_ids) &&
    isOneOf(event['OS-TRUST:trust_id'], [trust?.id]) &&
    isOfDelegation(event, token) &&
    isSameSecond(event.expires_at, token.expires_at) &&
    !(keystoneTimeMs(token.issued_at) >= keystoneTimeMs(event.issued_before) + SECOND_MS)
  );
}

/** Which of OAuth's delegations a token is of it does not say. */
function isOfDelegation(event: RevocationEvent, { methods }: Token): boolean {
  const isOfOne = event['OS-OAUTH1:consumer_id'] != null || event['OS-OAUTH1:access_token_id'] != null;
  return !isOfOne || methods.includes('oauth1');
}

function isOneOf(wanted: string | null | undefined, values: readonly (string | undefined)[]): boolean {
  return wanted == null || values.includes(wanted);
}

function isSameSecond(wanted: string | null | undefined, value: string): boolean {
  if (wanted == null) return true;
  return Math.floor(keystoneTimeMs(wanted) / SECOND_MS) === Math.floor(keystoneTimeMs(value) / SECOND_MS);
}

/** Tells which tokens a list of events may revoke, at the cost of a few look-ups for each. */
export function revocations(events: readonly RevocationEvent[]): (token: Token) => boolean {
  const byMark = Map.groupBy(events, markOf);
  return (token) => marksOf(token).some((mark) => byMark.get(mark)?.some((event) => mayRevoke(event, token)));
}

/** The narrowest attribute of an event; '' if it has none that a token can be found by. */
function markOf(event: RevocationEvent): string {
  const { audit_id, audit_chain_id, user_id, project_id } = event;
  return audit_id ?? audit_chain_id ?? user_id ?? project_id ?? '';
}

function marksOf(token: Token): string[] {
  const trust = token['OS-TRUST:trust'];
  const users = [token.user.id, trust?.trustor_user.id, trust?.trustee_user.id];
  const marks = [...token.audit_ids, ...users, token.project?.id, ''];
  return [...new Set(marks.filter((mark) => mark !== undefined))];
}
