import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@fairway/base/testing/free-ports';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import {
  ClusterRoleBindings,
  Namespaces,
  RoleBindings,
  ServiceAccounts,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { KubernetesBinaries } from '../contract/kubernetes/binaries.ts';
import { type RealControlPlane, startRealControlPlane } from '../contract/kubernetes/real-control-plane.ts';
import { installCurrent } from '../management/install-definitions.ts';
import { serviceAccountToken } from '../session/service-account-token.ts';
import { RunningReplica } from './running-replica.ts';

const TOKEN_SECONDS = 36_000;
const WEBHOOK = 'admission.fairway.dev';

/** Namespaces of the two tenants. */
export const RED = 'red';
export const BLUE = 'blue';

/**
 * A real management cluster behind `fairway serve`, as the ServiceAccount that `fairway install` created. In `red`,
 * alice is a member with her client certificate; in `blue`, the ServiceAccount robot with its token.
 */
export class GatewayInFrontOfCluster implements AsyncDisposable {
  readonly plane: RealControlPlane;
  readonly folder: string;
  /** A client that calls the API server directly, with all permissions. */
  readonly admin: KubeClient;
  readonly url: string;
  readonly #port: number;
  readonly #stack: AsyncDisposableStack;
  #replica: RunningReplica | undefined;

  private constructor(
    parts: Pick<GatewayInFrontOfCluster, 'plane' | 'folder' | 'admin'>,
    port: number,
    stack: AsyncDisposableStack,
  ) {
    this.plane = parts.plane;
    this.folder = parts.folder;
    this.admin = parts.admin;
    this.url = `https://127.0.0.1:${port}`;
    this.#port = port;
    this.#stack = stack;
  }

  static async start(binaries: KubernetesBinaries): Promise<GatewayInFrontOfCluster> {
    const stack = new AsyncDisposableStack();
    try {
      const folder = await mkdtemp(join(tmpdir(), 'fairway-gateway-'));
      stack.defer(() => rm(folder, { recursive: true }));
      const plane = stack.use(await startRealControlPlane(binaries));
      const certificate = await plane.pki.clientCertificate('root', ['system:masters']);
      const ca = plane.pki.authority.certificatePem;
      const admin = new KubeClient(
        new HttpsTransport({ server: plane.url, certificateAuthority: ca, clientCertificate: () => certificate }),
      );
      stack.defer(() => admin.close());
      const [port = 0] = await freePorts(1);
      const started = new GatewayInFrontOfCluster({ plane, folder, admin }, port, stack);
      stack.defer(() => started.stopGateway());
      await started.#install();
      await started.startGateway();
      await started.#admitTenants();
      return started;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  kubeconfig(name: 'admin' | 'fairway' | 'alice' | 'robot' | 'nobody'): string {
    return join(this.folder, name);
  }

  /** Resolves when kube-apiserver calls the gateway's webhook for writes. */
  async startGateway(): Promise<void> {
    const listen = `127.0.0.1:${this.#port}`;
    this.#replica = await RunningReplica.start(
      this.kubeconfig('fairway'),
      join(this.folder, 'home'),
      '--listen',
      listen,
      '--keystone',
      'simulator-service',
    );
    await eventuallyObject(this.admin.resource(ValidatingWebhookConfigurations), { name: WEBHOOK }, () => true);
  }

  async stopGateway(): Promise<void> {
    await this.#replica?.[Symbol.asyncDispose]();
  }

  /** A client that calls the gateway; the caller closes it. */
  async clientOfAlice(): Promise<KubeClient> {
    const certificate = await this.plane.pki.clientCertificate('alice', []);
    return this.#clientThroughGateway({ clientCertificate: () => certificate });
  }

  /** A client with a user's token. */
  withToken(token: string): KubeClient {
    return this.#clientThroughGateway({ bearerToken: () => token });
  }

  /** The simulated cloud's file; Fairway admits its Keystone users. */
  get cloudsYaml(): string {
    return join(this.folder, 'home', 'clouds.yaml');
  }

  /** A client without any credentials. */
  anonymous(): KubeClient {
    return this.#clientThroughGateway({});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  #clientThroughGateway(identity: Partial<HttpsTransportOptions>): KubeClient {
    const certificateAuthority = this.#authority;
    return new KubeClient(new HttpsTransport({ server: this.url, certificateAuthority, ...identity }));
  }

  get #authority(): string {
    if (this.#replica === undefined) throw new Error('the gateway does not run');
    return this.#replica.gatewayAuthority;
  }

  async #install(): Promise<void> {
    const { pki, url, minor } = this.plane;
    const server = { name: 'management', server: url, certificateAuthority: pki.authority.certificatePem };
    const clientCertificate = await pki.clientCertificate('root', ['system:masters']);
    await writeFile(this.kubeconfig('admin'), renderKubeconfig({ ...server, clientCertificate }));
    await installCurrent(this.admin, minor);
    await this.admin.resource(ClusterRoleBindings).create({
      metadata: { name: 'fairway-keystone' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-keystone' },
      subjects: [{ kind: 'ServiceAccount', name: 'fairway', namespace: 'fairway-system' }],
    });
    const token = await serviceAccountToken(
      this.admin,
      { name: 'fairway', namespace: 'fairway-system' },
      TOKEN_SECONDS,
    );
    await writeFile(this.kubeconfig('fairway'), renderKubeconfig({ ...server, token }));
  }

  async #admitTenants(): Promise<void> {
    for (const name of [RED, BLUE]) {
      const metadata = { name, annotations: { 'fairway.dev/cloud': 'simulator' } };
      await this.admin.resource(Namespaces).create({ metadata, spec: {} });
    }
    await this.admin.resource(ServiceAccounts).create({ metadata: { name: 'robot', namespace: BLUE } });
    await this.#bind(RED, { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' });
    await this.#bind(BLUE, { kind: 'ServiceAccount', name: 'robot', namespace: BLUE });

    const server = { name: 'gateway', server: this.url, certificateAuthority: this.#authority };
    const clientCertificate = await this.plane.pki.clientCertificate('alice', []);
    const token = await serviceAccountToken(this.admin, { name: 'robot', namespace: BLUE }, TOKEN_SECONDS);
    await Promise.all([
      writeFile(this.kubeconfig('alice'), renderKubeconfig({ ...server, namespace: RED, clientCertificate })),
      writeFile(this.kubeconfig('robot'), renderKubeconfig({ ...server, namespace: BLUE, token })),
      writeFile(this.kubeconfig('nobody'), renderKubeconfig({ ...server, namespace: RED, token: 'made-up' })),
    ]);
  }

  async #bind(namespace: string, subject: { kind: string; name: string; namespace?: string; apiGroup?: string }) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-member' };
    const metadata = { name: 'members', namespace };
    await this.admin.resource(RoleBindings).create({ metadata, roleRef, subjects: [subject] });
  }
}
