import { systemClock } from '@fairway/base/clock';
import type { TestCluster } from '@fairway/hollow/testing/test-cluster';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';

const DAY_MS = 86_400_000;

/** Serves the cluster with TLS on loopback; returns the kubeconfig of a user, by default an administrator. */
export async function serve({ ca, controlPlane }: TestCluster, commonName?: string): Promise<string> {
  const common = { validityMs: DAY_MS, clock: systemClock };
  const addressed = { commonName: 'kube-apiserver', ipAddresses: ['127.0.0.1'], usages: 'server' } as const;
  const server = await issueCertificate(ca, { ...common, ...addressed });
  const subject =
    commonName === undefined ? { commonName: 'admin', organizations: ['system:masters'] } : { commonName };
  const user = await issueCertificate(ca, { ...common, ...subject, usages: 'client' });
  const tls = { cert: server.certificatePem, key: server.privateKeyPem ?? '', clientCa: ca.certificatePem };
  const { url } = await controlPlane.server.listen({ host: '127.0.0.1', port: 0, tls });
  const base64 = (text = '') => Buffer.from(text).toString('base64');
  const identity = {
    'client-certificate-data': base64(user.certificatePem),
    'client-key-data': base64(user.privateKeyPem),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': base64(ca.certificatePem) } }],
    users: [{ name: 'u', user: identity }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
