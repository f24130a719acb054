import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import type { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { type Certificates, type KeptCertificates, NO_BARBICAN, problemOf } from '../tls/kept-certificates.ts';
import type { PresentGatewayScope } from './gateway-scope.ts';
import { byHostPrecedence } from './hostnames.ts';
import { isAccepted, isHttps, type ValidatedListener } from './listeners.ts';

interface Dependencies {
  readonly certificates: KeptCertificates;
  readonly events: LoadBalancerEvents;
}

/** The certificates that a Gateway serves. */
export interface ServedCertificates {
  readonly ports: ReadonlyMap<number, Certificates>;
  /** References to Barbican. */
  readonly used: readonly string[];
  /** Why listeners have no certificate, by listener name. */
  readonly uncertified: ReadonlyMap<string, string>;
}

/** Stores the certificates of accepted listeners and reports those that cannot be served. */
export async function ensureGatewayCertificates(
  scope: PresentGatewayScope,
  listeners: readonly ValidatedListener[],
  { certificates, events }: Dependencies,
): Promise<ServedCertificates> {
  const { gateway, tenant } = scope;
  const tell = (message: string, subject: string) =>
    events.warning(tenant, gateway, 'CertificateNotReady', message, subject);
  const served = listeners.filter((each) => isAccepted(each) && isHttps(each.listener));
  const wanted = new Map(served.flatMap((each) => each.certificates.map((one) => [shown(one.secret), one] as const)));
  const kept = await certificates.ensure(scope, [...wanted.values()]);
  if (kept === undefined) tell(NO_BARBICAN, '');
  for (const each of kept ?? []) {
    const problem = problemOf(each);
    if (problem) tell(`Secret ${shown(each.secret)}: ${problem}`, shown(each.secret));
  }
  const references = new Map(kept?.map(({ secret, reference }) => [shown(secret), reference]));
  const why = kept === undefined ? NO_BARBICAN : 'no certificate can be served: see ResolvedRefs';
  return servedBy(served, (secret) => references.get(shown(secret)), why);
}

/**
 * Clients without SNI, or with an unknown host, get the first certificate of the listener with the least specific hostname. For other clients Octavia selects
 * by the names in the certificates, not by listener. Pure.
 */
export function servedBy(
  listeners: readonly ValidatedListener[],
  referenceOf: (secret: SecretName) => string | undefined,
  why: string,
): ServedCertificates {
  const ports = new Map<number, Certificates>();
  const uncertified = new Map<string, string>();
  const generalFirst = listeners.toSorted((a, b) => byHostPrecedence(b.listener.hostname, a.listener.hostname));
  for (const { listener, certificates } of generalFirst) {
    const own = certificates.flatMap(({ secret }) => referenceOf(secret) ?? []);
    if (own.length === 0) uncertified.set(listener.name, why);
    const [first, ...others] = new Set([...(ports.get(listener.port) ?? []), ...own]);
    if (first !== undefined) ports.set(listener.port, [first, ...others]);
  }
  return { ports, used: [...new Set([...ports.values()].flat())], uncertified };
}

function shown({ namespace, name }: SecretName): string {
  return `${namespace}/${name}`;
}
