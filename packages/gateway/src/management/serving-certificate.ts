import { isIP } from 'node:net';
import type { TlsOptions } from '@fairway/apiserver/server/listener';
import type { Clock } from '@fairway/base/clock';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

const DAY_MS = 86_400_000;
const VALIDITY_MS = 90 * DAY_MS;
const RENEW_BEFORE_MS = 30 * DAY_MS;

/** A replica's serving certificate: issued by the shared CA, held in memory only. */
export class ServingCertificate {
  readonly #hosts: readonly string[];
  readonly #clock: Clock;
  #current: { readonly authority: CertificateAuthority; readonly notAfterMs: number } | undefined;

  /** `hosts` are the names and addresses at which clients and kube-apiserver reach the gateway. */
  constructor(hosts: readonly string[], clock: Clock) {
    this.#hosts = [...new Set(['localhost', '127.0.0.1', '::1', ...hosts])];
    this.#clock = clock;
  }

  /** A new serving certificate; undefined if the current one was signed by this CA and is far from its expiry. */
  async next(authority: CertificateAuthority): Promise<TlsOptions | undefined> {
    const shown = this.#current;
    const isValid =
      shown?.authority.certificatePem === authority.certificatePem &&
      shown.notAfterMs - this.#clock.now() > RENEW_BEFORE_MS;
    if (isValid) return undefined;
    const {
      certificatePem,
      privateKeyPem = '',
      notAfterMs,
    } = await issueCertificate(authority, {
      commonName: 'fairway-gateway',
      dnsNames: this.#hosts.filter((host) => isIP(host) === 0),
      ipAddresses: this.#hosts.filter((host) => isIP(host) !== 0),
      usages: 'server',
      validityMs: VALIDITY_MS,
      clock: this.#clock,
    });
    this.#current = { authority, notAfterMs };
    return { cert: certificatePem, key: privateKeyPem };
  }
}
