import { trimmedEnd } from '@fairway/base/trim';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { ClusterSpec } from '../kinds/cluster.ts';
import { authorityProblem } from './authority-problem.ts';

/** Issuer of a cluster's ServiceAccount tokens. */
export const SERVICE_ACCOUNT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

/**
 * First version whose AuthenticationConfiguration supports `egressSelectorType`, which lets kube-apiserver contact
 * issuers through Fairway's proxy. Older versions bypass the egress rules: they connect directly to wherever a tenant's
 * issuer redirects.
 */
const FIRST_MINOR_WITH_CONFINED_ISSUERS = 34;

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

const FIELD = 'spec.apiServer.oidc';
const MAX_REQUIRED_CLAIMS = 32;
const MAX_CLAIM_LENGTH = 253;
/** Names that resolve only within the cluster, or differently on each machine. */
const CLUSTER_INTERNAL_HOST = /(?:^|\.)(?:svc|cluster\.local|localhost)\.?$/i;
const LOOPBACK = /^(?:127\.|0\.|\[::1?\]$|\[::ffff:7f|169\.254\.|\[fe[89ab])/i;
const HTTPS_URL_PATTERN = /^https:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:\/|$)/i;

/** Settings that would make kube-apiserver fail to start, or that it could never use. Pure. */
export function oidcErrors(oidc: Oidc): FieldError[] {
  return [
    ...issuerErrors(oidc.issuerURL),
    ...authorityErrors(oidc.certificateAuthority),
    ...textErrors('clientID', oidc.clientID),
    ...textErrors('usernameClaim', oidc.usernameClaim),
    ...textErrors('usernamePrefix', oidc.usernamePrefix ?? ''),
    ...textErrors('groupsPrefix', oidc.groupsPrefix ?? ''),
    ...(oidc.groupsClaims ?? []).flatMap((claim, index) => textErrors(`groupsClaims[${index}]`, claim)),
    ...requiredClaimErrors(oidc.requiredClaims ?? {}),
  ];
}

/** Why OIDC is not applied to a process-based control plane at this version; undefined if it is applied. Pure. */
export function oidcVersionProblem(version: string): string | undefined {
  if (Number(version.split('.')[1]) >= FIRST_MINOR_WITH_CONFINED_ISSUERS) return undefined;
  return `${FIELD}: the API server of Kubernetes ${version} connects to issuers without the egress restrictions; upgrade to 1.${FIRST_MINOR_WITH_CONFINED_ISSUERS} or later`;
}

function issuerErrors(issuer: string): FieldError[] {
  const invalid = (detail: string) => [invalidField('issuerURL', issuer, detail)];
  const url = URL.parse(issuer);
  if (url === null) return invalid('is not a URL: use one such as https://login.example.org/realm');
  if (url.protocol !== 'https:') return invalid('must begin with https://');
  if (url.username !== '' || url.password !== '') return invalid('must not contain a user or password');
  if (issuer.includes('?') || issuer.includes('#')) return invalid('must have no query and no fragment');
  // Go's URL parser rejects all of these.
  if (/[\s\\]|%(?![0-9a-f]{2})/i.test(issuer) || !/^[\x20-\x7e]*$/.test(issuer)) {
    return invalid(
      'must contain only printable ASCII without spaces and backslashes, and % only before two hexadecimal digits',
    );
  }
  if (!HTTPS_URL_PATTERN.test(issuer))
    return invalid('must have a host name of letters, digits, dots and hyphens, or an IP address');
  if (withoutTrailingSlash(issuer) === SERVICE_ACCOUNT_ISSUER)
    return invalid("is the cluster's own issuer of ServiceAccount tokens: choose another one");
  if (CLUSTER_INTERNAL_HOST.test(url.hostname)) {
    return invalid('is a name within the cluster, but the API server runs outside of it: use a public name');
  }
  if (LOOPBACK.test(url.hostname))
    return invalid('is an address of the machine that runs the API server: use a public address');
  return [];
}

function withoutTrailingSlash(url: string): string {
  return trimmedEnd(url, '/');
}

function authorityErrors(pem: string | undefined): FieldError[] {
  const problem = authorityProblem(pem);
  if (pem === undefined || problem === undefined) return [];
  return [invalidField('certificateAuthority', `${pem.slice(0, 40)}…`, problem)];
}

function requiredClaimErrors(claims: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(claims);
  if (names.length > MAX_REQUIRED_CLAIMS) {
    return [invalidField('requiredClaims', names.length, `must have at most ${MAX_REQUIRED_CLAIMS} required claims`)];
  }
  return Object.entries(claims).flatMap(([name, value]) => {
    if (name === '' || name.length > MAX_CLAIM_LENGTH) {
      return [
        invalidField(
          'requiredClaims',
          name.slice(0, 40),
          `the name of a claim must have 1 to ${MAX_CLAIM_LENGTH} characters`,
        ),
      ];
    }
    return [...textErrors('requiredClaims', name), ...textErrors(`requiredClaims[${name}]`, value)];
  });
}

/** Lone surrogates and control characters can't be represented in kube-apiserver's configuration files. */
function textErrors(field: string, value: string): FieldError[] {
  if (value.isWellFormed() && !/\p{Cc}/u.test(value)) return [];
  return [
    invalidField(
      field,
      JSON.stringify(value).slice(0, 80),
      'must be plain text without line breaks and other control characters',
    ),
  ];
}

function invalidField(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: `${FIELD}.${field}`, value, detail };
}
