import { systemClock } from '@fairway/base/clock';
import { unauthorized } from '@fairway/kube/object/api-error';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import type { Authenticator } from '../auth/user.ts';
import type { ApiServerOptions } from './api-server.ts';
import type { Listener } from './listener.ts';
import { admin, TestServer } from './test-server.ts';

const HOUR_MS = 3_600_000;
const ADMIN_TOKEN = 'admin-token';

const adminToken: Authenticator = {
  authenticate({ bearerToken }) {
    if (bearerToken === undefined) return Promise.resolve(undefined);
    return bearerToken === ADMIN_TOKEN ? Promise.resolve(admin) : Promise.reject(unauthorized());
  },
};

/** A test server on loopback with its own certificate. Call `close` when done. */
export interface HttpsFixture extends AsyncDisposable {
  readonly test: TestServer;
  readonly listener: Listener;
  readonly certificateAuthority: string;
  readonly token: string;
  /** For kubectl. */
  readonly kubeconfig: string;
}

export async function startHttpsServer(options: Partial<ApiServerOptions> = {}): Promise<HttpsFixture> {
  const clock = systemClock;
  const test = new TestServer({ clock, authenticators: [adminToken], ...options });
  const authority = await createCertificateAuthority({ commonName: 'test', clock, validityMs: HOUR_MS });
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
    commonName: 'kube-apiserver',
    ipAddresses: ['127.0.0.1'],
    usages: 'server',
    validityMs: HOUR_MS,
    clock,
  });
  const listener = await test.server.listen({
    host: '127.0.0.1',
    port: 0,
    tls: { cert: certificatePem, key: privateKeyPem },
  });
  return {
    test,
    listener,
    certificateAuthority: authority.certificatePem,
    token: ADMIN_TOKEN,
    kubeconfig: kubeconfigOf(listener.url, authority.certificatePem),
    [Symbol.asyncDispose]: () => test.server.close(),
  };
}

function kubeconfigOf(server: string, authority: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'test', cluster: { server, 'certificate-authority-data': Buffer.from(authority).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token: ADMIN_TOKEN } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
    'current-context': 'test',
  });
}
