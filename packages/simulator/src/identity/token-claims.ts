import type { AssignmentTarget } from './records.ts';

export type Scope = { readonly kind: 'unscoped' } | AssignmentTarget;

/**
 * The content of a token. All other information is looked up when the token is used, so removing a role or user takes
 * effect immediately.
 */
export interface TokenClaims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope: Scope;
  readonly issuedMs: number;
  readonly expiresMs: number;
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
  readonly trustId?: string;
  /** The identity provider that authenticated the user. */
  readonly identityProvider?: string;
}
