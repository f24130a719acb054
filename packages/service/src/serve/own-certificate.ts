import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { splitPemBundle } from '@fairway/kube/pki/certificate-info';
import { usageError } from '../command-error.ts';

/** Files of the operator's own serving certificate, in PEM. */
export interface CertificateFiles {
  /** The certificate with its intermediates. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The CA that clients need to trust the certificate, if it is not publicly trusted. */
  readonly caFile?: string | undefined;
}

interface LoadedCertificate {
  readonly text: string;
  readonly leaf: X509Certificate;
  readonly context: SecureContext;
}

/** How often the files are checked; the kubelet replaces the files of a Secret within a minute or two. */
const POLL_INTERVAL_MS = 60_000;

/**
 * The operator's own certificate, presented to clients that request one of its names (SNI). All other clients get the
 * certificate from Fairway's authority, so that addresses and the names within a cluster still work. The certificate is
 * reloaded when its files are replaced. If the replacement is invalid, the error is logged and the old certificate is
 * kept.
 */
export class OwnCertificate {
  readonly #files: CertificateFiles;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** PEM of an additional CA that clients need; undefined if the certificate is publicly trusted. */
  readonly authority: string | undefined;
  #current: LoadedCertificate;
  #timer: Timer;

  /** Throws a CommandError that names the file and the problem. */
  constructor(files: CertificateFiles, { clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    this.#current = load(files, clock);
    this.authority = authorityOf(files, this.#current.leaf);
    this.#timer = clock.after(POLL_INTERVAL_MS, () => this.#reload());
  }

  get validToMs(): number {
    return this.#current.leaf.validToDate.getTime();
  }

  /** Whether clients that connect to this host get this certificate. */
  covers(host: string): boolean {
    return this.#current.leaf.checkHost(host) !== undefined;
  }

  /** The TLS context for a client that requested this name; undefined for Fairway's own certificate. */
  contextFor(serverName: string): SecureContext | undefined {
    return this.covers(serverName) ? this.#current.context : undefined;
  }

  close(): void {
    this.#timer.cancel();
  }

  #reload(): void {
    this.#timer = this.#clock.after(POLL_INTERVAL_MS, () => this.#reload());
    try {
      if (textOf(this.#files) === this.#current.text) return;
      this.#current = load(this.#files, this.#clock);
      this.#log.info({ validTo: this.#current.leaf.validTo }, 'loaded the new serving certificate');
    } catch (error) {
      this.#log.error({ err: error }, 'could not load the new serving certificate');
    }
  }
}

function load(files: CertificateFiles, clock: Clock): LoadedCertificate {
  const { certFile, keyFile } = files;
  const [cert, key] = [read('tls.certFile', certFile), read('tls.keyFile', keyFile)];
  const leaf = parsed('tls.certFile', certFile, () => new X509Certificate(cert));
  const privateKey = parsed('tls.keyFile', keyFile, () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(privateKey)) {
    throw usageError(`tls.keyFile ${keyFile} is not the key of the certificate in tls.certFile ${certFile}`);
  }
  if (leaf.validToDate.getTime() <= clock.now()) {
    throw usageError(`tls.certFile ${certFile}: the certificate expired on ${leaf.validToDate.toISOString()}`);
  }
  if (leaf.subjectAltName === undefined) {
    throw usageError(
      `tls.certFile ${certFile}: the certificate has no subject alternative names, which clients require`,
    );
  }
  return { text: cert + key, leaf, context: createSecureContext({ cert, key, minVersion: 'TLSv1.2' }) };
}

function textOf({ certFile, keyFile }: CertificateFiles): string {
  return read('tls.certFile', certFile) + read('tls.keyFile', keyFile);
}

/** The contents of `caFile`, or else the certificate itself if it is self-signed. */
function authorityOf({ caFile }: CertificateFiles, leaf: X509Certificate): string | undefined {
  if (caFile === undefined) return leaf.checkIssued(leaf) ? leaf.toString() : undefined;
  const text = read('tls.caFile', caFile);
  const certificates = parsed('tls.caFile', caFile, () => splitPemBundle(text));
  if (certificates.length === 0) throw usageError(`tls.caFile ${caFile} contains no PEM certificate`);
  for (const certificate of certificates) parsed('tls.caFile', caFile, () => new X509Certificate(certificate));
  return certificates.join('');
}

function read(key: string, file: string): string {
  return parsed(key, file, () => readFileSync(file, 'utf8'));
}

function parsed<T>(key: string, file: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw usageError(`${key} ${file}: ${(error as Error).message}`, undefined, error);
  }
}
