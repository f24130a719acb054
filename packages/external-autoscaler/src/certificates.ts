import { isIP } from 'node:net';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  loadCertificateAuthority,
} from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { AUTOSCALER_ORGANIZATION } from './access.ts';
import type { ServerTls } from './listener.ts';

const NAME = 'external-autoscaler-ca';
const DAY_MS = 86_400_000;

/**
 * The CA that issues the certificates of the autoscalers and of the server, from a Secret that no tenant can read;
 * created if missing. It signs nothing else: its certificates give no access to Fairway's API or any cluster's API.
 */
export async function loadAutoscalerAuthority(client: KubeClient, clock: Clock): Promise<CertificateAuthority> {
  const secrets = client.resource(Secrets);
  const load = async () => {
    const { data = {} } = await secrets.get(NAME, { namespace: SYSTEM_NAMESPACE });
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
    return loadCertificateAuthority(text('ca.crt'), text('ca.key'));
  };
  try {
    return await load();
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
  const created = await createCertificateAuthority({
    commonName: AUTOSCALER_ORGANIZATION,
    clock,
    validityMs: 3650 * DAY_MS,
  });
  const data = { 'ca.crt': base64(created.certificatePem), 'ca.key': base64(created.privateKeyPem) };
  try {
    const metadata = { name: NAME, namespace: SYSTEM_NAMESPACE };
    await secrets.create({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, data });
    return created;
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    return load();
  }
}

/** The server's certificate, for these names and addresses. */
export async function autoscalerServerTls(
  authority: CertificateAuthority,
  names: readonly string[],
  clock: Clock,
): Promise<ServerTls> {
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', ...names])];
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
    commonName: 'fairway-external-autoscaler',
    dnsNames: hosts.filter((host) => isIP(host) === 0),
    ipAddresses: hosts.filter((host) => isIP(host) !== 0),
    usages: 'server',
    validityMs: 3650 * DAY_MS,
    clock,
  });
  return { certificatePem, privateKeyPem, authorityPem: authority.certificatePem };
}

export interface AutoscalerCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly authorityPem: string;
  readonly notAfterMs: number;
}

/** Issues credentials for a cluster's autoscaler. */
export async function issueAutoscalerCertificate(
  authority: CertificateAuthority,
  { cluster, validityMs }: { readonly cluster: Cluster; readonly validityMs: number },
  clock: Clock,
): Promise<AutoscalerCertificate> {
  const {
    certificatePem,
    privateKeyPem = '',
    notAfterMs,
  } = await issueCertificate(authority, {
    commonName: identityOf(cluster),
    organizations: [AUTOSCALER_ORGANIZATION],
    usages: 'client',
    validityMs,
    clock,
  });
  return { certificatePem, privateKeyPem, authorityPem: authority.certificatePem, notAfterMs };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
