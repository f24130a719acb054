import { X509Certificate } from 'node:crypto';
import { splitPemBundle } from './certificate-info.ts';
import { PkiError } from './pki-error.ts';

/** Why a certificate is not trusted, with the messages of Go's crypto/x509. */
export type DistrustReason =
  | 'x509: certificate signed by unknown authority'
  | 'x509: certificate has expired or is not yet valid'
  | 'x509: certificate specifies an incompatible key usage'
  | 'x509: malformed certificate';

/**
 * If the certificate is trusted, `notBeforeMs` and `notAfterMs` limit the period in which both certificate and CA are
 * valid.
 */
export type TrustResult =
  | { readonly trusted: true; readonly notBeforeMs: number; readonly notAfterMs: number }
  | { readonly trusted: false; readonly reason: DistrustReason };

const OID = { 'client auth': '1.3.6.1.5.5.7.3.2', 'server auth': '1.3.6.1.5.5.7.3.1', any: '2.5.29.37.0' } as const;

/**
 * The CAs of one cluster. Verifies certificates itself instead of relying on the TLS layer, because one TLS listener
 * may serve many clusters, and because a rotation changes the bundle while connections are open.
 */
export class TrustStore {
  readonly #authorities: readonly X509Certificate[];

  /** `bundlePem` may contain several CAs: the old and the new one during a rotation. */
  constructor(bundlePem: string) {
    this.#authorities = splitPemBundle(bundlePem).map((pem) => new X509Certificate(pem));
    if (this.#authorities.length === 0) throw new PkiError('CA bundle holds no certificate');
    if (this.#authorities.some((authority) => !authority.ca)) {
      throw new PkiError('CA bundle holds a certificate that is not an authority');
    }
  }

  /**
   * Verifies that one of the CAs signed a certificate, and that the certificate is meant for `usage`. Also returns the
   * certificate's validity period, which is all that matters while a connection stays open. Intermediates are not
   * supported: Kubernetes' own PKI has none.
   */
  verify(der: Uint8Array, usage: 'client auth' | 'server auth'): TrustResult {
    const certificate = decode(der);
    if (certificate === undefined) return { trusted: false, reason: 'x509: malformed certificate' };
    const issuer = this.#authorities.find(
      (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
    );
    if (issuer === undefined) return { trusted: false, reason: 'x509: certificate signed by unknown authority' };
    // Without the extension a certificate is valid for all usages, RFC 5280 4.2.1.12.
    const usages: readonly string[] | undefined = certificate.keyUsage;
    if (usages !== undefined && !usages.includes(OID[usage]) && !usages.includes(OID.any)) {
      return { trusted: false, reason: 'x509: certificate specifies an incompatible key usage' };
    }
    return {
      trusted: true,
      notBeforeMs: Math.max(certificate.validFromDate.getTime(), issuer.validFromDate.getTime()),
      notAfterMs: Math.min(certificate.validToDate.getTime(), issuer.validToDate.getTime()),
    };
  }

  /** Why a certificate for `usage` is not trusted at `nowMs`; undefined if it is trusted. */
  distrustReasonOf(der: Uint8Array, usage: 'client auth' | 'server auth', nowMs: number): DistrustReason | undefined {
    const result = this.verify(der, usage);
    if (!result.trusted) return result.reason;
    const isCurrent = result.notBeforeMs <= nowMs && nowMs <= result.notAfterMs;
    return isCurrent ? undefined : 'x509: certificate has expired or is not yet valid';
  }
}

function decode(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}
