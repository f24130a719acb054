import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

/** The data of its Secret, in base64: the certificate with its key, and what the API server checks it by. */
export interface ServingCertificate {
  readonly 'tls.crt': string;
  readonly 'tls.key': string;
  /** The authority that signed it, and the one before, of which pods may still show a certificate. */
  readonly 'ca.crt': string;
}

const VALIDITY_MS = 365 * 86_400_000;
/** Renewed when a third of its time is left, as certificates of the control plane are. */
const RENEWAL_SHARE = 1 / 3;
/** Of each entry of the Secret; ours have some 1 KiB. A tenant may write what it likes there. */
const MAX_LENGTH = 8192;

/** The certificate for `dnsName` that a Secret of the tenant's cluster holds; undefined where it has to be issued. */
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
    // It is no certificate.
    return undefined;
  }
}

/**
 * A new certificate, by an authority that signs this one alone: its key is kept nowhere, so nothing else is ever trusted by it, and neither the
 * cluster's own authorities nor their rotation have to do with it. The former one's authority stays trusted until the next renewal.
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

/** What the API server trusts so far; empty where that is nothing to go on with. */
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
