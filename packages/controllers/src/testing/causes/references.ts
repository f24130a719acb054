import { nodePools } from '@fairway/api/kinds/node-pool';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS, type Steps } from './cause.ts';

const UNKNOWN_ID = '11111111-1111-4111-8111-111111111111';

/** An existing tenant network with this subnet, and a cluster in it without a router. */
function clusterInExistingNetwork(cidr: string | undefined): Pick<Steps, 'from' | 'begin' | 'request'> {
  const begin = async (fairway: TestFairway) => {
    const { network } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'theirs' });
    if (cidr) await network.subnets.create({ name: 'theirs', network_id: networkID, ip_version: 4, cidr });
    await fairway.createCluster({ network: { networkID, gateway: { mode: 'None' } } });
  };
  return { from: 'nothing', begin, request: () => undefined };
}

function clusterBehindRouter(gateway: object): Pick<Steps, 'from' | 'begin' | 'request'> {
  const begin = (fairway: TestFairway) => fairway.createCluster({ network: { gateway } });
  return { from: 'nothing', begin, request: () => undefined };
}

function secondPool(spec: Parameters<TestFairway['createPool']>[0]): Pick<Steps, 'from' | 'begin' | 'request'> {
  return {
    from: 'a cluster',
    begin: () => undefined,
    request: (fairway) => fairway.createPool({ replicas: 1, ...spec }, 'odd'),
  };
}

/** A pool whose servers should also have a port in a network with this subnet. */
function poolInAdditionalNetwork(cidr: string | undefined): Pick<Steps, 'from' | 'begin' | 'request'> {
  const request = async (fairway: TestFairway) => {
    const { network } = fairway.process.project.client;
    const { id: networkID } = await network.networks.create({ name: 'data' });
    if (cidr) await network.subnets.create({ name: 'data', network_id: networkID, ip_version: 4, cidr });
    return fairway.createPool({ replicas: 1, networks: [{ networkID }] }, 'odd');
  };
  return { from: 'a cluster', begin: () => undefined, request };
}

/** Reports about specs that refer to missing resources. */
export const REFERENCE_CAUSES: readonly Cause[] = [
  {
    cause: 'A flavor is gone',
    by: 'an unknown flavor',
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'FlavorNotFound',
    message:
      '0/3 nodes are ready; {machine}: the cloud no longer has flavor b3-9; set spec.flavor of the pool to one from `openstack flavor list`',
  },
  {
    cause: 'A security group of a new pool does not exist',
    by: 'an unknown security group',
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'SecurityGroupNotFound',
    message:
      '0/3 nodes are ready; {machine}: spec.securityGroups: web: the project has no such security group. No server is created without it, and existing servers are unaffected',
  },
  {
    cause: 'A security group requested for a pool does not exist',
    by: {
      from: 'a cluster',
      begin: () => undefined,
      request: (fairway) => fairway.patch(nodePools, 'general', { spec: { securityGroups: ['web'] } }),
    },
    kind: 'NodePool',
    phase: 'Ready',
    condition: 'SecurityGroupsApplied',
    reason: 'SecurityGroupNotFound',
    message:
      'spec.securityGroups: web: the project has no such security group. No server is created without it, and existing servers are unaffected',
  },
  {
    cause: 'An image is gone',
    by: 'an unknown image',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ImageNotFound',
    message: 'spec.image: the cloud has no active image none such',
  },
  {
    cause: 'A network of the tenant no longer exists',
    by: {
      from: 'nothing',
      begin: (fairway) =>
        fairway.createCluster({
          network: {
            networkID: UNKNOWN_ID,
            subnetID: '22222222-2222-4222-8222-222222222222',
          },
        }),
      request: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'NetworkNotFound',
    message:
      'spec.network.networkID: the project has no network {id}; pick one from `openstack network list`, or leave the field empty so that Fairway creates one',
  },
  {
    cause: 'The plan is gone',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ plan: 'none-such' }), request: () => undefined },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PlanNotFound',
    message: 'spec.plan: Plan none-such no longer exists; the operator must restore it',
  },
  {
    cause: 'The version is not offered',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ version: '1.99' }), request: () => undefined },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'VersionNotOffered',
    message: 'spec.version: is not in the catalog; choose one of {versions}',
  },
  {
    cause: 'The cluster of a pool is gone',
    by: { from: 'nothing', begin: (fairway) => fairway.createPool({ clusterName: 'lost' }), request: () => undefined },
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'ClusterNotFound',
    message: 'spec.clusterName: namespace team has no cluster lost; create it, or correct the name',
  },
  {
    cause: 'A network of the tenant has no subnet',
    by: clusterInExistingNetwork(undefined),
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'SubnetNotFound',
    message: 'spec.network.networkID: network {id} has no IPv4 subnet; create one in it',
  },
  {
    cause: 'A subnet of the tenant overlaps the pod network',
    by: clusterInExistingNetwork('10.2.7.0/24'),
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'AddressRangeOverlap',
    message:
      'spec.network.subnetID: subnet {id} has the range 10.2.7.0/24, which overlaps the pod network 10.2.0.0/16; create a cluster with other ranges',
  },
  {
    cause: 'An additional network of a pool no longer exists',
    by: secondPool({ networks: [{ networkID: UNKNOWN_ID }] }),
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'NetworkNotFound',
    message:
      'spec.networks[0].networkID: {id}: the project has no such network; choose one of `openstack network list`, such as {id} ("fairway-demo")',
  },
  {
    cause: 'An additional network of a pool has no subnet',
    by: poolInAdditionalNetwork(undefined),
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'SubnetNotFound',
    message: 'spec.networks[0].networkID: {id}: the network has no IPv4 subnet: create one in it',
  },
  {
    cause: 'An additional network of a pool overlaps the pod network',
    by: poolInAdditionalNetwork('10.2.7.0/24'),
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'AddressRangeOverlap',
    message:
      'spec.networks[0].networkID: {id}: subnet {id} has the CIDR 10.2.7.0/24, which overlaps the pod network 10.2.0.0/16: choose a network with another CIDR',
  },
  {
    cause: 'A router is gone',
    by: clusterBehindRouter({ mode: 'Router', routerID: UNKNOWN_ID }),
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'RouterNotFound',
    message: 'spec.network.gateway.routerID: the project has no router {id}; pick one from `openstack router list`',
  },
  {
    cause: 'An external network is gone',
    by: clusterBehindRouter({ mode: 'Router', externalNetworkID: UNKNOWN_ID }),
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'ExternalNetworkNotFound',
    message:
      'spec.network.gateway.externalNetworkID: the project has no access to external network {id}; available: {id} (public)',
  },
  {
    cause: 'An availability zone is gone',
    by: secondPool({ availabilityZones: ['nova-gone'] }),
    afterMs: 2 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'ZoneNotFound',
    message:
      '0/1 nodes are ready; {machine}: compute: The requested availability zone is not available; create another pool with zones from `openstack availability zone list --compute`',
  },
  {
    cause: 'A type of volume is gone',
    by: secondPool({ rootVolume: { sizeGiB: 20, type: 'gone' } }),
    afterMs: 2 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'VolumeTypeNotFound',
    message:
      '0/1 nodes are ready; {machine}: compute: Volume type gone could not be found; set spec.rootVolume.type of the pool to a type from `openstack volume type list`',
  },
  {
    cause: 'Floating IPs without a router',
    by: {
      from: 'nothing',
      begin: async (fairway) => {
        await fairway.createCluster({ network: { gateway: { mode: 'None' } } });
        await fairway.createPool({ replicas: 1, floatingIPs: { enabled: true } });
      },
      request: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'GatewayMissing',
    message:
      'spec.floatingIPs.enabled: true: floating IPs require a router in front of the nodes, and the cluster has gateway mode None: set it to Router, or disable floating IPs',
  },
  {
    cause: 'A range has no room for the nodes',
    by: {
      from: 'nothing',
      begin: async (fairway) => {
        await fairway.createCluster({ network: { nodesCIDR: '10.78.0.0/28' } });
        await fairway.createPool({ replicas: 20 });
      },
      request: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'AddressesExhausted',
    message:
      "spec.replicas: 20: the nodes' CIDR 10.78.0.0/28 has room for 10 nodes, and the pools of the cluster request more: this pool gets 10, because older pools take precedence; scale down pools, or create a cluster with a larger spec.network.nodesCIDR",
  },
];
