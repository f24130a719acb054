import type { World } from '../world.ts';
import type { Port } from './records.ts';
import { networkTime } from './stamp.ts';

/** Deletes a port and disassociates its floating IPs. */
export function deletePort(world: World, port: Port): void {
  detachFloatingIps(world, port.id);
  world.tables.ports.delete(port.id);
}

export function detachFloatingIps(world: World, portId: string): void {
  const { floatingIps } = world.tables;
  for (const floatingIp of world.indexes.floatingIpsByPort.of(portId)) {
    floatingIps.put({
      ...floatingIp,
      port_id: null,
      fixed_ip_address: null,
      router_id: null,
      status: 'DOWN',
      revision_number: floatingIp.revision_number + 1,
      updated_at: networkTime(world),
    });
  }
}

/** Changes a port on behalf of another service or a router. */
export function patchPort(world: World, port: Port, patch: Partial<Port>): Port {
  return world.tables.ports.put({
    ...port,
    ...patch,
    revision_number: port.revision_number + 1,
    updated_at: networkTime(world),
  });
}
