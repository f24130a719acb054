import { X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import type { ClusterPki } from './cluster-pki.ts';
import {
  type CertificateRequirement,
  type ComponentName,
  certificateRequirements,
  issueComponentCertificate,
  type ServerNames,
  signerOf,
} from './component-certificates.ts';
import { planRenewal, type Renewal, type StoredCertificate } from './plan-renewal.ts';

export interface CertificateWithKey {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export type ComponentCertificates = ReadonlyMap<ComponentName, CertificateWithKey>;

export interface RenewedCertificates {
  readonly certificates: ComponentCertificates;
  /** Newly issued certificates; empty if nothing has changed, so nothing needs to be stored. */
  readonly renewals: readonly Renewal[];
}

/** The certificates that a control plane needs: valid certificates are reused, the others are issued. */
export async function renewCertificates(
  pki: ClusterPki,
  names: ServerNames,
  held: ComponentCertificates,
  clock: Clock,
): Promise<RenewedCertificates> {
  const requirements = certificateRequirements(names);
  const renewals = planRenewal(requirements, storedCertificates(pki, requirements, held), clock.now());
  const certificates = new Map(held);
  for (const { requirement } of renewals) {
    certificates.set(requirement.component, await issueComponentCertificate(pki, requirement, clock));
  }
  return { certificates, renewals };
}

function storedCertificates(
  pki: ClusterPki,
  requirements: readonly CertificateRequirement[],
  held: ComponentCertificates,
): Map<ComponentName, StoredCertificate> {
  const found = new Map<ComponentName, StoredCertificate>();
  for (const requirement of requirements) {
    const { component } = requirement;
    const certificate = held.get(component);
    if (certificate === undefined) continue;
    const info = certificateInfo(certificate.certificatePem);
    found.set(component, {
      info,
      isSignedByActive: isIssuedBy(certificate.certificatePem, signerOf(pki, requirement).certificatePem),
    });
  }
  return found;
}

function isIssuedBy(certificatePem: string, authorityPem: string): boolean {
  const authority = new X509Certificate(authorityPem);
  const certificate = new X509Certificate(certificatePem);
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}
