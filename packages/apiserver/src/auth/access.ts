import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import type { ServiceAccountTokenSubject } from './service-account-tokens.ts';
import type { AuthenticatedToken } from './token-authenticator.ts';
import type { Decision, RequestAttributes, UserInfo } from './user.ts';

export interface ReviewedRules {
  readonly rules: readonly PolicyRule[];
  /** Whether the user may have permissions beyond the listed rules. */
  readonly incomplete: boolean;
  readonly evaluationError: string;
}

/**
 * What the review kinds and token requests need from the API server that serves them. It is passed with the request, so
 * that definitions hold no per-server state and all servers of a process can share them.
 */
export interface Access {
  readonly reader: ObjectReader;
  authorize(attributes: RequestAttributes): Decision | Promise<Decision>;
  rulesFor(user: UserInfo, namespace: string): ReviewedRules;
  /** Undefined for an unknown token; rejects with Unauthorized if the token is recognised but invalid. */
  authenticateToken(token: string, audiences: readonly string[]): Promise<AuthenticatedToken | undefined>;
  /** The audiences of the API server itself: the default for token requests that specify none. */
  readonly apiAudiences: readonly string[];
  /** Maximum lifetime of a service account token; Infinity for no limit. */
  readonly maxTokenSeconds: number;
  signToken(
    subject: ServiceAccountTokenSubject,
    audiences: readonly string[],
    expirationSeconds: number,
  ): Promise<string>;
}
