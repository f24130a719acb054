import { RecentMap } from '@fairway/base/recent-map';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { HostRoute, Port } from '@fairway/openstack/types/network';
import { isOfProject } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { desiredPairs } from './route-plan.ts';

/** A server whose pods send packets with their own addresses. */
export interface RoutedServer {
  readonly serverID: string;
  readonly route: HostRoute;
}

/** Maximum age of the list of ports. */
const MAX_AGE_MS = 59_000;
const MAX_PORTS = 100_000;

/**
 * Lets the nodes' ports pass packets from their pods, which port security otherwise drops (`allowed_address_pairs`).
 */
export class PodAddressPairs {
  /** When a port was last written: lists that began earlier do not contain the change. */
  readonly #writtenMs = new RecentMap<number>(MAX_PORTS);

  /** Rejects with the cloud's error, which is `conflict` if a port has changed in the meantime. */
  async ensure(
    cloud: ProjectCloud,
    servers: readonly RoutedServer[],
    podCIDR: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (servers.length === 0) return;
    const projectID = await cloud.client.session.projectId();
    const snapshot = await cloud.cache.ports.refreshAfter(
      cloud.reliableFromMs(cloud.ledgers.ports, MAX_AGE_MS),
      signal,
    );
    const routes = new Map(servers.map(({ serverID, route }) => [serverID, route]));
    for (const port of snapshot.items.values()) {
      const route = routes.get(port.device_id);
      if (route === undefined || !isOfProject(port, projectID) || !isNextHopPort(port, route)) continue;
      if ((this.#writtenMs.get(port.id) ?? Number.NEGATIVE_INFINITY) >= (snapshot.listedAtMs ?? 0)) continue;
      await this.#allowPairs(cloud, port, route, podCIDR, signal);
    }
  }

  async #allowPairs(
    cloud: ProjectCloud,
    port: Port,
    { destination }: HostRoute,
    podCIDR: string,
    signal: AbortSignal,
  ): Promise<void> {
    const pairs = desiredPairs(port.allowed_address_pairs, destination, podCIDR);
    if (pairs === undefined) return;
    const { revision_number: ifRevision } = port;
    const options = { signal, ...(ifRevision !== undefined && { ifRevision }) };
    try {
      await cloud.client.network.ports.update(port.id, { allowed_address_pairs: pairs }, options);
      this.#writtenMs.set(port.id, cloud.now());
    } catch (error) {
      if (isOpenStackError(error)) cloud.cache.ports.invalidate();
      throw error;
    }
  }
}

/**
 * Whether the port is the next hop and needs address pairs. Without port security all packets pass, and Neutron rejects
 * address pairs.
 */
function isNextHopPort({ fixed_ips, port_security_enabled }: Port, { nexthop }: HostRoute): boolean {
  return port_security_enabled !== false && fixed_ips.some(({ ip_address }) => ip_address === nexthop);
}
