import { z } from 'zod';
import { ipv4, ipv4Cidr, openstackId } from '../schema/scalars.ts';

const gateway = z
  .object({
    mode: z
      .enum(['Router', 'Custom', 'None'])
      .default('Router')
      .describe(
        'How nodes reach the Internet. Router: through an OpenStack router of the subnet, with address translation; required for floating IPs and public load balancers. Custom: through another machine in the network. None: not at all; the nodes must reach the API server and their image registries by other means.',
      ),
    externalNetworkID: openstackId()
      .optional()
      .describe(
        "ID of the external network for a router that Fairway creates. Default: the cloud's default external network.",
      ),
    routerID: openstackId()
      .optional()
      .describe(
        'ID of an existing router to use. Default: the router of the subnet; if the subnet has no router, Fairway creates one.',
      ),
    address: ipv4()
      .optional()
      .describe('Address of the default gateway in mode Custom. Default: the gateway_ip of the subnet.'),
  })
  .describe('Gateway through which the nodes reach the Internet.');

/** `spec.network` of a Cluster. */
export const clusterNetworkSpec = z
  .object({
    networkID: openstackId()
      .optional()
      .describe('ID of an existing network for the nodes. Default: Fairway creates a network and subnet. Immutable.'),
    subnetID: openstackId()
      .optional()
      .describe(
        'ID of the subnet in networkID for the nodes. Default: the only IPv4 subnet of the network. Immutable.',
      ),
    loadBalancersSubnetID: openstackId()
      .optional()
      .describe('ID of the subnet for the addresses of load balancers. Default: the subnet of the nodes.'),
    nodesCIDR: ipv4Cidr()
      .optional()
      .describe('CIDR of the subnet that Fairway creates. Default: the CIDR that the plan sets. Immutable.'),
    gateway: gateway.prefault({}),
    podRoutes: z
      .enum(['Router', 'None'])
      .optional()
      .describe(
        "How packets between pods on different nodes are routed. Router: the cluster's router has a route to the pods of each node, for pod networks without encapsulation; requires cni.type none, and a network and router created by Fairway. None or empty: the pod network handles the routing. Immutable.",
      ),
    dnsNameservers: z
      .array(ipv4())
      .max(5)
      .optional()
      .meta({ 'x-kubernetes-list-type': 'set' })
      .describe('DNS servers of the subnet that Fairway creates. Default: the DNS servers of the cloud.'),
  })
  .describe(
    'OpenStack network of the nodes. OpenStack resources are identified by ID, so renaming them has no effect.',
  );

/** `status.network` of a Cluster. */
export const clusterNetworkStatus = z
  .object({
    networkID: z.string().optional().describe('ID of the network of the nodes.'),
    subnetID: z.string().optional().describe('ID of the subnet of the nodes.'),
    nodesCIDR: z.string().optional().describe('CIDR of the subnet of the nodes.'),
    routerID: z.string().optional().describe('ID of the router to which the subnet is attached.'),
    egressAddress: z.string().optional().describe("Source address of the nodes' traffic to the Internet."),
    externalNetworkID: z
      .string()
      .optional()
      .describe('ID of the external network of the router, from which floating IPs are allocated.'),
    securityGroupID: z.string().optional().describe('ID of the security group of the nodes.'),
    loadBalancersSubnetID: z.string().optional().describe('ID of the subnet for the addresses of load balancers.'),
  })
  .describe('Network resources of the cluster.');
