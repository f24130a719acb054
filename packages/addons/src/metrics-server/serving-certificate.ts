import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

/** The data of its Secret, in base64: the certificate with its key, and the authorities that the API server verifies it with. */
export interface ServingCertificate {
  readonly 'tls.crt': string;
  readonly 'tls.key': string;
  /** The authority that signed it, and the previous one, whose certificate pods may still present. */
  readonly 'ca.crt': string;
}

const VALIDITY_MS = 365 * 86_400_000;
/** Renewed when a third of its lifetime is left, like certificates of the control plane. */
const RENEWAL_SHARE = 1 / 3;
/** Limit for each entry of the Secret; Fairway's have some 1 KiB. A tenant may write anything there. */
const MAX_LENGTH = 8192;

/** The certificate for `dnsName` in a Secret of the tenant's cluster; undefined if a new one is needed. */
export function heldCertificate(
  secret: Secret | undefined,
  dnsName: string,
  nowMs: number,
): ServingCertificate | undefined {
  const { 'tls.crt': certificate = '', 'tls.key': key = '', 'ca.crt': authorities = '' } = secret?.data ?? {};
  if ([certificate, key, authorities].some(({ length }) => length === 0 || length > MAX_LENGTH)) return undefined;
  try {
    const leaf = new X509Certificate(decode(certificate));
    const [signer = ''] = splitPemBundle(decode(authorities));
    const authority = new X509Certificate(signer);
    const [fromMs, toMs] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
    const isGood =
      nowMs >= fromMs &&
      nowMs < toMs - (toMs - fromMs) * RENEWAL_SHARE &&
      leaf.checkHost(dnsName) !== undefined &&
      leaf.checkPrivateKey(createPrivateKey(decode(key))) &&
      leaf.checkIssued(authority) &&
      leaf.verify(authority.publicKey);
    return isGood ? { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authorities } : undefined;
  } catch {
    // It is not a certificate.
    return undefined;
  }
}

/**
 * Issues a certificate, signed by an authority of its own. The authority's key is not kept, so that it never vouches for anything
 * else, and it is independent of the cluster's own authorities and their rotation. The previous authority remains trusted until
 * the next renewal.
 */
export async function issueServingCertificate(
  dnsName: string,
  former: Secret | undefined,
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
    'ca.crt': encode(authority.certificatePem + signerOf(former)),
  };
}

/** The authorities that the API server trusts so far; empty if they are unusable. */
function signerOf(former: Secret | undefined): string {
  const authorities = former?.data?.['ca.crt'] ?? '';
  if (authorities.length > MAX_LENGTH) return '';
  const [signer = ''] = splitPemBundle(decode(authorities));
  try {
    return new X509Certificate(signer).ca ? signer : '';
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
