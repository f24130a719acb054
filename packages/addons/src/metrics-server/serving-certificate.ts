import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

/**
 * The data of the Secret, in base64: the certificate with its key, and the CAs with which the API server verifies the
 * certificate.
 */
export interface ServingCertificate {
  readonly 'tls.crt': string;
  readonly 'tls.key': string;
  /**
   * The CA that signed the certificate, and the previous CA, because pods may still use a certificate that it issued.
   */
  readonly 'ca.crt': string;
}

const VALIDITY_MS = 365 * 86_400_000;
/** Renewed when a third of its lifetime is left, like control plane certificates. */
const RENEWAL_FRACTION = 1 / 3;
/**
 * Size limit for each entry in the Secret. Fairway's entries take about 1 KiB, but a tenant may write anything there.
 */
const MAX_LENGTH = 8192;

/** The certificate for `dnsName` in a Secret in the tenant's cluster; undefined if a new certificate is needed. */
export function validCertificate(
  secret: Secret | undefined,
  dnsName: string,
  nowMs: number,
): ServingCertificate | undefined {
  const { 'tls.crt': certificate = '', 'tls.key': key = '', 'ca.crt': authorities = '' } = secret?.data ?? {};
  if ([certificate, key, authorities].some(({ length }) => length === 0 || length > MAX_LENGTH)) return undefined;
  try {
    const leaf = new X509Certificate(decode(certificate));
    const [signerPem = ''] = splitPemBundle(decode(authorities));
    const authority = new X509Certificate(signerPem);
    const [fromMs, toMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    const isValid =
      nowMs >= fromMs &&
      nowMs < toMs - (toMs - fromMs) * RENEWAL_FRACTION &&
      leaf.checkHost(dnsName) !== undefined &&
      leaf.checkPrivateKey(createPrivateKey(decode(key))) &&
      leaf.checkIssued(authority) &&
      leaf.verify(authority.publicKey);
    return isValid ? { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authorities } : undefined;
  } catch {
    // The value is not a certificate.
    return undefined;
  }
}

/**
 * Issues a certificate, signed by a new CA. The CA's key is discarded, so it never signs anything else, and the CA is
 * independent of the cluster's own CAs and their rotation. The previous CA remains trusted until the next renewal.
 */
export async function issueServingCertificate(
  dnsName: string,
  previous: Secret | undefined,
  clock: Clock,
): Promise<ServingCertificate> {
  const authority = await createCertificateAuthority({
    commonName: `${dnsName} authority`,
    clock,
    validityMs: VALIDITY_MS,
  });
  const issued = await issueCertificate(authority, {
    commonName: dnsName,
    dnsNames: [dnsName],
    usages: 'server',
    validityMs: VALIDITY_MS,
    clock,
  });
  return {
    'tls.crt': encode(issued.certificatePem),
    'tls.key': encode(issued.privateKeyPem ?? ''),
    'ca.crt': encode(authority.certificatePem + previousSigner(previous)),
  };
}

/** The CA that the API server has trusted so far; empty if the CA is unusable. */
function previousSigner(previous: Secret | undefined): string {
  const authorities = previous?.data?.['ca.crt'] ?? '';
  if (authorities.length > MAX_LENGTH) return '';
  const [signerPem = ''] = splitPemBundle(decode(authorities));
  try {
    return new X509Certificate(signerPem).ca ? signerPem : '';
  } catch {
    return '';
  }
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
