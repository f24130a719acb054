import { X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks, pemOf } from '@fairway/kube/pki/pem';
import { PkiError } from '@fairway/kube/pki/pki-error';

const CERTIFICATE_BEGIN = '-----BEGIN CERTIFICATE-----';

/** Why a string is not a PEM certificate bundle; undefined if it is one or is empty. */
export function authorityProblem(pem: string | undefined): string | undefined {
  if (pem === undefined || pem === '') return undefined;
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) {
    return 'contains no certificate: it must be PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';
  }
  for (const [index, { der }] of blocks.entries()) {
    try {
      // The whole input is parsed: a truncated certificate throws.
      if (new X509Certificate(der).raw.length === 0) throw new Error('it is empty');
    } catch {
      return `certificate ${index + 1} of ${blocks.length} cannot be read: copy the whole certificate again`;
    }
  }
  const beginCount = pem.split(CERTIFICATE_BEGIN).length - 1;
  return beginCount === blocks.length
    ? undefined
    : `only ${blocks.length} of ${beginCount} certificates can be read: copy the whole file again`;
}

/** Only the certificates in a string, formatted as Go and OpenSSL write them. */
export function certificatesOf(pem: string): string {
  return certificateBlocks(pem).map(pemOf).join('');
}

function certificateBlocks(pem: string): PemBlock[] {
  try {
    return pemBlocks(pem).filter(({ type }) => type === 'CERTIFICATE');
  } catch (error) {
    if (error instanceof PkiError) return [];
    throw error;
  }
}
