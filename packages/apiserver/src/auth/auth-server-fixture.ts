import { systemClock } from '@fairway/base/clock';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { ALL_KINDS } from '../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../kinds/definitions.ts';
import { ApiServer } from '../server/api-server.ts';
import type { Listener } from '../server/listener.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { authKinds } from './auth-kinds.ts';
import { bootstrapPolicySteps } from './bootstrap-policy/reconciliation.ts';
import { type Auth, type AuthOptions, createAuth } from './create-auth.ts';
import { issuerRoutes } from './issuer-discovery.ts';
import type { UserInfo } from './user.ts';

const HOUR_MS = 3_600_000;
const kinds = authKinds(ALL_KINDS);

export const master: UserInfo = { username: 'root', groups: ['system:masters', 'system:authenticated'] };

/** Creates a test API server with `createAuth`, the bootstrap policy and a few namespaces. */
export class AuthServer implements AsyncDisposable {
  readonly server: ApiServer;
  readonly auth: Auth;
  readonly authority: CertificateAuthority;
  #listener: Listener | undefined;

  private constructor(server: ApiServer, auth: Auth, authority: CertificateAuthority) {
    this.server = server;
    this.auth = auth;
    this.authority = authority;
  }

  static async start(options: Pick<AuthOptions, 'maxTokenSeconds'> = {}): Promise<AuthServer> {
    const clock = systemClock;
    const authority = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: 24 * HOUR_MS });
    const keys = await createServiceAccountKeys();
    const issuer = 'https://kubernetes.default.svc';
    const auth = createAuth({
      reader: () => server.reader,
      clock,
      clientCaBundle: () => authority.certificatePem,
      issuer,
      serviceAccountKeys: keys,
      allowAnonymous: true,
      ...options,
    });
    const server: ApiServer = new ApiServer({
      ...auth,
      store: new MemoryStore(),
      resources: kinds,
      definitions: builtinDefinitions(),
      clock,
      version: { gitVersion: 'v1.34.0+test', major: '1', minor: '34' },
    });
    for (const route of issuerRoutes(issuer, issuer, keys)) server.addRoute(route);
    const started = new AuthServer(server, auth, authority);
    await started.#populate();
    return started;
  }

  /** Sends a request as `user`, bypassing authentication; returns the code, warnings and body. */
  async call(user: UserInfo, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) {
    const response = await this.server.transport(user).request({
      method,
      path,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      warning: response.headers['warning'] ?? '',
      body: JSON.parse(await response.text()) as Record<string, unknown>,
    };
  }

  /** Listens on loopback; returns a kubeconfig for a user in the given groups. */
  async kubeconfig(commonName: string, organizations: readonly string[], by = this.authority): Promise<string> {
    const clock = systemClock;
    this.#listener ??= await this.#listen();
    const client = await issueCertificate(by, {
      commonName,
      organizations,
      usages: 'client',
      validityMs: HOUR_MS,
      clock,
    });
    return kubeconfigOf(this.#listener.url, this.authority.certificatePem, {
      'client-certificate-data': base64(client.certificatePem),
      'client-key-data': base64(client.privateKeyPem ?? ''),
    });
  }

  /** Listens on loopback; returns a kubeconfig with a bearer token. */
  async tokenKubeconfig(token: string): Promise<string> {
    this.#listener ??= await this.#listen();
    return kubeconfigOf(this.#listener.url, this.authority.certificatePem, { token });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }

  async #populate(): Promise<void> {
    for (const name of ['default', 'kube-system', 'kube-public', 'shop', 'bank']) {
      await this.call(master, 'POST', '/api/v1/namespaces', { metadata: { name } });
    }
    for (const { type, object } of bootstrapPolicySteps(this.server.reader)) {
      const { namespace } = object.metadata;
      const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
      await this.call(master, 'POST', `/apis/${type.group}/${type.version}${scope}/${type.plural}`, object);
    }
  }

  async #listen(): Promise<Listener> {
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(this.authority, {
      commonName: 'kube-apiserver',
      ipAddresses: ['127.0.0.1'],
      usages: 'server',
      validityMs: HOUR_MS,
      clock: systemClock,
    });
    return this.server.listen({ host: '127.0.0.1', port: 0, tls: { cert: certificatePem, key: privateKeyPem } });
  }
}

function kubeconfigOf(server: string, authority: string, user: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user', namespace: 'shop' } }],
    'current-context': 'test',
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
