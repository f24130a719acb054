import { hasKeyManager } from '@fairway/tenancy/cloud/certificates';
import { balancerOwnerOf } from '@fairway/tenancy/cloud/ownership';
import type { BalancerScope } from '../load-balancers/balancer-scope.ts';
import {
  type CertificateScope,
  ensureCertificates,
  hasCertificates,
  removeCertificates,
  type WantedCertificate,
} from './certificate-store.ts';

/** References to Barbican: the first is for clients that name no host, or one of no certificate. */
export type Certificates = readonly [string, ...string[]];

export interface KeptCertificate extends WantedCertificate {
  /** To Barbican; undefined if there has never been one that could be used. */
  readonly reference: string | undefined;
}

export const NO_BARBICAN = 'the cloud keeps no certificates: there is no key-manager service (Barbican) in its catalog';

/** Whose certificates are in Barbican: copies of Secrets, for as long as a load balancer of Octavia serves them. */
export class KeptCertificates {
  /** Keys of those of which nothing is stored. */
  readonly #without = new Set<string>();
  /** Keys of those whose Secrets have changed more often than could be served. */
  readonly #behind = new Set<string>();
  /** By key: what load balancers serve, where it is known and something else may be stored. */
  readonly #served = new Map<string, readonly string[]>();

  /** Stores what is missing; in the order of `wanted`. Resolves with undefined where the cloud has no Barbican. */
  async ensure(
    scope: BalancerScope,
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

  /** The load balancer serves these and no others, or is not there and is to be made with them. Until the next `ensure`. */
  serves(key: string, references: readonly string[]): void {
    this.#served.set(key, references);
  }

  /** Deletes what the load balancer does not serve any more, as far as that is known. Resolves with whether there is something newer to serve now. */
  async tidy(scope: BalancerScope): Promise<boolean> {
    const { key } = scope;
    const used = this.#served.get(key);
    if (used === undefined || (used.length === 0 && this.#without.has(key))) return false;
    await removeCertificates(certificateScope(scope), used);
    if (used.length === 0) this.#without.add(key);
    return this.#behind.delete(key);
  }

  isAnyLeft(scope: BalancerScope): Promise<boolean> {
    return hasCertificates(certificateScope(scope));
  }

  /** Deletes all of them, of a load balancer that is gone. */
  async remove(scope: BalancerScope): Promise<void> {
    await removeCertificates(certificateScope(scope), []);
  }

  forget(key: string): void {
    this.#without.delete(key);
    this.#behind.delete(key);
    this.#served.delete(key);
  }
}

/** What people are told of a Secret that can't be served as it is. */
export function problemOf({ certificate, reference }: KeptCertificate): string | undefined {
  if (!('problem' in certificate)) return undefined;
  const isOldServed = reference !== undefined;
  const rest = isOldServed ? 'the certificate that it had before is served' : 'its hosts have no certificate';
  return `${certificate.problem}; ${rest}`;
}

function certificateScope({ cloud, owner, signal }: BalancerScope): CertificateScope {
  const { kind, uid } = balancerOwnerOf(owner);
  // A Service names its certificate by itself.
  if (kind === 'service') throw new Error('Services have no certificates of their own');
  return { cloud, owner: { clusterUid: owner.clusterUid, kind, uid }, signal };
}
