import { isDeepStrictEqual } from 'node:util';
import type { CertificateInfo } from '@fairway/kube/pki/certificate-info';
import type { CertificateRequirement, ComponentName } from './component-certificates.ts';

/** A certificate is renewed when a third of its lifetime remains, as in kubelet and cert-manager. */
const RENEWAL_FRACTION = 1 / 3;

export type RenewalReason = 'Missing' | 'Expiring' | 'NamesChanged' | 'SubjectChanged' | 'AuthorityChanged';

/** A stored certificate. */
export interface StoredCertificate {
  readonly info: Pick<
    CertificateInfo,
    'commonName' | 'organizations' | 'dnsNames' | 'ipAddresses' | 'notBeforeMs' | 'notAfterMs'
  >;
  /** Whether the current CA signed the certificate. */
  readonly isSignedByActive: boolean;
}

export interface Renewal {
  readonly requirement: CertificateRequirement;
  readonly reason: RenewalReason;
}

/** Which certificates need to be issued now, and why. */
export function planRenewal(
  requirements: readonly CertificateRequirement[],
  held: ReadonlyMap<ComponentName, StoredCertificate>,
  nowMs: number,
): Renewal[] {
  return requirements.flatMap((requirement) => {
    const reason = renewalReason(requirement, held.get(requirement.component), nowMs);
    return reason === undefined ? [] : [{ requirement, reason }];
  });
}

function renewalReason(
  requirement: CertificateRequirement,
  held: StoredCertificate | undefined,
  nowMs: number,
): RenewalReason | undefined {
  if (held === undefined) return 'Missing';
  const { info } = held;
  if (nowMs >= renewalTimeMs(info)) return 'Expiring';
  if (!held.isSignedByActive) return 'AuthorityChanged';
  const isSubjectUnchanged =
    info.commonName === requirement.commonName && isSameSet(info.organizations, requirement.organizations);
  if (!isSubjectUnchanged) return 'SubjectChanged';
  const areNamesUnchanged =
    isSameSet(info.dnsNames, requirement.dnsNames) && isSameSet(info.ipAddresses, requirement.ipAddresses);
  return areNamesUnchanged ? undefined : 'NamesChanged';
}

/** When a certificate should be renewed; the controller requeues for this time. */
export function renewalTimeMs(info: { readonly notBeforeMs: number; readonly notAfterMs: number }): number {
  return info.notAfterMs - (info.notAfterMs - info.notBeforeMs) * RENEWAL_FRACTION;
}

function isSameSet(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return isDeepStrictEqual(new Set(a), new Set(b));
}
