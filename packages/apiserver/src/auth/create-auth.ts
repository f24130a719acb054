import type { Clock } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { TrustStore } from '@fairway/kube/pki/trust-store';
import type { AdmissionPlugin } from '../server/admission.ts';
import type { Access, ReviewedRules } from './access.ts';
import { createBootstrapTokenAuthenticator } from './bootstrap-tokens.ts';
import { createCertificateSigningAdmission } from './certificates/signing-admission.ts';
import { createNodeAuthorizer } from './node-authorizer.ts';
import { createNodeRestrictionPlugin } from './node-restriction.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { createRbacEscalationPlugin } from './rbac-escalation.ts';
import { createServiceAccountAuthenticator, signServiceAccountToken } from './service-account-tokens.ts';
import { createExternalTokenAuthenticator } from './token-authenticator.ts';
import { MIN_TOKEN_SECONDS } from './token-request.ts';
import { createUnionAuthenticator, createUnionTokenAuthenticator } from './union-authenticator.ts';
import type { Authenticator, Authorizer, Decision, RequestAttributes, UserInfo } from './user.ts';
import { isMaster, nodeNameOf } from './well-known-users.ts';
import { createX509Authenticator } from './x509-authenticator.ts';

export interface AuthOptions {
  /** Reads the server's objects; called lazily, because the server is constructed with the result. */
  readonly reader: () => ObjectReader;
  readonly clock: Clock;
  /** PEM of the client CAs, read for every request, so a rotation needs no restart. */
  readonly clientCaBundle?: () => string;
  readonly issuer: string;
  readonly serviceAccountKeys: ServiceAccountKeys;
  /** Audiences of the API server itself; the issuer alone by default. */
  readonly apiAudiences?: readonly string[];
  /**
   * Maximum lifetime of a service account token, at least 600 s: `--service-account-max-token-expiration`. Longer
   * lifetimes are capped, with a warning. No limit by default, as in kube-apiserver.
   */
  readonly maxTokenSeconds?: number | undefined;
  /** Additional authenticators, tried after certificates and before tokens: Keystone for Fairway's own API. */
  readonly authenticators?: readonly Authenticator[];
  /** Authenticates bearer tokens from other issuers, like kube-apiserver's token webhook; none if undefined. */
  readonly reviewToken?: ((token: string) => Promise<UserInfo | undefined>) | undefined;
  /** Tried if neither the node authorizer nor RBAC allows a request. */
  readonly authorizers?: readonly Authorizer[];
  readonly allowAnonymous?: boolean;
}

/** The authentication, authorization and admission of one server: `new ApiServer({ …, ...auth })`. */
export interface Auth {
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  /** Register these after plugins that set defaults. */
  readonly admission: readonly AdmissionPlugin[];
  /** For `ApiServerOptions.access`. */
  readonly access: Access;
  readonly rbac: RbacAuthorizer;
}

/**
 * Assembles authentication, authorization and admission for one server, Fairway's own or a tenant cluster's. It starts
 * no background work and consists of only a few closures until the first request, so a hundred of them are cheap.
 */
export function createAuth(options: AuthOptions): Auth {
  const { clock, issuer, serviceAccountKeys: keys, apiAudiences = [options.issuer] } = options;
  const reader = deferredReader(options.reader);
  const rbac = new RbacAuthorizer(reader);
  const authorizer = createAuthorizer([createNodeAuthorizer(reader), rbac, ...(options.authorizers ?? [])]);
  const { reviewToken } = options;
  const tokens = createUnionTokenAuthenticator([
    createServiceAccountAuthenticator(reader, { issuer, keys, clock }),
    createBootstrapTokenAuthenticator(reader, clock, apiAudiences),
    ...(reviewToken ? [createExternalTokenAuthenticator(reviewToken, apiAudiences)] : []),
  ]);
  const authenticator = createUnionAuthenticator({
    authenticators: [
      ...(options.clientCaBundle ? [createX509Authenticator(trustStoreOf(options.clientCaBundle), clock)] : []),
      ...(options.authenticators ?? []),
    ],
    tokens,
    apiAudiences,
    allowAnonymous: options.allowAnonymous ?? false,
  });
  const access: Access = {
    reader,
    apiAudiences,
    maxTokenSeconds: Math.max(options.maxTokenSeconds ?? Number.POSITIVE_INFINITY, MIN_TOKEN_SECONDS),
    authorize: (attributes) => authorizer.authorize(attributes),
    rulesFor: (user, namespace) => reviewedRules(rbac, user, namespace),
    authenticateToken: (token, audiences) => tokens.authenticateToken(token, audiences),
    signToken: (subject, audiences, seconds) =>
      signServiceAccountToken({ issuer, keys, clock }, subject, audiences, seconds),
  };
  const admission = [
    createNodeRestrictionPlugin(reader),
    createRbacEscalationPlugin(rbac, authorizer),
    ...createCertificateSigningAdmission(authorizer),
  ];
  return { authenticators: [authenticator], authorizer, admission, access, rbac };
}

/**
 * Members of system:masters may do everything. For other users, the first authorizer that allows the request decides. A
 * denial includes the reasons given by all authorizers.
 */
export function createAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(attributes) {
      if (isMaster(attributes.user)) return { allowed: true, reason: '' };
      return firstAllowed(authorizers, attributes, 0, []);
    },
  };
}

/** Synchronous if all authorizers called are synchronous. */
function firstAllowed(
  authorizers: readonly Authorizer[],
  attributes: RequestAttributes,
  position: number,
  reasons: readonly string[],
): Decision | Promise<Decision> {
  const authorizer = authorizers[position];
  if (authorizer === undefined) return { allowed: false, reason: reasons.join('\n') };
  const continueWith = (decision: Decision) => {
    if (decision.allowed) return decision;
    const known = decision.reason === '' ? reasons : [...reasons, decision.reason];
    return firstAllowed(authorizers, attributes, position + 1, known);
  };
  const decision = authorizer.authorize(attributes);
  return decision instanceof Promise ? decision.then(continueWith) : continueWith(decision);
}

function reviewedRules(rbac: RbacAuthorizer, user: UserInfo, namespace: string): ReviewedRules {
  const { rules, errors } = rbac.rulesFor(user, namespace);
  const isNode = nodeNameOf(user) !== undefined;
  const problems = [
    ...(isNode ? ['node authorizer does not support user rule resolution'] : []),
    ...errors.map((error) => error.message),
  ];
  return { rules, incomplete: problems.length > 0, evaluationError: problems.join(', ') };
}

/** Parses the bundle again when its text changes. */
function trustStoreOf(bundle: () => string): () => TrustStore {
  let current: { readonly pem: string; readonly trust: TrustStore } | undefined;
  return () => {
    const pem = bundle();
    if (current?.pem !== pem) current = { pem, trust: new TrustStore(pem) };
    return current.trust;
  };
}

function deferredReader(reader: () => ObjectReader): ObjectReader {
  return {
    get: (type, namespace, name) => reader().get(type, namespace, name),
    list: (type, namespace) => reader().list(type, namespace),
    revisionOf: (type) => reader().revisionOf(type),
  };
}
