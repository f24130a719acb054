import { customResourceDefinition } from '@fairway/api/crd/custom-resource-definition';
import { KINDS } from '@fairway/api/kinds/all';
import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { createAuth } from '@fairway/apiserver/auth/create-auth';
import { AUTHENTICATION_CONFIG } from '@fairway/apiserver/auth/delegated/client-authority';
import { issuerRoutes } from '@fairway/apiserver/auth/issuer-discovery';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { CUSTOM_RESOURCE_DEFINITIONS } from '@fairway/apiserver/crd/custom-resource-definition';
import { kindOf, MANAGEMENT_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import type { Listener } from '@fairway/apiserver/server/listener';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import type { Store } from '@fairway/apiserver/store/store';
import { type Clock, systemClock } from '@fairway/base/clock';
import type { HttpsConnectionOptions } from '@fairway/kube/client/https-connections';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { ConfigMaps, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { bootstrap } from '../server/bootstrap.ts';
import { webhookCaller } from './webhook-caller.ts';

const DAY_MS = 86_400_000;
const ISSUER = 'https://kubernetes.default.svc';
const resources = authKinds([
  ...MANAGEMENT_KINDS,
  CUSTOM_RESOURCE_DEFINITIONS,
  kindOf(ValidatingWebhookConfigurations),
]);

/** An embedded server that acts as a management cluster's kube-apiserver over TLS: CRDs, RBAC, reviews, impersonation, webhooks. */
export class ManagementCluster {
  readonly server: ApiServer;
  /** A superuser's client, in the same process. */
  readonly client: KubeClient;
  readonly #clock: Clock;
  readonly #authority: Awaited<ReturnType<typeof createCertificateAuthority>>;
  readonly #servingCertificate: { readonly cert: string; readonly key: string };
  #listener: Listener | undefined;

  private constructor(
    server: ApiServer,
    client: KubeClient,
    clock: Clock,
    authority: Awaited<ReturnType<typeof createCertificateAuthority>>,
    serving: { readonly cert: string; readonly key: string },
  ) {
    this.server = server;
    this.client = client;
    this.#clock = clock;
    this.#authority = authority;
    this.#servingCertificate = serving;
  }

  static async start({ store = new MemoryStore(), clock = systemClock }: { store?: Store; clock?: Clock } = {}) {
    const authority = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: DAY_MS });
    const serving = await issueCertificate(authority, {
      commonName: 'kube-apiserver',
      ipAddresses: ['127.0.0.1'],
      usages: 'server',
      validityMs: DAY_MS,
      clock,
    });
    const serviceAccountKeys = await createServiceAccountKeys();
    const auth = createAuth({
      reader: () => server.reader,
      clock,
      clientCaBundle: () => authority.certificatePem,
      issuer: ISSUER,
      serviceAccountKeys,
      allowAnonymous: true,
    });
    const server: ApiServer = new ApiServer({
      ...auth,
      store,
      resources,
      definitions: builtinDefinitions(),
      clock,
      version: { gitVersion: 'v1.34.0+test', major: '1', minor: '34' },
      admission: [...auth.admission, webhookCaller(() => client)],
    });
    for (const route of issuerRoutes(ISSUER, ISSUER, serviceAccountKeys)) server.addRoute(route);
    const root: UserInfo = { username: 'root', groups: ['system:masters', 'system:authenticated'] };
    const client: KubeClient = new KubeClient(server.transport(root), { clock });
    const tls = { cert: serving.certificatePem, key: serving.privateKeyPem ?? '' };
    const cluster = new ManagementCluster(server, client, clock, authority, tls);
    await cluster.#install();
    await cluster.listen();
    return cluster;
  }

  get url(): string {
    if (this.#listener === undefined) throw new Error('the API server does not listen');
    return this.#listener.url;
  }

  /** PEM of the CA of its serving and client certificates. */
  get certificateAuthority(): string {
    return this.#authority.certificatePem;
  }

  /** Listens, on its previous port if there was one. */
  async listen(port = 0): Promise<void> {
    this.#listener = await this.server.listen({ host: '127.0.0.1', port, tls: this.#servingCertificate });
  }

  /** Stops listening and closes connections; returns the port. */
  async stopListening(): Promise<number> {
    const { port } = new URL(this.url);
    await this.#listener?.close();
    return Number(port);
  }

  async clientCertificate({ username, groups }: Pick<UserInfo, 'username' | 'groups'>) {
    const { certificatePem, privateKeyPem = '' } = await issueCertificate(this.#authority, {
      commonName: username,
      organizations: groups,
      usages: 'client',
      validityMs: DAY_MS,
      clock: this.#clock,
    });
    return { certificate: certificatePem, privateKey: privateKeyPem };
  }

  /** Connection to the API server as a given user. */
  async connectAs(user: Pick<UserInfo, 'username' | 'groups'>): Promise<HttpsConnectionOptions> {
    const certificate = await this.clientCertificate(user);
    return {
      server: this.url,
      certificateAuthority: this.certificateAuthority,
      clientCertificate: () => certificate,
    };
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  async #install(): Promise<void> {
    const definitions = this.client.resource(CUSTOM_RESOURCE_DEFINITIONS);
    for (const kind of KINDS) await definitions.create(customResourceDefinition(kind));
    await bootstrap(this.client, this.server.reader);
    await this.client.resource(ConfigMaps).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...AUTHENTICATION_CONFIG },
      data: { 'client-ca-file': this.certificateAuthority },
    });
  }
}
