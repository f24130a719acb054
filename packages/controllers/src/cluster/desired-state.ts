import { durationMs } from '@fairway/api/domain/duration';
import { effectiveNetworking } from '@fairway/api/domain/effective-networking';
import { etcdQuotaBytes } from '@fairway/api/domain/etcd-quota';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import type { ControlPlaneSpec, ReviewAccess, ReviewToken, SnapshotPolicy } from '@fairway/control-plane/runtime';
import { clusterIdentity } from '@fairway/tenancy/credentials/credentials';
import type { DesiredNetwork } from './network-state.ts';

/** The cluster's desired network. */
export function desiredNetwork(cluster: Cluster, plan: PlanSpec, pools: readonly NodePool[]): DesiredNetwork {
  const { network } = cluster.spec;
  const { gateway } = network;
  const { nodesCIDR, podCIDR, serviceCIDR } = effectiveNetworking(cluster, plan);
  return {
    networkID: network.networkID,
    subnetID: network.subnetID,
    nodesCIDR,
    dnsNameservers: network.dnsNameservers ?? [],
    gateway: {
      mode: gateway.mode,
      externalNetworkID: gateway.externalNetworkID,
      routerID: gateway.routerID,
      address: gateway.address,
    },
    loadBalancersSubnetID: network.loadBalancersSubnetID,
    publicNodePorts: pools.some(({ spec }) => spec.floatingIPs.enabled),
    gatewayRequired: plan.network.gatewayRequired,
    otherRanges: [
      { name: 'pod network', cidr: podCIDR },
      { name: 'service network', cidr: serviceCIDR },
      ...plan.network.reservedCIDRs.map((cidr) => ({ name: 'reserved range', cidr })),
    ],
  };
}

/** The cluster's desired control plane. */
export function controlPlaneSpec(
  cluster: Cluster,
  plan: PlanSpec,
  inputs: {
    readonly version: string;
    readonly pki: ClusterPki;
    readonly desiredNodes: number;
    readonly machines: readonly Machine[];
    readonly reviewToken?: ReviewToken | undefined;
    readonly reviewAccess?: ReviewAccess | undefined;
    readonly limitPolicies?: ControlPlaneSpec['limitPolicies'];
  },
): ControlPlaneSpec {
  const { podCIDR, serviceCIDR } = effectiveNetworking(cluster, plan);
  return {
    cluster: clusterIdentity(cluster),
    version: inputs.version,
    pki: inputs.pki,
    podCIDR,
    serviceCIDR,
    apiServer: cluster.spec.apiServer,
    reviewToken: inputs.reviewToken,
    reviewAccess: inputs.reviewAccess,
    limitPolicies: inputs.limitPolicies,
    topology: plan.controlPlane,
    etcdQuotaBytes: etcdQuotaBytes(plan.etcd, inputs.desiredNodes, cluster.status?.etcd?.quotaBytes),
    snapshots: snapshotPolicy(cluster, plan),
    restore: cluster.spec.etcd?.restore,
    dnsNames: [],
    ipAddresses: [],
    nodeNetworks: cluster.status?.network?.nodesCIDR === undefined ? [] : [cluster.status.network.nodesCIDR],
    nodeAddresses: nodeAddresses(cluster, inputs.machines),
    endpoint: cluster.status?.endpoint,
  };
}

/** Source addresses of connections from nodes outside their network: their router, and floating IPs. Sorted. */
function nodeAddresses({ status }: Cluster, machines: readonly Machine[]): readonly string[] {
  const egress = status?.network?.egressAddress;
  const floating = machines.flatMap((machine) => externalAddresses(machine));
  return [...new Set([...(egress === undefined ? [] : [egress]), ...floating])].sort();
}

/** The addresses of a machine as seen from the Internet. */
export function externalAddresses({ status }: Machine): readonly string[] {
  return (status?.addresses ?? []).filter(({ type }) => type === 'ExternalIP').map(({ address }) => address);
}

function snapshotPolicy({ spec }: Cluster, { etcd }: PlanSpec): SnapshotPolicy | undefined {
  if (etcd.snapshots === undefined) return undefined;
  const { interval, keep } = etcd.snapshots;
  const requestedAt = spec.etcd?.snapshotRequestedAt;
  const requestedAtMs = requestedAt === undefined ? undefined : Date.parse(requestedAt);
  return { intervalMs: durationMs(interval), keep, requestedAtMs };
}
