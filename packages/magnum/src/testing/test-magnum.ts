import { randomUUID } from 'node:crypto';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { Traffic } from '@fairway/apiserver/server/traffic';
import { silentLogger } from '@fairway/base/log';
import { TEAM, TestGateway, UNKNOWN_CLOUD_TEAM } from '@fairway/gateway/testing/test-gateway';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { type Transport, TransportError, type TransportRequest } from '@fairway/kube/client/transport';
import { RoleBindings } from '@fairway/kube/kinds/resources';
import type { Caller } from '../caller.ts';
import { PendingNodegroups } from '../clusters/pending-nodegroups.ts';
import type { ClusterTrusts } from '../credentials/cluster-trusts.ts';
import { MagnumFront } from '../http/front.ts';
import { ROUTES } from '../routes.ts';
import type { MagnumServices } from '../services.ts';

export type TestCaller = 'alice' | 'rita' | 'olga' | 'admin';

/** Every namespace has the operator's credential; `cluster-trusts.test.ts` covers namespaces without it. */
const NO_TRUSTS: Pick<ClusterTrusts, 'createCredential'> = {
  createCredential: () => Promise.reject(new Error('nobody needs a trust here')),
};

const AUTHENTICATED_GROUPS = ['system:authenticated'];
const USERS: Readonly<Record<TestCaller, { readonly user: UserInfo; readonly namespace: string }>> = {
  alice: { user: { username: 'alice', groups: AUTHENTICATED_GROUPS }, namespace: TEAM },
  rita: { user: { username: 'rita', groups: AUTHENTICATED_GROUPS }, namespace: TEAM },
  /** A user in another project. */
  olga: { user: { username: 'olga', groups: AUTHENTICATED_GROUPS }, namespace: UNKNOWN_CLOUD_TEAM },
  admin: {
    user: { username: 'admin', groups: ['system:masters', ...AUTHENTICATED_GROUPS] },
    namespace: UNKNOWN_CLOUD_TEAM,
  },
};

export interface MagnumResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

/** Magnum's API over Fairway's API in this process, without controllers. */
export class TestMagnum {
  readonly gateway: TestGateway;
  readonly pendingNodegroups: PendingNodegroups;
  readonly #front: MagnumFront;
  readonly #faults: Faults;

  private constructor(parts: Pick<TestMagnum, 'gateway' | 'pendingNodegroups'>, front: MagnumFront, faults: Faults) {
    this.gateway = parts.gateway;
    this.pendingNodegroups = parts.pendingNodegroups;
    this.#front = front;
    this.#faults = faults;
  }

  /** Makes caches behave as if they did not contain the namespace yet. */
  hideFromCaches(namespace: string): void {
    this.#faults.uncachedNamespace = namespace;
  }

  /** Lets matching requests to Fairway's API fail without a response and without an effect. */
  failRequests(matchesRequest: (request: TransportRequest) => boolean): void {
    this.#faults.matchesRequest = matchesRequest;
  }

  /** Starts with the catalogue that controllers would publish. */
  static async start(): Promise<TestMagnum> {
    const gateway = await TestGateway.start();
    await gateway.populate();
    await publishCatalogue(gateway);
    await gateway
      .as('operator')
      .resource(RoleBindings)
      .create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'olga', namespace: UNKNOWN_CLOUD_TEAM },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-member' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'olga' }],
      });
    const { clock } = gateway;
    const faults: Faults = { matchesRequest: () => false };
    const pendingNodegroups = new PendingNodegroups({ client: gateway.gateway.client, clock, log: silentLogger });
    const services: MagnumServices = {
      identify: (token) => Promise.resolve(callerOf(token)),
      clientOf: (user, _request, onWarning) =>
        new KubeClient(faultyTransport(gateway.gateway.server.transport(user), faults), { clock, onWarning }),
      systemClient: gateway.gateway.client,
      projectOfNamespace: (namespace) => (namespace === faults.uncachedNamespace ? undefined : `project-${namespace}`),
      namespaceOfProject: (project) => (project.startsWith('project-') ? project.slice('project-'.length) : undefined),
      configuredCredential: () => ({ kind: 'operator' }),
      openStackOf: () => gateway.project(TEAM).client,
      trusts: NO_TRUSTS,
      pendingNodegroups,
      hostName: 'here',
      clock,
      random: Math.random,
      log: silentLogger,
    };
    const traffic = new Traffic({ limits: {}, clock });
    const url = () => 'https://magnum.example:9511';
    return new TestMagnum(
      { gateway, pendingNodegroups },
      new MagnumFront({ services, routes: ROUTES, traffic, url }),
      faults,
    );
  }

  /** Sends a user's request, and returns the response; `version` is the API version. */
  async call(
    caller: TestCaller | '',
    method: string,
    target: string,
    body?: unknown,
    version = '1.14',
  ): Promise<MagnumResponse> {
    const [path = '', query = ''] = target.split('?');
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'x-auth-token': caller, 'openstack-api-version': `container-infra ${version}` };
    const response = await this.#front.respond(
      {
        method,
        path,
        query: new URLSearchParams(query),
        headers,
        readBytes: () => Promise.resolve(Buffer.from(text)),
        readContent: () => Promise.resolve({ headers, body: text }),
      },
      `req-${randomUUID()}`,
      (token) => Promise.resolve(callerOf(token)),
    );
    const responseText = typeof response.body === 'string' ? response.body : '';
    return {
      status: response.status,
      headers: response.headers,
      body: responseText === '' ? undefined : JSON.parse(responseText),
    };
  }

  close(): Promise<void> {
    return this.gateway.close();
  }
}

interface Faults {
  uncachedNamespace?: string;
  matchesRequest: (request: TransportRequest) => boolean;
}

function faultyTransport(transport: Transport, faults: Faults): Transport {
  return {
    request: async (request) => {
      if (faults.matchesRequest(request)) throw new TransportError('the connection broke');
      return transport.request(request);
    },
    close: () => transport.close(),
  };
}

function callerOf(token: string): Caller | undefined {
  const known = USERS[token as TestCaller];
  if (known === undefined) return undefined;
  const { user, namespace } = known;
  const id = `project-${namespace}`;
  return { user, userId: `id-of-${token}`, project: { id, name: namespace }, namespace, roles: [] };
}

async function publishCatalogue({ gateway }: TestGateway): Promise<void> {
  const releases = gateway.client.resource(kubernetesReleases);
  for (const { metadata, spec } of (await releases.list()).items) {
    // Makes the release supported regardless of the date.
    await releases.patch(metadata.name ?? '', { type: 'merge', value: { spec: { phaseOverride: 'Supported' } } });
    const available = spec.patches.map(({ version }) => version);
    const value = { status: { newest: available.at(-1), available, phase: 'Supported' } };
    await releases.patch(metadata.name ?? '', { type: 'merge', value }, { subresource: 'status' });
  }
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'AsExpected',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const planResource = gateway.client.resource(plans);
  for (const { metadata } of (await planResource.list()).items) {
    const value = { status: { conditions: [condition] } };
    await planResource.patch(metadata.name ?? '', { type: 'merge', value }, { subresource: 'status' });
  }
}
