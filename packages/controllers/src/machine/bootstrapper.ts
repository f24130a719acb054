import { createHmac } from 'node:crypto';
import { effectiveNetworking } from '@fairway/api/domain/effective-networking';
import { maxPodsOf } from '@fairway/api/domain/kubelet-settings';
import { isKubeletLabel } from '@fairway/api/domain/node-metadata';
import { componentsOf } from '@fairway/api/domain/release-components';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import type { AdditionalInterface } from '@fairway/control-plane/bootstrap/additional-interfaces';
import {
  type BootstrapToken,
  bootstrapTokenSecret,
  createBootstrapToken,
  tokenText,
} from '@fairway/control-plane/bootstrap/bootstrap-token';
import { withClusterSettings } from '@fairway/control-plane/bootstrap/cluster-node-settings';
import type { NodeSettings } from '@fairway/control-plane/bootstrap/node-settings';
import { nodeUserData } from '@fairway/control-plane/bootstrap/node-user-data';
import { endpointUrl } from '@fairway/control-plane/kubeconfig';
import { type ClusterPki, trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { Secrets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import { TenantApiError, wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { NodeBootstrapper, ServerSize } from '@fairway/tenancy/node-bootstrapper';
import { reinstallID } from './reinstall-plan.ts';

export interface BootstrapperOptions {
  readonly credentials: ClusterCredentials;
  readonly tenants: TenantClusters;
  readonly plans: { get(name: string): Plan | undefined };
  readonly releases: { list(): readonly KubernetesRelease[] };
  /** The operator's settings for all nodes. */
  readonly nodeSettings?: NodeSettings | undefined;
  readonly clock: Clock;
}

/** GPU servers take more than an hour to boot in some clouds (OVHcloud's t1 and t2). */
const TOKEN_LIFETIME_MS = 24 * 3_600_000;

/** Writes the cloud-init of nodes and their bootstrap tokens. */
export class CloudInitBootstrapper implements NodeBootstrapper {
  readonly #options: BootstrapperOptions;

  constructor(options: BootstrapperOptions) {
    this.#options = options;
  }

  async userData(
    cluster: Cluster,
    pool: NodePool,
    machine: Machine,
    size: ServerSize,
    additionalInterfaces: readonly AdditionalInterface[] = [],
  ): Promise<string> {
    const { credentials, plans, nodeSettings } = this.#options;
    const plan = plans.get(cluster.spec.plan);
    const endpoint = cluster.status?.endpoint;
    if (plan === undefined || endpoint === undefined) {
      throw new Error(`cluster ${cluster.metadata.name} has no plan or no endpoint, so nodes cannot join it`);
    }
    const pki = await credentials.pki(cluster);
    const token = await this.#ensureToken(cluster, machine, pki);
    const { podCIDR, serviceCIDR, nodesCIDR, kubeProxyMode } = effectiveNetworking(cluster, plan.spec);
    const { labels = {} } = pool.spec.template.metadata;
    return nodeUserData({
      ...withClusterSettings(nodeSettings, machine.spec.nodeSettings),
      nodeName: machine.metadata.name ?? '',
      server: endpointUrl(endpoint),
      certificateAuthority: trustBundle(pki.cluster),
      bootstrapToken: tokenText(token),
      version: machine.spec.version,
      components: this.#componentsOf(machine.spec.version),
      serviceCIDR,
      podCIDR,
      nodesCIDR,
      maxPods: maxPodsOf(machine.spec.nodeSettings?.kubelet, plan),
      ...(machine.spec.nodeSettings?.kubelet && { kubelet: machine.spec.nodeSettings.kubelet }),
      size: { vcpus: size.vcpus, memoryMiB: size.ram, diskGiB: machine.spec.rootVolume?.sizeGiB ?? size.disk },
      labels: {
        ...Object.fromEntries(Object.entries(labels).filter(([key]) => isKubeletLabel(key))),
        [NODE_POOL_LABEL]: pool.metadata.name ?? '',
      },
      taints: pool.spec.template.spec.taints ?? [],
      kubeProxyMode,
      additionalInterfaces,
    });
  }

  async tokenID(cluster: Cluster, machine: Machine): Promise<string> {
    return tokenOf(await this.#options.credentials.pki(cluster), installationOf(machine), 0).id;
  }

  async revoke(cluster: Cluster, machine: Machine): Promise<void> {
    const { credentials, tenants } = this.#options;
    const tenant = tenants.get(identityOf(cluster));
    if (tenant === undefined) return;
    const pki = await credentials.pki(cluster);
    // The token of a server that is reinstalled before it has joined is included.
    for (const installation of new Set([identityOf(machine), installationOf(machine)])) {
      const { name = '', namespace = '' } = bootstrapTokenSecret(tokenOf(pki, installation, 0), '').metadata;
      await wrapTenantError(ignoreDeleted(tenant.client.resource(Secrets).delete(name, { namespace })));
    }
  }

  async #ensureToken(cluster: Cluster, machine: Machine, pki: ClusterPki): Promise<BootstrapToken> {
    const { tenants, clock } = this.#options;
    const tenant = tenants.get(identityOf(cluster));
    if (tenant === undefined) throw new Error(`cluster ${cluster.metadata.name} is not connected`);
    const token = tokenOf(pki, installationOf(machine), clock.now() + TOKEN_LIFETIME_MS);
    const secret = bootstrapTokenSecret(token, machine.metadata.name ?? '');
    const { name = '', namespace = '' } = secret.metadata;
    const secrets = tenant.client.resource(Secrets);
    try {
      await wrapTenantError(secrets.create(secret));
    } catch (error) {
      if (!(error instanceof TenantApiError && isApiError(error.cause, 'AlreadyExists'))) throw error;
      // A server is being recreated; its token has the usual lifetime.
      await wrapTenantError(secrets.patch(name, { type: 'merge', value: { data: secret.data } }, { namespace }));
    }
    return token;
  }

  #componentsOf(version: string): { containerd: string; pause: string } {
    const components = componentsOf(version, this.#options.releases.list());
    return { containerd: components['containerd'] ?? '', pause: components['pause'] ?? '' };
  }
}

/**
 * The purpose of a token: the machine, or one reinstallation of it, so that an earlier token read from the node is
 * useless.
 */
function installationOf(machine: Machine): string {
  const { reinstall } = machine.status ?? {};
  const uid = identityOf(machine);
  return reinstall === undefined ? uid : `${uid}/${reinstallID(machine, reinstall)}`;
}

/**
 * The installation's own token, derived from the cluster's key and the machine's UID. It cannot be guessed, and a retry
 * of the call that installs the server reuses it instead of leaving a second one behind.
 */
function tokenOf(pki: ClusterPki, installation: string, expirationMs: number): BootstrapToken {
  let block = 0;
  const bytes = (size: number) =>
    createHmac('sha256', pki.bootstrapTokenKey)
      .update(`bootstrap-token/${installation}/${block++}`)
      .digest()
      .subarray(0, size);
  return createBootstrapToken(bytes, expirationMs);
}
