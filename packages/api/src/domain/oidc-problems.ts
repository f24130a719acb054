import { X509Certificate } from 'node:crypto';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { ClusterSpec } from '../kinds/cluster.ts';

/** Who issues the tokens of a cluster's ServiceAccounts. */
export const SERVICE_ACCOUNT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

/**
 * From here on an AuthenticationConfiguration has `egressSelectorType`, so that kube-apiserver asks issuers by way of Fairway's egress proxy.
 * Older ones connect to them past all rules, to wherever a tenant's issuer redirects.
 */
const FIRST_MINOR_WITH_CONFINED_ISSUERS = 34;

type Oidc = NonNullable<ClusterSpec['apiServer']['oidc']>;

const FIELD = 'spec.apiServer.oidc';
const MOST_REQUIRED_CLAIMS = 32;
const LONGEST_CLAIM = 253;
/** Names that mean something within the cluster alone, or to each machine another. */
const INSIDE = /(?:^|\.)(?:svc|cluster\.local|localhost)\.?$/i;
const LOOPBACK = /^(?:127\.|0\.|\[::1?\]$|\[::ffff:7f|169\.254\.|\[fe[89ab])/i;
const HOST = /^https:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:\/|$)/i;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** What kube-apiserver would not start with, or could never use; pure. */
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

/** Why OIDC is not applied to a control plane of this version that runs as processes, if so; pure. */
export function oidcVersionProblem(version: string): string | undefined {
  if (Number(version.split('.')[1]) >= FIRST_MINOR_WITH_CONFINED_ISSUERS) return undefined;
  return `${FIELD}: Kubernetes ${version} asks issuers past all rules about what it may connect to; upgrade to 1.${FIRST_MINOR_WITH_CONFINED_ISSUERS} or later`;
}

function issuerErrors(issuer: string): FieldError[] {
  const invalid = (detail: string) => [invalidField('issuerURL', issuer, detail)];
  const url = URL.parse(issuer);
  if (url === null) return invalid('is no URL: write it as https://login.example.org/realm');
  if (url.protocol !== 'https:') return invalid('must begin with https://');
  if (url.username !== '' || url.password !== '') return invalid('must hold no user and no password');
  if (issuer.includes('?') || issuer.includes('#')) return invalid('must have no query and no fragment');
  // As Go's parser, which reads none of these in a URL.
  if (/[\s\\]|%(?![0-9a-f]{2})/i.test(issuer) || !/^[\x20-\x7e]*$/.test(issuer)) {
    return invalid(
      'must hold printable ASCII alone, without spaces and backslashes, and % only before two hexadecimal digits',
    );
  }
  if (!HOST.test(issuer)) return invalid('must name a host by letters, digits, dots and hyphens, or by its address');
  if (stripped(issuer) === SERVICE_ACCOUNT_ISSUER)
    return invalid("is the cluster's own issuer of tokens for ServiceAccounts: name another");
  if (INSIDE.test(url.hostname)) {
    return invalid('is a name within the cluster, and the API server runs outside: use one that the Internet knows');
  }
  if (LOOPBACK.test(url.hostname))
    return invalid('is an address of the machine that runs the API server: use a public one');
  return [];
}

function stripped(url: string): string {
  return url.replace(/\/+$/, '');
}

function authorityErrors(pem: string | undefined): FieldError[] {
  if (pem === undefined || pem === '') return [];
  const invalid = (detail: string) => [invalidField('certificateAuthority', `${pem.slice(0, 40)}…`, detail)];
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) {
    return invalid(
      'holds no certificate: put PEM there, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
    );
  }
  for (const [index, block] of blocks.entries()) {
    try {
      // Read whole: a certificate that is cut off throws.
      if (new X509Certificate(block).raw.length === 0) throw new Error('it is empty');
    } catch {
      return invalid(`its certificate ${index + 1} of ${blocks.length} cannot be read: copy it again as a whole`);
    }
  }
  return [];
}

function requiredClaimErrors(claims: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(claims);
  if (names.length > MOST_REQUIRED_CLAIMS) {
    return [invalidField('requiredClaims', names.length, `at most ${MOST_REQUIRED_CLAIMS} claims may be required`)];
  }
  return Object.entries(claims).flatMap(([name, value]) => {
    if (name === '' || name.length > LONGEST_CLAIM) {
      return [invalidField('requiredClaims', name.slice(0, 40), `a claim's name has 1 to ${LONGEST_CLAIM} characters`)];
    }
    return [...textErrors('requiredClaims', name), ...textErrors(`requiredClaims[${name}]`, value)];
  });
}

/** Half a surrogate pair and control characters have no form in the files that kube-apiserver reads. */
function textErrors(field: string, value: string): FieldError[] {
  if (value.isWellFormed() && !/\p{Cc}/u.test(value)) return [];
  return [
    invalidField(field, JSON.stringify(value).slice(0, 80), 'must hold no control characters and no half characters'),
  ];
}

function invalidField(field: string, value: unknown, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: `${FIELD}.${field}`, value, detail };
}
