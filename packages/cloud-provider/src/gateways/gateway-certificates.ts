import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import type { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { type BarbicanCertificates, type Certificates, NO_BARBICAN, problemOf } from '../tls/barbican-certificates.ts';
import type { PresentGatewayScope } from './gateway-scope.ts';
import { byHostPrecedence } from './hostnames.ts';
import { isAccepted, isHttps, type ValidatedListener } from './listeners.ts';

interface Dependencies {
  readonly certificates: BarbicanCertificates;
  readonly events: LoadBalancerEvents;
}

/** The certificates that a Gateway serves. */
export interface ServedCertificates {
  readonly ports: ReadonlyMap<number, Certificates>;
  /** References to secrets in Barbican. */
  readonly used: readonly string[];
  /** Why listeners have no certificate, by listener name. */
  readonly withoutCertificate: ReadonlyMap<string, string>;
}

/** Stores the certificates of accepted listeners and reports those that cannot be served. */
export async function ensureGatewayCertificates(
  scope: PresentGatewayScope,
  listeners: readonly ValidatedListener[],
  { certificates, events }: Dependencies,
): Promise<ServedCertificates> {
  const { gateway, tenant } = scope;
  const warn = (message: string, subject: string) =>
    events.warning(tenant, gateway, 'CertificateNotReady', message, subject);
  const served = listeners.filter((each) => isAccepted(each) && isHttps(each.listener));
  const secretsByName = new Map(
    served.flatMap((each) => each.certificates.map((one) => [secretName(one.secret), one] as const)),
  );
  const kept = await certificates.ensure(scope, [...secretsByName.values()]);
  if (kept === undefined) warn(NO_BARBICAN, '');
  for (const each of kept ?? []) {
    const problem = problemOf(each);
    if (problem) warn(`Secret ${secretName(each.secret)}: ${problem}`, secretName(each.secret));
  }
  const references = new Map(kept?.map(({ secret, reference }) => [secretName(secret), reference]));
  const cause = kept === undefined ? NO_BARBICAN : 'no certificate can be served: see ResolvedRefs';
  return selectCertificates(served, (secret) => references.get(secretName(secret)), cause);
}

/**
 * Clients that send no SNI or an unknown host get the first certificate of the listener with the least specific
 * hostname. For other clients Octavia selects by the names in the certificates, not by listener. Pure.
 */
export function selectCertificates(
  listeners: readonly ValidatedListener[],
  referenceOf: (secret: SecretName) => string | undefined,
  cause: string,
): ServedCertificates {
  const ports = new Map<number, Certificates>();
  const withoutCertificate = new Map<string, string>();
  const leastSpecificFirst = listeners.toSorted((a, b) => byHostPrecedence(b.listener.hostname, a.listener.hostname));
  for (const { listener, certificates } of leastSpecificFirst) {
    const own = certificates.flatMap(({ secret }) => referenceOf(secret) ?? []);
    if (own.length === 0) withoutCertificate.set(listener.name, cause);
    const [first, ...others] = new Set([...(ports.get(listener.port) ?? []), ...own]);
    if (first !== undefined) ports.set(listener.port, [first, ...others]);
  }
  return { ports, used: [...new Set([...ports.values()].flat())], withoutCertificate };
}

function secretName({ namespace, name }: SecretName): string {
  return `${namespace}/${name}`;
}
