import { CertificateSigningRequests, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { ResourceDefinition } from '../server/resource.ts';
import { certificateSigningRequests } from './certificates/signing-requests.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './reviews/access-reviews.ts';
import { selfSubjectReviews, tokenReviews } from './reviews/authentication-reviews.ts';
import { serviceAccountToken } from './token-request.ts';

/** The review kinds; shared by all servers. */
export const reviewDefinitions: readonly ResourceDefinition[] = [
  selfSubjectAccessReviews,
  subjectAccessReviews,
  localSubjectAccessReviews,
  selfSubjectRulesReviews,
  tokenReviews,
  selfSubjectReviews,
];

/**
 * Adds to `kinds` what a server that uses `createAuth` needs: certificate signing requests with approval,
 * `serviceaccounts/token`, and the review kinds. They hold no per-server state: create the list once and share it.
 */
export function authKinds(kinds: readonly ResourceDefinition[]): readonly ResourceDefinition[] {
  const extended = kinds.map((kind) => {
    if (isSame(kind, CertificateSigningRequests)) return certificateSigningRequests;
    if (!isSame(kind, ServiceAccounts)) return kind;
    return { ...kind, subresources: { ...kind.subresources, token: serviceAccountToken } };
  });
  return [...extended, ...reviewDefinitions];
}

function isSame(kind: ResourceDefinition, type: { readonly group: string; readonly plural: string }): boolean {
  return kind.group === type.group && kind.plural === type.plural;
}
