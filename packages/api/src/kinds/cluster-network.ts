import { z } from 'zod';
import { ipv4, ipv4Cidr, openstackId } from '../schema/scalars.ts';

const gateway = z
  .object({
    mode: z
      .enum(['Router', 'Custom', 'None'])
      .default('Router')
      .describe(
        'How nodes reach the Internet. Router: an OpenStack router of the subnet translates addresses; floating IPs and public load balancers need it. Custom: another machine in the network is the default gateway. None: not at all; the nodes must reach the API server and their image registries another way.',
      ),
    externalNetworkID: openstackId()
      .optional()
      .describe("External network of a router that Fairway creates. Empty: the cloud's default external network."),
    routerID: openstackId()
      .optional()
      .describe("An existing router to use. Empty: the subnet's router; if it has none, Fairway creates one."),
    address: ipv4()
      .optional()
      .describe("Address of the default gateway in mode Custom. Empty: the subnet's gateway_ip."),
  })
  .describe('The way from the nodes to the Internet.');

/** `spec.network` of a Cluster. */
export const clusterNetworkSpec = z
  .object({
    networkID: openstackId()
      .optional()
      .describe('An existing network to put the nodes in. Empty: Fairway creates network and subnet. Immutable.'),
    subnetID: openstackId()
      .optional()
      .describe('The subnet of networkID for the nodes. Empty: the only IPv4 subnet of the network. Immutable.'),
    loadBalancersSubnetID: openstackId()
      .optional()
      .describe('Subnet for the addresses of load balancers. Empty: the subnet of the nodes.'),
    nodesCIDR: ipv4Cidr()
      .optional()
      .describe("Range of the subnet that Fairway creates. Empty: the plan's default. Immutable."),
    gateway: gateway.prefault({}),
    podRoutes: z
      .enum(['Router', 'None'])
      .optional()
      .describe(
        "How packets of pods get from node to node. Router: the cluster's router has a route to each node for its pods, for pod networks that do not wrap packets; needs cni.type none, and network and router of Fairway's making. None or empty: the pod network does it. Immutable.",
      ),
    dnsNameservers: z
      .array(ipv4())
      .max(5)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe("Name servers of the subnet that Fairway creates. Empty: the cloud's."),
  })
  .describe('The OpenStack network of the nodes. Resources are named by id: renaming them changes nothing.');

/** `status.network` of a Cluster. */
export const clusterNetworkStatus = z
  .object({
    networkID: z.string().optional().describe('Network of the nodes.'),
    subnetID: z.string().optional().describe('Subnet of the nodes.'),
    nodesCIDR: z.string().optional().describe('Range of that subnet.'),
    routerID: z.string().optional().describe('Router that the subnet is attached to.'),
    egressAddress: z.string().optional().describe('Address that the Internet sees the nodes come from.'),
    externalNetworkID: z.string().optional().describe('External network of the router, where floating IPs come from.'),
    securityGroupID: z.string().optional().describe('Security group of the nodes.'),
    loadBalancersSubnetID: z.string().optional().describe('Subnet for the addresses of load balancers.'),
  })
  .describe('What the nodes are connected to.');
