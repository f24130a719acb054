import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { PolicyRule } from '@fairway/kube/kinds/generated/types';
import type { ServiceAccountTokenSubject } from './service-account-tokens.ts';
import type { AuthenticatedToken } from './token-authenticator.ts';
import type { Decision, RequestAttributes, UserInfo } from './user.ts';

export interface ReviewedRules {
  readonly rules: readonly PolicyRule[];
  /** Whether the user may have rights that are not among the rules. */
  readonly incomplete: boolean;
  readonly evaluationError: string;
}

/**
 * What the review kinds and token requests ask of the server that they run in. It comes with the request, so that
 * definitions hold nothing of one server and all servers of a process share them.
 */
export interface Access {
  readonly reader: ObjectReader;
  authorize(attributes: RequestAttributes): Decision | Promise<Decision>;
  rulesFor(user: UserInfo, namespace: string): ReviewedRules;
  /** Undefined for a token that nobody knows; rejects with Unauthorized for one that is known and bad. */
  authenticateToken(token: string, audiences: readonly string[]): Promise<AuthenticatedToken | undefined>;
  /** The audiences of the API server itself: those of a token that asks for none. */
  readonly apiAudiences: readonly string[];
  /** Longest life of a service account's token; Infinity for none. */
  readonly maxTokenSeconds: number;
  signToken(
    subject: ServiceAccountTokenSubject,
    audiences: readonly string[],
    expirationSeconds: number,
  ): Promise<string>;
}
