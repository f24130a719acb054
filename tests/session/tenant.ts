import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { serviceAccountToken } from './service-account-token.ts';

export function coreType(plural: string, kind: string, namespaced = true): ResourceType {
  return { group: '', version: 'v1', plural, kind, namespaced };
}

const ServiceAccounts = coreType('serviceaccounts', 'ServiceAccount');
const RoleBindings: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'rolebindings',
  kind: 'RoleBinding',
  namespaced: true,
};

/** A user of Fairway's API over the network. */
export interface Person {
  readonly client: KubeClient;
  /** Undefined for the administrator, who has a certificate. */
  readonly token: string | undefined;
}

/** Users of one Fairway; `close` ends their connections. */
export class People {
  readonly #server: string;
  readonly #certificateAuthority: string;
  readonly #clients: KubeClient[] = [];
  readonly admin: Person;

  private constructor(admin: KubeClient, server: string, certificateAuthority: string) {
    this.#server = server;
    this.#certificateAuthority = certificateAuthority;
    this.#clients.push(admin);
    this.admin = { client: admin, token: undefined };
  }

  static async of(kubeconfig: string): Promise<People> {
    const { transport } = await loadKubeConnection({ path: kubeconfig });
    const client = new KubeClient(new HttpsTransport(transport));
    return new People(client, transport.server, transport.certificateAuthority ?? '');
  }

  /** A client with a user's token. */
  withToken(token: string): Person {
    const bearerToken = () => token;
    const options = { server: this.#server, certificateAuthority: this.#certificateAuthority, bearerToken };
    const client = new KubeClient(new HttpsTransport(options));
    this.#clients.push(client);
    return { client, token };
  }

  /** Creates a namespace for an entry of clouds.yaml. */
  async createNamespace(name: string, cloud: string): Promise<void> {
    await this.admin.client.resource(coreType('namespaces', 'Namespace', false)).create({
      metadata: { name, annotations: { 'fairway.dev/cloud': cloud } },
    });
  }

  /** Creates a ServiceAccount with a role in its namespace, and a token for it. */
  async joinProject(namespace: string, name: string, role: string): Promise<Person> {
    const { client } = this.admin;
    await client.resource(ServiceAccounts).create({ metadata: { name, namespace } });
    await client.resource(RoleBindings).create({
      metadata: { name: `${name}-${role}`, namespace },
      roleRef: { apiGroup: RoleBindings.group, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    } as KubeObject);
    return this.withToken(await serviceAccountToken(client, { name, namespace }, 600));
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}
