import { isIP } from 'node:net';
import { join } from 'node:path';
import type { TlsOptions } from '@fairway/apiserver/server/listener';
import type { Clock } from '@fairway/base/clock';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  loadCertificateAuthority,
} from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { type PemBlock, pemBlocks, pemOf } from '@fairway/kube/pki/pem';
import {
  createServiceAccountKeys,
  loadServiceAccountKeys,
  type ServiceAccountKeys,
} from '@fairway/kube/pki/service-account-keys';
import type { Home } from './home.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_VALIDITY_MS = 3650 * DAY_MS;
const CERTIFICATE_VALIDITY_MS = 365 * DAY_MS;
/** The administrator's and the server's certificates are reissued at every start, and at this interval afterwards. */
export const CERTIFICATE_RENEWAL_MS = 20 * DAY_MS;

/** The CAs of Fairway's own API. */
export interface ServerPki {
  readonly authority: CertificateAuthority;
  readonly serviceAccountKeys: ServiceAccountKeys;
}

/** Reads the CAs from the home, or creates them. Each is one file that is written atomically. */
export async function loadServerPki(home: Home, clock: Clock): Promise<ServerPki> {
  const authorityPath = join(home.pki, 'ca.pem');
  const keysPath = join(home.pki, 'service-account.key');
  const storedAuthority = home.read(authorityPath);
  const authority =
    storedAuthority === undefined
      ? await createCertificateAuthority({ commonName: 'fairway', clock, validityMs: AUTHORITY_VALIDITY_MS })
      : await loadCertificateAuthority(...splitAuthority(storedAuthority));
  if (storedAuthority === undefined) home.write(authorityPath, authority.certificatePem + authority.privateKeyPem);
  const storedKeys = home.read(keysPath);
  const serviceAccountKeys =
    storedKeys === undefined ? await createServiceAccountKeys() : await loadServiceAccountKeys(storedKeys, []);
  if (storedKeys === undefined) home.write(keysPath, serviceAccountKeys.signing.privateKeyPem);
  return { authority, serviceAccountKeys };
}

function splitAuthority(pem: string): [string, string] {
  const isKey = ({ type }: PemBlock) => type.endsWith('PRIVATE KEY');
  const blocks = pemBlocks(pem);
  const certificates = blocks.filter((block) => !isKey(block));
  return [certificates.map(pemOf).join(''), blocks.filter(isKey).map(pemOf).join('')];
}

/** The serving certificate of Fairway's API server, for these names and addresses and for loopback. */
export async function serverTls({ authority }: ServerPki, names: readonly string[], clock: Clock): Promise<TlsOptions> {
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', ...names])];
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
    commonName: 'fairway',
    dnsNames: hosts.filter((host) => isIP(host) === 0),
    ipAddresses: hosts.filter((host) => isIP(host) !== 0),
    usages: 'server',
    validityMs: CERTIFICATE_VALIDITY_MS,
    clock,
  });
  return { cert: certificatePem, key: privateKeyPem, clientCa: authority.certificatePem };
}

/**
 * A kubeconfig for the administrator of this Fairway. `trusted` is the CA of the server's certificate; undefined if the
 * certificate is publicly trusted.
 */
export async function adminKubeconfig(
  { authority }: ServerPki,
  {
    url,
    trusted,
    namespace,
  }: { readonly url: string; readonly trusted: string | undefined; readonly namespace: string | undefined },
  clock: Clock,
): Promise<string> {
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
    commonName: 'fairway-admin',
    organizations: ['system:masters'],
    usages: 'client',
    validityMs: CERTIFICATE_VALIDITY_MS,
    clock,
  });
  return renderKubeconfig({
    name: 'fairway',
    server: url,
    ...(trusted !== undefined && { certificateAuthority: trusted }),
    ...(namespace !== undefined && { namespace }),
    userName: 'fairway-admin',
    clientCertificate: { certificate: certificatePem, privateKey: privateKeyPem },
  });
}
