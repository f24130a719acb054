import { isIP } from 'node:net';
import { z } from 'zod';

const MAX_ENTRIES = 64;

const names = z.array(z.string().min(1)).max(MAX_ENTRIES).default([]);
const range = z.string().refine(isRange, {
  error: ({ input }) => `${String(input)} is not a range such as 10.0.0.0/8 or 2001:db8::/32`,
});

function isRange(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= bits;
}

/**
 * The entry's `node_addresses` in clouds.yaml: which of a server's addresses become addresses of its node, and with
 * which type. Names are those of the networks listed on servers. The counterpart of `[Networking]` in
 * cloud-provider-openstack.
 */
export const NodeAddressSettings = z
  .strictObject({
    public_networks: names,
    internal_networks: names,
    sort_order: z.array(range).max(MAX_ENTRIES).default([]),
    ipv6: z.boolean().default(true),
  })
  .transform((settings) => ({
    /** Networks whose addresses are external. */
    publicNetworks: settings.public_networks,
    /** If any of these match, fixed addresses of other networks are omitted. */
    internalNetworks: settings.internal_networks,
    /** Ranges whose addresses come first, in this order. */
    sortOrder: settings.sort_order,
    /** Whether IPv6 addresses are included. */
    ipv6: settings.ipv6,
  }));
export type NodeAddressSettings = Readonly<z.infer<typeof NodeAddressSettings>>;

/** Includes all addresses, sorted by network name. */
export const DEFAULT_NODE_ADDRESSES: NodeAddressSettings = NodeAddressSettings.parse({});
