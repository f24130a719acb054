import type { Clock } from '@fairway/base/clock';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import type { FrontProxyIdentity } from './destination.ts';
import { FRONT_PROXY_USER } from './front-proxy.ts';

const DAY_MS = 86_400_000;
const VALIDITY_MS = 30 * DAY_MS;
const RENEW_BEFORE_MS = 10 * DAY_MS;

/** The certificate that a server presents to other API servers: issued on first use, and renewed before it expires. */
export function frontProxyIdentity(authority: CertificateAuthority, clock: Clock): FrontProxyIdentity {
  let current: { readonly renewAtMs: number; readonly issued: ReturnType<FrontProxyIdentity> } | undefined;

  async function issue() {
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
      commonName: FRONT_PROXY_USER,
      usages: 'client',
      validityMs: VALIDITY_MS,
      clock,
    });
    return { certificate: certificatePem, privateKey: privateKeyPem };
  }

  return () => {
    if (current === undefined || clock.now() >= current.renewAtMs) {
      const issued = issue();
      current = { renewAtMs: clock.now() + VALIDITY_MS - RENEW_BEFORE_MS, issued };
      issued.catch(() => {
        current = undefined;
      });
    }
    return current.issued;
  };
}
