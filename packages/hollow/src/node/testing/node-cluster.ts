import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { bootstrapPolicySteps } from '@fairway/apiserver/auth/bootstrap-policy/reconciliation';
import { signCertificateRequest } from '@fairway/apiserver/auth/certificates/certificate-signer';
import { type Auth, createAuth } from '@fairway/apiserver/auth/create-auth';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import type { HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { Informer } from '@fairway/kube/client/informer';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { type Transport, TransportError } from '@fairway/kube/client/transport';
import type { CertificateSigningRequest, Pod, PodSpec } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests, Pods } from '@fairway/kube/kinds/resources';
import { type CertificateAuthority, createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { dump } from 'js-yaml';
import { podResize } from '../../control-plane/pod-resize.ts';
import { HollowNode } from '../hollow-node.ts';
import { MemoryDisks } from '../node-state.ts';

const DAY_MS = 24 * 3_600_000;
const TOKEN = 'abcdef.0123456789abcdef';
const kinds = authKinds(ALL_KINDS.map((kind) => (kind.plural === Pods.plural ? resizable(kind) : kind)));
const master: UserInfo = { username: 'root', groups: ['system:masters', 'system:authenticated'] };

function resizable(kind: ResourceDefinition): ResourceDefinition {
  return { ...kind, subresources: { ...kind.subresources, resize: podResize } };
}

export interface DesiredNode {
  readonly labels?: string;
  readonly flags?: string;
  readonly kubelet?: object;
  readonly token?: string;
  readonly server?: string;
  /** PEM. */
  readonly certificateAuthority?: string;
}

/**
 * A control plane as seen by nodes: the embedded server with authentication, node authorization and admission, and an
 * approver for certificate requests. The clock advances only when a test advances it; connections can be cut.
 */
export class NodeCluster {
  readonly clock = new FakeClock();
  readonly disks = new MemoryDisks();
  readonly client: KubeClient;
  readonly server: ApiServer;
  readonly console: string[] = [];
  /** The number of requests that nodes have sent. */
  requests = 0;
  /** Cuts all nodes off from the server. */
  isCutOff = false;
  /** How certificate requests are decided. */
  decision: 'Approved' | 'Denied' | 'none' = 'Approved';
  certificateValidityMs = DAY_MS;
  readonly #auth: Auth;
  readonly #authority: CertificateAuthority;
  readonly #stop = new AbortController();
  readonly #nodes: HollowNode[] = [];
  /** Background errors. */
  readonly #failures: Error[] = [];

  private constructor(server: ApiServer, auth: Auth, authority: CertificateAuthority, clock: FakeClock) {
    this.server = server;
    this.#auth = auth;
    this.#authority = authority;
    this.clock = clock;
    this.client = new KubeClient(server.transport(master), { clock });
  }

  static async start(): Promise<NodeCluster> {
    const clock = new FakeClock();
    const authority = await createCertificateAuthority({ commonName: 'kubernetes', clock, validityMs: 3650 * DAY_MS });
    const auth = createAuth({
      reader: () => server.reader,
      clock,
      clientCaBundle: () => authority.certificatePem,
      issuer: 'https://kubernetes.default.svc',
      serviceAccountKeys: await createServiceAccountKeys(),
    });
    const server: ApiServer = new ApiServer({
      ...auth,
      store: new MemoryStore(),
      resources: kinds,
      definitions: builtinDefinitions(),
      clock,
      version: { gitVersion: 'v1.34.2+test', major: '1', minor: '34' },
    });
    const cluster = new NodeCluster(server, auth, authority, clock);
    await cluster.#populate();
    cluster.#decideOnCertificates();
    return cluster;
  }

  /** A node on a separate server, not started. */
  node(name = 'node-1', desired: DesiredNode = {}): HollowNode {
    return this.nodeFrom(userDataOf(name, desired), name);
  }

  nodeFrom(userData: string, name = 'node-1'): HollowNode {
    const node = new HollowNode({
      server: { id: `server-of-${name}`, name, addresses: ['192.168.0.11'], zone: 'nova', flavor: FLAVOR },
      userData,
      disks: this.disks,
      clock: this.clock,
      random: () => 0.5,
      log: silentLogger,
      createTransport: (options) => this.transport(options),
      console: (line) => this.console.push(line),
    });
    this.#nodes.push(node);
    return node;
  }

  /** A node's connection, authenticated per request, as over TLS. */
  transport({ bearerToken, clientCertificate }: HttpsTransportOptions): Transport {
    return {
      request: async (request) => {
        this.requests++;
        if (this.isCutOff) throw new TransportError('connection refused');
        const token = await bearerToken?.();
        const certificate = (await clientCertificate?.())?.certificate;
        const credentials = {
          bearerToken: token,
          clientCertificate: certificate === undefined ? undefined : derOf(certificate),
        };
        const user = await this.#authenticate(credentials);
        return this.server.transport(user).request(request);
      },
      close() {},
    };
  }

  async runPod(name: string, spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}): Promise<Pod> {
    return this.client.resource(Pods).create({
      metadata: { name, namespace: 'default', annotations },
      spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'nginx:1.27' }], ...spec },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()));
    this.#stop.abort();
    await this.server.close();
    if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'cannot approve or deny certificates');
  }

  async #authenticate(credentials: Parameters<Auth['authenticators'][number]['authenticate']>[0]): Promise<UserInfo> {
    for (const authenticator of this.#auth.authenticators) {
      const user = await authenticator.authenticate(credentials);
      if (user !== undefined) return user;
    }
    throw new Error('unknown credentials');
  }

  async #populate(): Promise<void> {
    for (const name of ['default', 'kube-system', 'kube-node-lease', 'kube-public'])
      await this.#post('/api/v1/namespaces', { metadata: { name } });
    for (const { type, object } of bootstrapPolicySteps(this.server.reader)) {
      const { namespace } = object.metadata;
      const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
      await this.#post(`/apis/${type.group}/${type.version}${scope}/${type.plural}`, object);
    }
    await this.#post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'nodes-may-ask' },
      roleRef: { kind: 'ClusterRole', name: 'system:node-bootstrapper' },
      subjects: [{ kind: 'Group', name: 'system:bootstrappers' }],
    });
    await this.addToken(TOKEN);
  }

  /** Lets nodes join with a bootstrap token, `id.secret`. */
  async addToken(token: string): Promise<void> {
    const [id = '', secret = ''] = token.split('.');
    await this.#post('/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
    });
  }

  async #post(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await this.client.raw({ method: 'POST', path, headers, body: JSON.stringify(body) });
  }

  #decideOnCertificates(): void {
    const requests = this.client.resource(CertificateSigningRequests);
    const informer = new Informer(requests, { clock: this.clock });
    const decide = async (request: CertificateSigningRequest) => {
      if (this.decision === 'none' || request.status?.conditions !== undefined) return;
      const condition = {
        type: this.decision,
        status: 'True',
        reason: 'Test',
        message: `${this.decision} by the test`,
      };
      const approval = { ...request, status: { conditions: [condition] } };
      const decided = await requests.updateSubresource(request.metadata.name ?? '', 'approval', approval);
      const signed = await signCertificateRequest(decided, this.#authority, this.clock, this.certificateValidityMs);
      if (signed !== undefined) await requests.updateStatus({ ...decided, status: signed.status });
    };
    informer.addHandler({
      onAdd: (request) => {
        decide(request).catch((error: Error) => this.#failures.push(error));
      },
    });
    informer.start(this.#stop.signal);
  }
}

const FLAVOR = { vcpus: 4, ramMib: 16_384, diskGib: 100 };

/** User data as a control plane generates it. */
export function userDataOf(name: string, desired: DesiredNode = {}): string {
  const { labels = '', flags = '', kubelet = {}, token = TOKEN } = desired;
  const { server = 'https://10.0.0.1:6443', certificateAuthority = 'CA' } = desired;
  const kubeconfig = renderKubeconfig({ name: 'kubernetes', server, certificateAuthority, token });
  const configuration = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    kubeReserved: { cpu: '170m', memory: '1590M', 'ephemeral-storage': '30G' },
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
    rotateCertificates: true,
    ...kubelet,
  };
  const document = {
    hostname: name,
    write_files: [
      { path: '/etc/kubernetes/bootstrap-kubeconfig', content: kubeconfig },
      { path: '/var/lib/kubelet/config.yaml', content: dump(configuration) },
      {
        path: '/etc/default/kubelet',
        content: `KUBELET_EXTRA_ARGS=--node-labels=${labels} --hostname-override=${name} ${flags}\n`,
      },
      {
        path: '/usr/local/lib/fairway/install-node',
        content: "apt-get install 'kubelet=1.34.2-*' 'containerd.io=2.2.*'\n",
      },
    ],
  };
  return Buffer.from(`#cloud-config\n${dump(document)}`).toString('base64');
}

function derOf(pem: string): Uint8Array {
  return Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64');
}
