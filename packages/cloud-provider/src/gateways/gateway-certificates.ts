import type { SecretName } from '@fairway/tenancy/cloud/certificate-name';
import type { BalancerEvents } from '../load-balancers/balancer-events.ts';
import { type Certificates, type KeptCertificates, NO_BARBICAN, problemOf } from '../tls/kept-certificates.ts';
import type { LivingGateway } from './gateway-scope.ts';
import { byHostPrecedence } from './hostnames.ts';
import { isAccepted, isHttps, type JudgedListener } from './listeners.ts';

interface Dependencies {
  readonly certificates: KeptCertificates;
  readonly events: BalancerEvents;
}

/** What of a Gateway's certificates is served. */
export interface ServedCertificates {
  readonly ports: ReadonlyMap<number, Certificates>;
  /** References to Barbican. */
  readonly used: readonly string[];
  /** By the name of a listener that has none: why. */
  readonly uncertified: ReadonlyMap<string, string>;
}

/** Stores the certificates of listeners that are accepted, and tells which ones can't be served as they are. */
export async function ensureGatewayCertificates(
  scope: LivingGateway,
  listeners: readonly JudgedListener[],
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
  const why = kept === undefined ? NO_BARBICAN : 'there is no certificate that can be served: see ResolvedRefs';
  return servedBy(served, (secret) => references.get(shown(secret)), why);
}

/**
 * Clients that name no host, or one of no certificate, get the first of the listener with the least specific hostname. Octavia chooses among the others by the names
 * in them, not by listeners. Pure.
 */
export function servedBy(
  listeners: readonly JudgedListener[],
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
