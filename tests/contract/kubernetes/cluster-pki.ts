import { systemClock } from '@fairway/base/clock';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { createServiceAccountKeys, type ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';

const DAY_MS = 86_400_000;
const clock = systemClock;

export interface CertificateAndKey {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The CAs of one cluster under test, and what they sign. */
export interface ClusterPki {
  readonly authority: CertificateAuthority;
  /** Signs the certificate that the API server presents to aggregated API servers. */
  readonly frontProxy: CertificateAuthority;
  readonly serviceAccountKeys: ServiceAccountKeys;
  readonly serving: CertificateAndKey;
  clientCertificate(user: string, groups: readonly string[]): Promise<CertificateAndKey>;
  frontProxyCertificate(): Promise<CertificateAndKey>;
  kubeconfig(server: string, user: string, groups?: readonly string[]): Promise<string>;
}

export async function createClusterPki(): Promise<ClusterPki> {
  const authority = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: 30 * DAY_MS });
  const frontProxy = await createCertificateAuthority({
    commonName: 'kubernetes-front-proxy',
    clock,
    validityMs: 30 * DAY_MS,
  });
  const issue = async (
    options: Pick<Parameters<typeof issueCertificate>[1], 'commonName' | 'organizations' | 'usages'>,
    signer = authority,
  ) => {
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(signer, {
      ...options,
      ...(options.usages === 'server' && { ipAddresses: ['127.0.0.1'], dnsNames: ['localhost'] }),
      validityMs: DAY_MS,
      clock,
    });
    return { certificate: certificatePem, privateKey: privateKeyPem };
  };
  const clientCertificate = (commonName: string, organizations: readonly string[]) =>
    issue({ commonName, organizations, usages: 'client' });
  return {
    authority,
    frontProxy,
    serviceAccountKeys: await createServiceAccountKeys(),
    serving: await issue({ commonName: 'kube-apiserver', usages: 'server' }),
    clientCertificate,
    frontProxyCertificate: () => issue({ commonName: 'front-proxy-client', usages: 'client' }, frontProxy),
    kubeconfig: async (server, user, groups = []) =>
      renderKubeconfig({
        name: 'contract',
        server,
        certificateAuthority: authority.certificatePem,
        clientCertificate: await clientCertificate(user, groups),
      }),
  };
}
