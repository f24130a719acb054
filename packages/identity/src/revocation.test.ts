import { type RevocationEvent, Token } from '@fairway/openstack/types/identity';
import { expect, it } from 'vitest';
import { revocations } from './revocation.ts';

const ISSUED = '2026-11-26T06:00:00.000000Z';

function token(fields: object = {}): Token {
  return Token.parse({
    methods: ['password'],
    user: { id: 'user', name: 'demo', domain: { id: 'home', name: 'Home' } },
    audit_ids: ['own', 'parent'],
    issued_at: ISSUED,
    expires_at: '2026-11-26T07:00:00.000000Z',
    project: { id: 'project', name: 'demo', domain: { id: 'work', name: 'Work' } },
    roles: [{ id: 'role', name: 'member' }],
    ...fields,
  });
}

const trusted = token({
  'OS-TRUST:trust': {
    id: 'trust',
    impersonation: false,
    trustor_user: { id: 'trustor' },
    trustee_user: { id: 'user' },
  },
});

it.each<{ reason: string; event: Partial<RevocationEvent>; of?: Token; is: boolean }>([
  { reason: 'this token', event: { audit_id: 'own' }, is: true },
  { reason: 'only the token from which it was issued', event: { audit_id: 'parent' }, is: false },
  { reason: 'all tokens issued from one token', event: { audit_chain_id: 'parent' }, is: true },
  { reason: 'another chain', event: { audit_chain_id: 'other' }, is: false },
  { reason: 'the user', event: { user_id: 'user' }, is: true },
  { reason: 'another user', event: { user_id: 'other' }, is: false },
  { reason: 'the trustor of a trust', event: { user_id: 'trustor' }, of: trusted, is: true },
  { reason: 'the trust', event: { 'OS-TRUST:trust_id': 'trust' }, of: trusted, is: true },
  { reason: 'a trust, for a token without one', event: { 'OS-TRUST:trust_id': 'trust' }, is: false },
  { reason: 'the project', event: { project_id: 'project' }, is: true },
  {
    reason: 'a project, for an unscoped token',
    event: { project_id: 'project' },
    of: token({ project: undefined }),
    is: false,
  },
  { reason: "the user's domain", event: { domain_id: 'home' }, is: true },
  { reason: "the project's domain", event: { domain_id: 'work' }, is: true },
  { reason: 'the domain as scope', event: { domain_scope_id: 'home' }, is: false },
  { reason: 'the role', event: { role_id: 'role' }, is: true },
  {
    reason: 'the role of this user in this project',
    event: { role_id: 'role', user_id: 'user', project_id: 'project' },
    is: true,
  },
  {
    reason: 'the role of this user in another project',
    event: { role_id: 'role', user_id: 'user', project_id: 'x' },
    is: false,
  },
  { reason: 'the same expiry', event: { user_id: 'user', expires_at: '2026-11-26T07:00:00Z' }, is: true },
  { reason: 'another expiry', event: { user_id: 'user', expires_at: '2026-11-26T07:00:01Z' }, is: false },
  { reason: 'tokens issued until then', event: { user_id: 'user', issued_before: ISSUED }, is: true },
  { reason: 'older tokens', event: { user_id: 'user', issued_before: '2026-11-26T05:59:58.000000Z' }, is: false },
  {
    reason: 'older tokens, without a time zone',
    event: { user_id: 'user', issued_before: '2026-11-26T05:59:58' },
    is: false,
  },
  { reason: 'all tokens', event: {}, is: true },
  { reason: 'OAuth, for a token of another method', event: { 'OS-OAUTH1:consumer_id': 'consumer' }, is: false },
  {
    reason: 'OAuth, for an OAuth token',
    event: { 'OS-OAUTH1:consumer_id': 'consumer' },
    of: token({ methods: ['oauth1'] }),
    is: true,
  },
  { reason: 'an unparsable time', event: { user_id: 'user', issued_before: 'soon' }, is: true },
])('an event about $reason revokes the token: $is', ({ event, of = token(), is }) => {
  const isRevoked = revocations([{ issued_before: '2026-11-26T06:30:00.000000Z', ...event }]);

  expect(isRevoked(of)).toBe(is);
});
