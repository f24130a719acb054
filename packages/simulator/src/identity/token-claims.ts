import type { AssignmentTarget } from './records.ts';

export type Scope = { readonly kind: 'unscoped' } | AssignmentTarget;

/** What a token contains. Everything else is looked up on use, so that removing a role or user takes effect at once. */
export interface TokenClaims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope: Scope;
  readonly issuedMs: number;
  readonly expiresMs: number;
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
  readonly trustId?: string;
  /** The identity provider that vouched for the user. */
  readonly identityProvider?: string;
}
