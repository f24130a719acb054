import { X509Certificate } from 'node:crypto';
import { CLUSTER_LABEL, CLUSTER_UID_LABEL, SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { certificateInfo } from '@fairway/kube/pki/certificate-info';
import type { ClusterIdentity } from '../runtime.ts';
import type { ClusterPki } from './cluster-pki.ts';
import {
  type CertificateRequirement,
  type ComponentName,
  certificateRequirements,
  issueComponentCertificate,
  type ServerNames,
} from './component-certificates.ts';
import { type HeldCertificate, planRenewal, type Renewal } from './plan-renewal.ts';

export const CERTIFICATES_SECRET_TYPE = 'fairway.dev/cluster-certificates';

export interface CertificateWithKey {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

export type ComponentCertificates = ReadonlyMap<ComponentName, CertificateWithKey>;

export interface RenewedCertificates {
  readonly certificates: ComponentCertificates;
  /** What was issued; empty when nothing has changed, and nothing need be stored. */
  readonly renewals: readonly Renewal[];
}

/** The certificates that a control plane needs: those held that are still good, and new ones for the rest. */
export async function renewCertificates(
  pki: ClusterPki,
  names: ServerNames,
  held: ComponentCertificates,
  clock: Clock,
): Promise<RenewedCertificates> {
  const requirements = certificateRequirements(names);
  const renewals = planRenewal(requirements, holdings(pki, requirements, held), clock.now());
  const certificates = new Map(held);
  for (const { requirement } of renewals) {
    certificates.set(requirement.component, await issueComponentCertificate(pki, requirement, clock));
  }
  return { certificates, renewals };
}

function holdings(
  pki: ClusterPki,
  requirements: readonly CertificateRequirement[],
  held: ComponentCertificates,
): Map<ComponentName, HeldCertificate> {
  const found = new Map<ComponentName, HeldCertificate>();
  for (const { component, authority } of requirements) {
    const certificate = held.get(component);
    if (certificate === undefined) continue;
    const info = certificateInfo(certificate.certificatePem);
    found.set(component, {
      info,
      isSignedByActive: isIssuedBy(certificate.certificatePem, pki[authority].active.certificatePem),
    });
  }
  return found;
}

function isIssuedBy(certificatePem: string, authorityPem: string): boolean {
  const authority = new X509Certificate(authorityPem);
  const certificate = new X509Certificate(certificatePem);
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

export function certificatesSecretName(clusterUid: string): string {
  return `cluster-${clusterUid}-certificates`;
}

/** The Secret of a control plane's certificates: `NAME.crt` and `NAME.key` for each component. */
export function certificatesSecret(
  { uid, name, namespace }: ClusterIdentity,
  certificates: ComponentCertificates,
): Secret {
  const data: Record<string, string> = {};
  for (const [component, { certificatePem, privateKeyPem }] of certificates) {
    data[`${component}.crt`] = Buffer.from(certificatePem).toString('base64');
    data[`${component}.key`] = Buffer.from(privateKeyPem).toString('base64');
  }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: certificatesSecretName(uid),
      namespace: SYSTEM_NAMESPACE,
      labels: { [CLUSTER_UID_LABEL]: uid },
      annotations: { [CLUSTER_LABEL]: `${namespace}/${name}` },
    },
    type: CERTIFICATES_SECRET_TYPE,
    data,
  };
}

/** What a Secret holds; an entry without its other half is left out, so that it is issued anew. */
export function parseCertificatesSecret(secret: Secret, names: ServerNames): ComponentCertificates {
  const certificates = new Map<ComponentName, CertificateWithKey>();
  for (const { component } of certificateRequirements(names)) {
    const certificate = secret.data?.[`${component}.crt`];
    const key = secret.data?.[`${component}.key`];
    if (certificate === undefined || key === undefined) continue;
    certificates.set(component, { certificatePem: decode(certificate), privateKeyPem: decode(key) });
  }
  return certificates;
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}
