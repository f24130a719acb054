import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Subnet } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { type ClusterNetwork, clusterKey, clusterObject } from './cluster-object.ts';
import type { StandaloneDependencies } from './dependencies.ts';

/**
 * Determines the cluster's networks once: from cloud.conf, otherwise from the nodes' ports and the cloud's networks.
 */
export class ClusterNetworkReconciler {
  readonly #dependencies: StandaloneDependencies;

  constructor(dependencies: StandaloneDependencies) {
    this.#dependencies = dependencies;
  }

  async reconcile(_: string, context: ReconcileContext): Promise<Result> {
    const { attempts, clock, cluster, clouds, clusters } = this.#dependencies;
    const key = clusterKey(cluster);
    const cloud = clouds.of(key, undefined);
    if (cloud === undefined || clusters.get(key)?.status?.network !== undefined) return {};
    const pass = new Pass(context, clock);
    await pass.run(() =>
      attempts.withBackoff({ kind: 'network of the cluster', item: key }, async () => {
        const projectID = await cloud.client.session.projectId();
        const network = await this.#find(cloud, pass.signal);
        if (network) clusters.put(clusterObject(cluster, network, projectID));
      }),
    );
    return pass.end();
  }

  /** Undefined until a node reveals it. The next node with a server enqueues the key. */
  async #find(cloud: ProjectCloud, signal: AbortSignal): Promise<ClusterNetwork | undefined> {
    const { loadBalancerSettings, routerID } = this.#dependencies.cluster;
    const nodes = await this.#nodesSubnet(cloud, signal);
    if (nodes === undefined) return undefined;
    const externalNetworkID = loadBalancerSettings.floatingNetworkID ?? (await firstExternalNetwork(cloud, signal));
    return {
      networkID: nodes.network_id,
      subnetID: nodes.id,
      loadBalancersSubnetID: loadBalancerSettings.subnetID ?? nodes.id,
      nodesCIDR: nodes.cidr,
      ...(routerID !== undefined && { routerID }),
      ...(externalNetworkID !== undefined && { externalNetworkID }),
    };
  }

  async #nodesSubnet(cloud: ProjectCloud, signal: AbortSignal): Promise<Subnet | undefined> {
    const { memberSubnetID, subnetID } = this.#dependencies.cluster.loadBalancerSettings;
    const id = memberSubnetID ?? subnetID ?? (await this.#subnetOfANode(cloud, signal));
    return id === undefined ? undefined : await cloud.client.network.subnets.get(id, { signal });
  }

  /** The network of the first node's address. */
  async #subnetOfANode(cloud: ProjectCloud, signal: AbortSignal): Promise<string | undefined> {
    for (const { status } of this.#dependencies.machines.list()) {
      if (status?.serverID === undefined || status.address === undefined) continue;
      const { ports } = cloud.client.network;
      for await (const port of ports.list({ device_id: status.serverID }, { signal })) {
        const found = port.fixed_ips.find(({ ip_address }) => ip_address === status.address);
        if (found) return found.subnet_id;
      }
    }
    return undefined;
  }
}

/**
 * The first external network with an IPv4 subnet, as in cloud-provider-openstack; if tenants cannot see the subnets,
 * the first external network. Undefined if there is none.
 */
async function firstExternalNetwork(cloud: ProjectCloud, signal: AbortSignal): Promise<string | undefined> {
  const { networks, subnets } = cloud.client.network;
  const found = await Array.fromAsync(networks.list({ 'router:external': true }, { signal }));
  for (const { id } of found) {
    for await (const { ip_version } of subnets.list({ network_id: id }, { signal })) if (ip_version === 4) return id;
  }
  return found[0]?.id;
}
