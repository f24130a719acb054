import { keystoneTimeMs, type RevocationEvent, type Token } from '@fairway/openstack/types/identity';

/** Keystone's event times have a resolution of one second in some databases. */
const SECOND_MS = 1_000;

/**
 * Whether an event may revoke a token, by Keystone's own rule: all attributes of the event match the token, and the
 * token is not newer. If the token lacks an attribute (OAuth), it may have been revoked, and is validated again.
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

/** The token does not name its OAuth delegation. */
function isOfDelegation(event: RevocationEvent, { methods }: Token): boolean {
  const isOfOne = event['OS-OAUTH1:consumer_id'] != null || event['OS-OAUTH1:access_token_id'] != null;
  return !isOfOne || methods.includes('oauth1');
}

function isOneOf(expected: string | null | undefined, values: readonly (string | undefined)[]): boolean {
  return expected == null || values.includes(expected);
}

function isSameSecond(expected: string | null | undefined, value: string): boolean {
  if (expected == null) return true;
  return Math.floor(keystoneTimeMs(expected) / SECOND_MS) === Math.floor(keystoneTimeMs(value) / SECOND_MS);
}

/** Finds the tokens that a list of events may revoke, with a few lookups per token. */
export function revocations(events: readonly RevocationEvent[]): (token: Token) => boolean {
  const eventsByAttribute = Map.groupBy(events, attributeKeyOf);
  return (token) =>
    attributeKeysOf(token).some((mark) => eventsByAttribute.get(mark)?.some((event) => mayRevoke(event, token)));
}

/** The most specific attribute of an event; '' if it has none that identifies tokens. */
function attributeKeyOf(event: RevocationEvent): string {
  const { audit_id, audit_chain_id, user_id, project_id } = event;
  return audit_id ?? audit_chain_id ?? user_id ?? project_id ?? '';
}

function attributeKeysOf(token: Token): string[] {
  const trust = token['OS-TRUST:trust'];
  const users = [token.user.id, trust?.trustor_user.id, trust?.trustee_user.id];
  const attributeKeys = [...token.audit_ids, ...users, token.project?.id, ''];
  return [...new Set(attributeKeys.filter((mark) => mark !== undefined))];
}
