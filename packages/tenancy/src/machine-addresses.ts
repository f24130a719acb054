import type { Machine } from '@fairway/api/kinds/machine';
import type { Server } from '@fairway/openstack/types/server';

type Addresses = NonNullable<NonNullable<Machine['status']>['addresses']>;

/** A server's addresses as a Node has them: fixed ones are internal, floating ones external. IPv4 first, else as listed. */
export function machineAddresses(server: Pick<Server, 'name' | 'addresses'>): Addresses {
  const all = Object.values(server.addresses).flat();
  const inOrder = all.toSorted((a, b) => a.version - b.version);
  const ips = inOrder.map(({ addr, 'OS-EXT-IPS:type': type }) => ({
    type: type === 'floating' ? ('ExternalIP' as const) : ('InternalIP' as const),
    address: addr,
  }));
  const internalFirst = ips.toSorted((a, b) => Number(a.type === 'ExternalIP') - Number(b.type === 'ExternalIP'));
  return [...internalFirst, { type: 'Hostname', address: server.name }];
}
