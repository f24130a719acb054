import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { type Clock, formatTime } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { Informer } from '@fairway/kube/client/informer';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { serversOfMachine } from '@fairway/tenancy/cloud/servers';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster, TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { addressRules, machineAddresses } from '@fairway/tenancy/machine-addresses';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { isDecided, requestsOf } from './cached-requests.ts';
import {
  decideRequest,
  isKubeletRequest,
  readNodeRequest,
  requesterProblem,
  type SigningDecision,
} from './node-request.ts';
import { RequestLimits } from './request-limits.ts';

export interface ApprovalDependencies {
  readonly cache: {
    readonly clusters: Pick<Informer<Cluster>, 'get'>;
    readonly machines: Pick<Informer<Machine>, 'get'>;
  };
  readonly clouds: Pick<ClusterClouds, 'of'>;
  readonly tenants: Pick<TenantClusters, 'get'>;
  readonly bootstrapper: Pick<NodeBootstrapper, 'tokenID'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Requeue interval for a request that exceeded a limit. */
const RATE_LIMITED_RETRY_MS = 10_000;
const QUERY_RETRY_MS = 60_000;

/**
 * Approves or denies kubelets' CSRs in all tenants' clusters; it leaves other CSRs to the tenants.
 *
 * A user who may create CSRs in a cluster may create any number of them. Therefore the requester is checked first,
 * without I/O. Servers are listed only for a requester that has proven to be a machine, with a rate limit. Requests
 * beyond the limits stay pending until the tenant's API server garbage-collects them.
 */
export class ApprovalReconciler {
  readonly #dependencies: ApprovalDependencies;
  readonly #limits = new RequestLimits();

  constructor(dependencies: ApprovalDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is `<clusterUid>/<name of the CSR>`. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { tenants, cache, clock } = this.#dependencies;
    const slash = key.indexOf('/');
    const tenant = tenants.get(key.slice(0, slash));
    const csr = tenant && requestsOf(tenant).get(key.slice(slash + 1));
    if (tenant === undefined || csr === undefined || isDecided(csr) || !isKubeletRequest(csr)) return {};
    const cluster = cache.clusters.get(tenant.clusterKey);
    if (cluster === undefined || identityOf(cluster) !== tenant.clusterUid || isPaused(cluster)) return {};
    if (!this.#limits.mayDecide(tenant.clusterUid, clock.now())) return { requeueAfterMs: RATE_LIMITED_RETRY_MS };
    const pass = new Pass(context, clock);
    const { value: decision } = await pass.run(() => this.#decide(tenant, cluster, csr, pass.signal));
    if (decision === 'later') pass.requeueAfter(QUERY_RETRY_MS);
    else if (decision && (decision.kind === 'approve' || this.#limits.mayDeny(tenant.clusterUid, clock.now()))) {
      await pass.run(() => this.#writeDecision(tenant, csr, decision, pass.signal));
    }
    return pass.end();
  }

  /** Undefined if no decision can be made now. */
  async #decide(
    tenant: TenantCluster,
    cluster: Cluster,
    csr: CertificateSigningRequest,
    signal: AbortSignal,
  ): Promise<SigningDecision | 'later' | undefined> {
    const { cache, bootstrapper, clock } = this.#dependencies;
    const node = readNodeRequest(csr);
    if ('kind' in node) return node;
    const found = cache.machines.get(`${cluster.metadata.namespace}/${node.nodeName}`);
    // A machine without a recorded identity has no server to compare with, and a denial is final.
    if (found && isPaused(found, cluster)) return undefined;
    const isDeleting = found?.metadata.deletionTimestamp !== undefined;
    const machine = found?.spec.clusterName === cluster.metadata.name && !isDeleting ? found : undefined;
    const tokenID = machine && (await bootstrapper.tokenID(cluster, machine));
    const hasJoined = machine?.status?.reinstall === undefined && hasRegistered(tenant.nodes.get(node.nodeName));
    const problem = requesterProblem(node, tokenID, hasJoined);
    signal.throwIfAborted();
    if (problem || machine === undefined) return problem;
    if (!this.#limits.mayQueryCloud(`${tenant.clusterUid}/${identityOf(machine)}`, clock.now())) return 'later';
    const isFirst = node.requester.kind === 'bootstrapToken';
    return decideRequest(node, await this.#addressesOf(cluster, machine, isFirst, signal));
  }

  /**
   * The addresses of the machine's server in the cloud, if it exists. A first certificate requires a list call started
   * now, so the token of a server that was just deleted is worthless; later certificates use the cached list.
   */
  async #addressesOf(
    cluster: Cluster,
    machine: Machine,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    const { clouds, clock } = this.#dependencies;
    const { namespace, name } = cluster.metadata;
    const cloud = clouds.of(`${namespace}/${name}`, cluster.spec.credentialName);
    if (cloud === undefined) return undefined;
    const uid = identityOf(machine);
    const find = (snapshot: Parameters<typeof serversOfMachine>[0]) =>
      serversOfMachine(snapshot, uid).find(
        ({ status, addresses }) => status === 'ACTIVE' && Object.keys(addresses).length > 0,
      );
    const { servers } = cloud.cache;
    const listed = isFirst ? undefined : find(cloud.listedServers());
    const server = listed ?? find(await servers.refreshAfter(clock.now(), signal));
    if (server === undefined || server.name !== machine.metadata.name) return undefined;
    return machineAddresses(server, addressRules(cluster, cloud)).flatMap(({ type, address }) =>
      type === 'Hostname' ? [] : [address],
    );
  }

  async #writeDecision(
    tenant: TenantCluster,
    csr: CertificateSigningRequest,
    { kind, reason: message }: SigningDecision,
    signal: AbortSignal,
  ): Promise<void> {
    const type = kind === 'approve' ? 'Approved' : 'Denied';
    this.#dependencies.log.info(
      {
        cluster: tenant.clusterKey,
        request: csr.metadata.name,
        user: csr.spec.username?.slice(0, 253),
        decision: kind,
        reason: message,
      },
      'certificate request decided',
    );
    const now = formatTime(this.#dependencies.clock.now());
    const condition = {
      type,
      status: 'True',
      reason: type === 'Approved' ? 'FairwayNode' : 'NotAFairwayNode',
      message,
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
    // A patch preserves what the cache does not contain. It applies only to the resource version on which the decision
    // was based.
    const { name = '', resourceVersion } = csr.metadata;
    const value = {
      metadata: { resourceVersion },
      status: { conditions: [...(csr.status?.conditions ?? []), condition] },
    };
    const client = tenant.client.resource(CertificateSigningRequests);
    await wrapTenantError(
      ignoreDeleted(client.patch(name, { type: 'merge', value }, { subresource: 'approval', signal })),
    );
  }
}

/**
 * Whether a kubelet has joined: joining requires a certificate, which the kubelet has stored. A Node that someone else
 * created has no system info.
 */
function hasRegistered(node: TenantNode | undefined): boolean {
  return node?.status?.nodeInfo?.bootID !== undefined;
}
