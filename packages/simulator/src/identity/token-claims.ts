import type { AssignmentTarget } from './records.ts';

export type Scope = { readonly kind: 'unscoped' } | AssignmentTarget;

/** What a token carries. All else is looked up when it is used, so that a lost role or user is felt at once. */
export interface TokenClaims {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly scope: Scope;
  readonly issuedMs: number;
  readonly expiresMs: number;
  readonly auditIds: readonly string[];
  readonly applicationCredentialId?: string;
  readonly trustId?: string;
}
