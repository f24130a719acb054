import { hasKeyManager } from '@fairway/tenancy/cloud/certificates';
import { loadBalancerOwnerOf } from '@fairway/tenancy/cloud/ownership';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';
import {
  type CertificateScope,
  type DesiredCertificate,
  ensureCertificates,
  hasCertificates,
  removeCertificates,
} from './certificate-store.ts';

/** Barbican references: the first is for clients without SNI or with an unknown host. */
export type Certificates = readonly [string, ...string[]];

export interface BarbicanCertificate extends DesiredCertificate {
  /** Barbican reference; undefined if there was never a usable certificate. */
  readonly reference: string | undefined;
}

export const NO_BARBICAN = 'the cloud cannot store certificates: its catalog has no key-manager service (Barbican)';

/** Manages copies of Secrets in Barbican, for as long as an Octavia load balancer serves them. */
export class BarbicanCertificates {
  /** Keys of owners without stored certificates. */
  readonly #ownersWithoutCertificates = new Set<string>();
  /** Keys of owners whose Secrets changed more often than their load balancers could be updated. */
  readonly #staleOwners = new Set<string>();
  /** What load balancers serve, by key, if that is known and certificates other than those may be stored. */
  readonly #served = new Map<string, readonly string[]>();

  /**
   * Stores missing certificates; resolves in the order of `desired`, or with undefined if the cloud has no Barbican.
   */
  async ensure(
    scope: LoadBalancerScope,
    desired: readonly DesiredCertificate[],
  ): Promise<readonly BarbicanCertificate[] | undefined> {
    const { key, cloud } = scope;
    this.#served.delete(key);
    if (desired.length === 0) return [];
    if (!(await hasKeyManager(cloud))) return undefined;
    this.#ownersWithoutCertificates.delete(key);
    const stored = await ensureCertificates(certificateScope(scope), desired);
    if (stored.some(({ isStale }) => isStale)) this.#staleOwners.add(key);
    else this.#staleOwners.delete(key);
    return desired.map((each, index) => ({ ...each, reference: stored[index]?.reference }));
  }

  /**
   * Records that the load balancer serves exactly these certificates, or will be created with them. The record is valid
   * until the next `ensure`.
   */
  markServed(key: string, references: readonly string[]): void {
    this.#served.set(key, references);
  }

  /**
   * Deletes certificates that the load balancer no longer serves, if the served ones are known. Resolves with whether a
   * newer version can now be served.
   */
  async cleanUp(scope: LoadBalancerScope): Promise<boolean> {
    const { key } = scope;
    const used = this.#served.get(key);
    if (used === undefined || (used.length === 0 && this.#ownersWithoutCertificates.has(key))) return false;
    await removeCertificates(certificateScope(scope), used);
    if (used.length === 0) this.#ownersWithoutCertificates.add(key);
    return this.#staleOwners.delete(key);
  }

  hasAnyLeft(scope: LoadBalancerScope): Promise<boolean> {
    return hasCertificates(certificateScope(scope));
  }

  /** Deletes all certificates of a deleted load balancer. */
  async remove(scope: LoadBalancerScope): Promise<void> {
    await removeCertificates(certificateScope(scope), []);
  }

  forget(key: string): void {
    this.#ownersWithoutCertificates.delete(key);
    this.#staleOwners.delete(key);
    this.#served.delete(key);
  }
}

/** The message for a Secret that cannot be served. */
export function problemOf({ certificate, reference }: BarbicanCertificate): string | undefined {
  if (!('problem' in certificate)) return undefined;
  const keepsPrevious = reference !== undefined;
  const rest = keepsPrevious
    ? 'its previous certificate is still served'
    : 'its hosts are served without a certificate';
  return `${certificate.problem}; ${rest}`;
}

function certificateScope({ cloud, owner, signal }: LoadBalancerScope): CertificateScope {
  const { kind, uid } = loadBalancerOwnerOf(owner);
  // A Service refers to a certificate in Barbican directly.
  if (kind === 'service') throw new Error('Services have no certificates of their own');
  return { cloud, owner: { clusterUid: owner.clusterUid, kind, uid }, signal };
}
