import { systemClock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

const DAY_MS = 86_400_000;

/**
 * The data of a new Secret of type `kubernetes.io/tls`: a certificate for the host, the CA certificate that signed it,
 * and its key.
 */
export async function tlsData(host: string): Promise<NonNullable<Secret['data']>> {
  const validity = { clock: systemClock, validityMs: DAY_MS };
  const certificateAuthority = await createCertificateAuthority({ ...validity, commonName: `authority of ${host}` });
  const certificate = await issueCertificate(certificateAuthority, {
    ...validity,
    commonName: host,
    dnsNames: [host],
    usages: 'server',
  });
  return {
    'tls.crt': base64(certificate.certificatePem + certificateAuthority.certificatePem),
    'tls.key': base64(certificate.privateKeyPem ?? ''),
  };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
