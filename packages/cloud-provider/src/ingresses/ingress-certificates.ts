import type { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { type BarbicanCertificates, type Certificates, NO_BARBICAN, problemOf } from '../tls/barbican-certificates.ts';
import type { SecretCertificate, TenantSecrets } from '../tls/tenant-secrets.ts';
import type { PresentIngressScope } from './ingress-scope.ts';
import type { TlsSpec } from './tls-traffic.ts';

interface Dependencies {
  readonly secrets: TenantSecrets;
  readonly certificates: BarbicanCertificates;
  readonly events: LoadBalancerEvents;
}

/**
 * Stores the certificates to serve and reports invalid ones. Resolves with references in the order of `spec.tls`, with
 * undefined if no certificate can be used, or with `unread` until the Secrets have been read.
 */
export async function ensureIngressCertificates(
  scope: PresentIngressScope,
  tls: TlsSpec | undefined,
  { secrets, certificates, events }: Dependencies,
): Promise<Certificates | undefined | 'unread'> {
  const { ingress, key, tenant } = scope;
  const warn = (message: string, subject: string) =>
    events.warning(tenant, ingress, 'CertificateNotReady', `spec.tls: ${message}`, subject);
  const { namespace = '' } = ingress.metadata;
  const names = tls?.secrets.map((name) => ({ namespace, name })) ?? [];
  const seen = secrets.read(tenant, key, names);
  if (seen === undefined) return 'unread';
  const desired = names.map((secret, index) => ({ secret, certificate: seen[index] as SecretCertificate }));
  const kept = await certificates.ensure(scope, desired);
  if (kept === undefined) warn(NO_BARBICAN, '');
  for (const each of kept ?? []) {
    const problem = problemOf(each);
    if (problem) warn(`Secret ${each.secret.name}: ${problem}`, each.secret.name);
  }
  const [first, ...others] = new Set(kept?.flatMap(({ reference }) => reference ?? []));
  return first === undefined ? undefined : [first, ...others];
}
