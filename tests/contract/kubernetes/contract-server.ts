import type { ClientCertificate } from '@fairway/kube/client/https-connections';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest } from '@fairway/kube/client/transport';
import { Namespaces, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { Status } from '@fairway/kube/object/api-error';
import type { KubeObject, ObjectMeta } from '@fairway/kube/object/meta';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { RunningControlPlane } from './control-planes.ts';

export interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: RecordedResponse;
}

/** The parts of responses that tests use, typed as always present. */
export interface RecordedResponse {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: Required<ObjectMeta> & { readonly continue?: string; readonly remainingItemCount?: number };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
  readonly items: readonly RecordedResponse[];
  readonly [field: string]: unknown;
}

type Method = TransportRequest['method'];

/** One API server under test, with clients for the administrator and other users. */
export class ContractServer {
  readonly url: string;
  readonly minor: number;
  readonly client: KubeClient;
  readonly #plane: RunningControlPlane;
  readonly #transport: Transport;
  readonly #transports: Transport[] = [];
  readonly #namespaces: string[] = [];
  #serial = 0;

  private constructor(plane: RunningControlPlane, transport: Transport) {
    this.#plane = plane;
    this.url = plane.url;
    this.minor = plane.minor;
    this.#transport = transport;
    this.#transports.push(transport);
    this.client = new KubeClient(transport);
  }

  static async open(plane: RunningControlPlane): Promise<ContractServer> {
    const admin = await plane.pki.clientCertificate('admin', ['system:masters']);
    return new ContractServer(
      plane,
      new HttpsTransport({
        server: plane.url,
        certificateAuthority: plane.pki.authority.certificatePem,
        clientCertificate: () => admin,
      }),
    );
  }

  get authority(): string {
    return this.#plane.pki.authority.certificatePem;
  }

  /** A client with its own certificate. */
  async as(user: string, groups: readonly string[] = []): Promise<Transport> {
    const identity = await this.#plane.pki.clientCertificate(user, groups);
    return this.#open({ clientCertificate: () => identity });
  }

  /** The certificate of `as`, for other kinds of connections. */
  certificate(user: string, groups: readonly string[] = []): Promise<ClientCertificate> {
    return this.#plane.pki.clientCertificate(user, groups);
  }

  /** A kubeconfig with its own certificate, for external programs. */
  kubeconfig(user: string, groups: readonly string[] = []): Promise<string> {
    return this.#plane.pki.kubeconfig(this.url, user, groups);
  }

  withToken(token: string): Transport {
    return this.#open({ bearerToken: () => token });
  }

  anonymous(): Transport {
    return this.#open({});
  }

  /** The server's response, whether success or error. */
  async raw(
    method: Method,
    path: string,
    { headers = {}, body }: RawRequest = {},
    transport: Transport = this.#transport,
  ): Promise<RawResponse> {
    const response = await transport.request({
      method,
      path,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text) as RecordedResponse;
      },
    };
  }

  /** The Status of a refused request. */
  async refusal(method: Method, path: string, request?: RawRequest, transport?: Transport): Promise<Status> {
    const response = await this.raw(method, path, request, transport);
    if (response.status < 400)
      throw new Error(`${method} ${path} was not refused: ${response.status} ${response.text}`);
    return response.json as unknown as Status;
  }

  /** A name that is unique in this run. */
  name(prefix = 'contract'): string {
    return `${prefix}-${process.pid}-${++this.#serial}`;
  }

  /** Creates a separate namespace with its default ServiceAccount; it is deleted after the test file. */
  async namespace(): Promise<string> {
    const name = this.name();
    await this.client
      .resource(Namespaces)
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
    this.#namespaces.push(name);
    const account = { namespace: name, name: 'default' };
    await eventuallyObject(this.client.resource<KubeObject>(ServiceAccounts), account, () => true);
    return name;
  }

  close(): void {
    for (const transport of this.#transports) transport.close();
  }

  #open(identity: Partial<ConstructorParameters<typeof HttpsTransport>[0]>): Transport {
    const transport = new HttpsTransport({ server: this.url, certificateAuthority: this.authority, ...identity });
    this.#transports.push(transport);
    return transport;
  }
}
