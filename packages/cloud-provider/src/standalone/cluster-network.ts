import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type { Subnet } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { type ClusterNetwork, clusterKey, clusterObject } from './cluster-object.ts';
import type { StandaloneDependencies } from './dependencies.ts';

/** Finds out once what the cluster's nodes are connected to: what cloud.conf says of it, else what the nodes' ports and the cloud's networks show. */
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
      attempts.make({ kind: 'network of the cluster', item: key }, async () => {
        const projectID = await cloud.client.session.projectId();
        clusters.put(clusterObject(cluster, await this.#find(cloud, pass.signal), projectID));
      }),
    );
    return pass.end();
  }

  async #find(cloud: ProjectCloud, signal: AbortSignal): Promise<ClusterNetwork> {
    const { balancing, routerID } = this.#dependencies.cluster;
    const nodes = await this.#nodesSubnet(cloud, signal);
    const externalNetworkID = balancing.floatingNetworkID ?? (await firstExternalNetwork(cloud, signal));
    return {
      networkID: nodes.network_id,
      subnetID: nodes.id,
      loadBalancersSubnetID: balancing.subnetID ?? nodes.id,
      nodesCIDR: nodes.cidr,
      ...(routerID !== undefined && { routerID }),
      ...(externalNetworkID !== undefined && { externalNetworkID }),
    };
  }

  async #nodesSubnet(cloud: ProjectCloud, signal: AbortSignal): Promise<Subnet> {
    const { memberSubnetID, subnetID } = this.#dependencies.cluster.balancing;
    const id = memberSubnetID ?? subnetID ?? (await this.#subnetOfANode(cloud, signal));
    return await cloud.client.network.subnets.get(id, { signal });
  }

  /** Where the first node has its address. */
  async #subnetOfANode(cloud: ProjectCloud, signal: AbortSignal): Promise<string> {
    for (const { status } of this.#dependencies.machines.list()) {
      if (status?.serverID === undefined || status.address === undefined) continue;
      const { ports } = cloud.client.network;
      for await (const port of ports.list({ device_id: status.serverID }, { signal })) {
        const found = port.fixed_ips.find(({ ip_address }) => ip_address === status.address);
        if (found) return found.subnet_id;
      }
    }
    const message = 'no node with a server shows which subnet the nodes are in; or name it: subnet-id in cloud.conf';
    throw new ProblemError({ reason: 'WaitingForServer', message });
  }
}

/** The first with an IPv4 subnet, as cloud-provider-openstack; undefined where there is none. */
async function firstExternalNetwork(cloud: ProjectCloud, signal: AbortSignal): Promise<string | undefined> {
  const { networks, subnets } = cloud.client.network;
  for await (const { id } of networks.list({ 'router:external': true }, { signal })) {
    for await (const { ip_version } of subnets.list({ network_id: id }, { signal })) if (ip_version === 4) return id;
  }
  return undefined;
}
