import { hasKeyManager } from '@fairway/tenancy/cloud/certificates';
import type { BalancerEvents } from '../load-balancers/balancer-events.ts';
import {
  type CertificateScope,
  ensureCertificates,
  hasCertificates,
  removeCertificates,
} from '../tls/certificate-store.ts';
import type { SeenCertificate, TenantSecrets } from '../tls/tenant-secrets.ts';
import type { IngressScope, LivingIngress } from './ingress-scope.ts';
import type { TlsWishes } from './tls-traffic.ts';

interface Dependencies {
  readonly secrets: TenantSecrets;
  readonly events: BalancerEvents;
}

const NO_BARBICAN = 'the cloud keeps no certificates: there is no key-manager service (Barbican) in its catalog';

/** References to Barbican in the order of `spec.tls`; none if no certificate can be used. */
export type Certificates = readonly [string, ...string[]] | undefined;

/** The certificates of Ingresses in Barbican, which are copies of their Secrets. */
export class IngressCertificates {
  readonly #dependencies: Dependencies;
  /** Keys of those of which nothing is stored. */
  readonly #without = new Set<string>();
  /** Keys of those whose Secrets have changed more often than could be served. */
  readonly #behind = new Set<string>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Stores what is to be served and tells what can't be. Resolves with `unread` while its Secrets are not known yet. */
  async ensure(scope: LivingIngress, tls: TlsWishes | undefined): Promise<Certificates | 'unread'> {
    const { secrets } = this.#dependencies;
    const { ingress, key, tenant } = scope;
    const { namespace = '' } = ingress.metadata;
    const names = tls?.secrets.map((name) => ({ namespace, name })) ?? [];
    const seen = secrets.see(tenant, key, names);
    if (seen === undefined) return 'unread';
    if (names.length === 0) return undefined;
    if (!(await hasKeyManager(scope.cloud))) {
      this.#tell(scope, NO_BARBICAN, '');
      return undefined;
    }
    this.#without.delete(key);
    const wanted = names.map((secret, index) => ({ secret, certificate: seen[index] as SeenCertificate }));
    const references = await ensureCertificates(certificateScope(scope), wanted);
    for (const [index, { secret, certificate }] of wanted.entries()) {
      if (!('problem' in certificate)) continue;
      const isOldServed = references[index]?.reference !== undefined;
      const rest = isOldServed ? 'the certificate that it had before is served' : 'its hosts have no certificate';
      this.#tell(scope, `Secret ${secret.name}: ${certificate.problem}; ${rest}`, secret.name);
    }
    if (references.some(({ isBehind }) => isBehind)) this.#behind.add(key);
    else this.#behind.delete(key);
    const [first, ...others] = new Set(references.flatMap(({ reference }) => reference ?? []));
    return first === undefined ? undefined : [first, ...others];
  }

  /** Deletes what the load balancer does not serve any more. Resolves with whether there is something newer to serve now. */
  async tidy(scope: IngressScope, used: Certificates): Promise<boolean> {
    const { key } = scope;
    if (used === undefined && this.#without.has(key)) return false;
    await removeCertificates(certificateScope(scope), used ?? []);
    if (used === undefined) this.#without.add(key);
    return this.#behind.delete(key);
  }

  isAnyLeft(scope: IngressScope): Promise<boolean> {
    return hasCertificates(certificateScope(scope));
  }

  /** Deletes all of them, of a load balancer that is gone. */
  async remove(scope: IngressScope): Promise<void> {
    await removeCertificates(certificateScope(scope), []);
  }

  forget(key: string): void {
    this.#dependencies.secrets.forget(key);
    this.#without.delete(key);
    this.#behind.delete(key);
  }

  #tell({ ingress, tenant }: LivingIngress, message: string, subject: string): void {
    this.#dependencies.events.warning(tenant, ingress, 'CertificateNotReady', `spec.tls: ${message}`, subject);
  }
}

function certificateScope({ cloud, owner, signal }: IngressScope): CertificateScope {
  const { clusterUid, ingressUid: uid } = owner;
  return { cloud, owner: { clusterUid, kind: 'ingress', uid }, signal };
}
