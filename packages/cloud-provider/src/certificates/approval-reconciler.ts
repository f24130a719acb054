import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { hasCondition } from '@fairway/apiserver/auth/certificates/certificate-signer';
import { type Clock, formatTime } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { Informer } from '@fairway/kube/client/informer';
import type { Result } from '@fairway/kube/controller/result';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import type { TenantCluster, TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import { machineAddresses } from '@fairway/tenancy/machine-addresses';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import { BOOTSTRAP_USER, type ClaimedMachine, claimedNode, judge } from './node-request.ts';

export interface ApprovalDependencies {
  readonly cache: { readonly clusters: Informer<Cluster>; readonly machines: Informer<Machine> };
  readonly clouds: ClusterClouds;
  readonly tenants: TenantClusters;
  readonly bootstrapper: Pick<NodeBootstrapper, 'tokenID'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Decides on the certificate requests of kubelets in all tenants' clusters; other requests are left to the tenants. */
export class ApprovalReconciler {
  readonly #dependencies: ApprovalDependencies;

  constructor(dependencies: ApprovalDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is `clusterUid/name of the request`. */
  async reconcile(key: string): Promise<Result> {
    const { tenants, cache, log } = this.#dependencies;
    const slash = key.indexOf('/');
    const tenant = tenants.get(key.slice(0, slash));
    const csr = tenant?.informers.informer(CertificateSigningRequests).get(key.slice(slash + 1));
    if (tenant === undefined || csr === undefined || isDecided(csr)) return {};
    const name = claimedNode(csr);
    if (name === undefined) return {};
    const cluster = cache.clusters.get(tenant.clusterKey);
    if (cluster === undefined || identityOf(cluster) !== tenant.clusterUid) return {};
    // A machine without its identity has no server to be judged by, and a denial is for good.
    const machine = cache.machines.get(`${cluster.metadata.namespace}/${name}`);
    if (isPaused(machine ?? cluster, cluster)) return {};
    const isFirst = csr.spec.username?.startsWith(BOOTSTRAP_USER) ?? false;
    const verdict = judge(csr, await this.#claimed(cluster, name, isFirst));
    if (verdict.kind === 'notOurs') return {};
    const { reason } = verdict;
    log.info(
      { cluster: tenant.clusterKey, node: name, request: csr.metadata.name, verdict: verdict.kind, reason },
      'certificate request decided',
    );
    await this.#decide(tenant, csr, verdict.kind === 'approve' ? 'Approved' : 'Denied', reason);
    return {};
  }

  /**
   * The machine of this name with the server that the cloud holds for it. A first certificate is given on a list that began
   * now, so that the token of a server that has just gone is worth nothing; later ones on the list that there is.
   */
  async #claimed(cluster: Cluster, name: string, isFirst: boolean): Promise<ClaimedMachine | undefined> {
    const { cache, clouds, bootstrapper, clock } = this.#dependencies;
    const { namespace = '' } = cluster.metadata;
    const machine = cache.machines.get(`${namespace}/${name}`);
    const cloud = clouds.of(`${namespace}/${cluster.metadata.name}`, cluster.spec.credentialName);
    if (machine === undefined || cloud === undefined || machine.spec.clusterName !== cluster.metadata.name)
      return undefined;
    if (machine.metadata.deletionTimestamp !== undefined) return undefined;
    const uid = identityOf(machine);
    const find = (snapshot: Parameters<typeof serversOfMachine>[0]) =>
      serversOfMachine(snapshot, uid).find(
        ({ status, addresses }) => status === 'ACTIVE' && Object.keys(addresses).length > 0,
      );
    const { servers } = cloud.cache;
    const listed = isFirst ? undefined : find(cloud.listedServers());
    const server = listed ?? find(await servers.refreshAfter(clock.now()));
    if (server === undefined || server.name !== name) return undefined;
    const addresses = machineAddresses(server).flatMap(({ type, address }) => (type === 'Hostname' ? [] : [address]));
    return { addresses, tokenID: await bootstrapper.tokenID(cluster, machine) };
  }

  async #decide(
    tenant: TenantCluster,
    csr: CertificateSigningRequest,
    type: 'Approved' | 'Denied',
    message: string,
  ): Promise<void> {
    const now = formatTime(this.#dependencies.clock.now());
    const condition = {
      type,
      status: 'True',
      reason: type === 'Approved' ? 'FairwayNode' : 'NotAFairwayNode',
      message,
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    const decided: CertificateSigningRequest = {
      ...csr,
      status: { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] },
    };
    const client = tenant.client.resource(CertificateSigningRequests);
    await ignoreGone(client.updateSubresource(csr.metadata.name ?? '', 'approval', decided));
  }
}

export function isDecided(csr: CertificateSigningRequest): boolean {
  return hasCondition(csr, 'Approved') || hasCondition(csr, 'Denied') || hasCondition(csr, 'Failed');
}
