import { z } from 'zod';
import { openstackId } from '../schema/scalars.ts';

const poolNetwork = z
  .object({
    networkID: openstackId().describe(
      'ID of a network that belongs to the project or is shared with it. It must not be the network of the nodes or an external network.',
    ),
    subnetID: openstackId()
      .optional()
      .describe('ID of the subnet of networkID for the address. Default: the only IPv4 subnet of the network.'),
  })
  .describe('Network and subnet in which the servers have an address.');

/** `spec.networks` of a NodePool and its Machines. */
export function poolNetworks() {
  return z
    .array(poolNetwork)
    .max(8)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['networkID'] });
}

export type PoolNetwork = z.infer<typeof poolNetwork>;
