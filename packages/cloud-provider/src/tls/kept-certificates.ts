import { hasKeyManager } from '@fairway/tenancy/cloud/certificates';
import { loadBalancerOwnerOf } from '@fairway/tenancy/cloud/ownership';
import type { LoadBalancerScope } from '../load-balancers/load-balancer-scope.ts';
import {
  type CertificateScope,
  ensureCertificates,
  hasCertificates,
  removeCertificates,
  type WantedCertificate,
} from './certificate-store.ts';

/** Barbican references: the first is for clients without SNI or with an unknown host. */
export type Certificates = readonly [string, ...string[]];

export interface KeptCertificate extends WantedCertificate {
  /** Barbican reference; undefined if there was never a usable certificate. */
  readonly reference: string | undefined;
}

export const NO_BARBICAN = 'the cloud cannot store certificates: its catalog has no key-manager service (Barbican)';

/** Manages copies of Secrets in Barbican, for as long as an Octavia load balancer serves them. */
export class KeptCertificates {
  /** Keys of owners without stored certificates. */
  readonly #without = new Set<string>();
  /** Keys of owners whose Secrets changed more often than could be served. */
  readonly #behind = new Set<string>();
  /** By key: what load balancers serve, if known and if anything else may be stored. */
  readonly #served = new Map<string, readonly string[]>();

  /** Stores what is missing; in the order of `wanted`. Resolves with undefined if the cloud has no Barbican. */
  async ensure(
    scope: LoadBalancerScope,
    wanted: readonly WantedCertificate[],
  ): Promise<readonly KeptCertificate[] | undefined> {
    const { key, cloud } = scope;
    this.#served.delete(key);
    if (wanted.length === 0) return [];
    if (!(await hasKeyManager(cloud))) return undefined;
    this.#without.delete(key);
    const stored = await ensureCertificates(certificateScope(scope), wanted);
    if (stored.some(({ isBehind }) => isBehind)) this.#behind.add(key);
    else this.#behind.delete(key);
    return wanted.map((each, index) => ({ ...each, reference: stored[index]?.reference }));
  }

  /** The load balancer serves exactly these, or will be created with them. Valid until the next `ensure`. */
  serves(key: string, references: readonly string[]): void {
    this.#served.set(key, references);
  }

  /** Deletes what the load balancer no longer serves, as far as known. Resolves with whether a newer version can now be served. */
  async tidy(scope: LoadBalancerScope): Promise<boolean> {
    const { key } = scope;
    const used = this.#served.get(key);
    if (used === undefined || (used.length === 0 && this.#without.has(key))) return false;
    await removeCertificates(certificateScope(scope), used);
    if (used.length === 0) this.#without.add(key);
    return this.#behind.delete(key);
  }

  isAnyLeft(scope: LoadBalancerScope): Promise<boolean> {
    return hasCertificates(certificateScope(scope));
  }

  /** Deletes all certificates of a deleted load balancer. */
  async remove(scope: LoadBalancerScope): Promise<void> {
    await removeCertificates(certificateScope(scope), []);
  }

  forget(key: string): void {
    this.#without.delete(key);
    this.#behind.delete(key);
    this.#served.delete(key);
  }
}

/** The message for a Secret that cannot be served. */
export function problemOf({ certificate, reference }: KeptCertificate): string | undefined {
  if (!('problem' in certificate)) return undefined;
  const isOldServed = reference !== undefined;
  const rest = isOldServed ? 'its previous certificate is still served' : 'its hosts are served without a certificate';
  return `${certificate.problem}; ${rest}`;
}

function certificateScope({ cloud, owner, signal }: LoadBalancerScope): CertificateScope {
  const { kind, uid } = loadBalancerOwnerOf(owner);
  // A Service refers to its certificate directly.
  if (kind === 'service') throw new Error('Services have no certificates of their own');
  return { cloud, owner: { clusterUid: owner.clusterUid, kind, uid }, signal };
}
