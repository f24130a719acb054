import { networkInterfaces } from 'node:os';
import type { Clock } from '@fairway/base/clock';
import { every } from '@fairway/base/every';
import type { Logger } from '@fairway/base/log';
import type { Registry } from 'prom-client';
import type { EmbeddedEngine } from '../fairway/embedded-engine.ts';
import { addCertificateMetrics } from '../serve/certificate-metrics.ts';
import type { ListenAddress } from '../serve/listen-address.ts';
import { type CertificateFiles, OwnCertificate } from '../serve/own-certificate.ts';
import { type AdvertisedAddress, certificateNames, clientUrl } from '../serve/server-address.ts';
import type { Home } from './home.ts';
import { kubeconfigNamespace } from './kubeconfig-namespace.ts';
import { adminKubeconfig, CERTIFICATE_RENEWAL_MS, type ServerPki, serverTls } from './server-pki.ts';

export interface ApiListenerOptions {
  readonly home: Home;
  readonly pki: ServerPki;
  readonly listen: ListenAddress;
  /** The address at which clients reach the API, if different from the listen address. */
  readonly advertised: AdvertisedAddress | undefined;
  /** Additional names and addresses of the API's certificate. */
  readonly subjectAltNames: readonly string[];
  /** The operator's own certificate. */
  readonly certificate: CertificateFiles | undefined;
  /** The namespace of a new kubeconfig; `default` by default. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ApiListener {
  /** URL for clients. */
  readonly url: string;
  /** The API's certificate, for other servers of the process. */
  readonly names: Parameters<typeof certificateNames>[0];
  addMetrics(registry: Registry): void;
  /** Stops the renewal of certificates; the server closes its listener itself. */
  close(): void;
}

/**
 * Serves Fairway's API to clients. Writes the administrator's kubeconfig, and the CA for clients without a kubeconfig.
 */
export async function listenForClients(
  { server }: Pick<EmbeddedEngine, 'server'>,
  options: ApiListenerOptions,
): Promise<ApiListener> {
  const { home, pki, listen, advertised: advertisedAddress, subjectAltNames, clock, log } = options;
  const names = { listen, advertisedAddress: advertisedAddress, subjectAltNames, interfaces: networkInterfaces() };
  const ownCertificate = options.certificate && new OwnCertificate(options.certificate, { clock, log });
  const tls = await serverTls(pki, certificateNames(names), clock);
  const listener = await server.listen({
    ...listen,
    tls,
    certificateFor: ownCertificate && ((name) => ownCertificate.contextFor(name)),
  });
  const url = clientUrl(names, listener.port);
  const trusted = ownCertificate?.covers(new URL(url).hostname)
    ? ownCertificate.authority
    : pki.authority.certificatePem;
  const writeKubeconfig = async () => {
    const namespace = kubeconfigNamespace(home, options.namespace);
    await home.replace(home.kubeconfig, await adminKubeconfig(pki, { url, trusted, namespace }, clock));
  };
  await writeKubeconfig();
  // Writes the CA for browsers, which have no kubeconfig.
  await home.replace(home.apiAuthority, trusted ?? pki.authority.certificatePem);
  const stopRenewal = every(CERTIFICATE_RENEWAL_MS, clock, async () => {
    listener.setTls(await serverTls(pki, certificateNames(names), clock));
    await writeKubeconfig();
  });
  return {
    url,
    names,
    addMetrics: (registry) => ownCertificate && addCertificateMetrics(registry, ownCertificate),
    close: () => {
      void stopRenewal();
      ownCertificate?.close();
    },
  };
}
