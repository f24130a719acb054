import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Port } from '@fairway/openstack/types/network';

/** The attachments of a network's routers, from a response. */
interface KnownPorts {
  readonly ports: readonly Port[];
  readonly atMs: number;
}

/**
 * The ports between routers and subnets, by network. All clusters in a project share one list, until it is too old or
 * this process has changed attachments in the requested network.
 */
export class RouterAttachments {
  readonly #interfaces: ResourceCache<Port>;
  readonly #known = new Map<string, KnownPorts>();
  /** When something was, or may have been, attached or detached in a network since the last list. */
  readonly #changedAtMs = new Map<string, number>();

  constructor(interfaces: ResourceCache<Port>) {
    this.#interfaces = interfaces;
  }

  /** The attachments in a network, from a list at `sinceMs` or later. Rejects like a list. */
  async of(networkID: string, sinceMs: number): Promise<readonly Port[]> {
    const known = this.#known.get(networkID);
    if (known && known.atMs >= sinceMs) return known.ports;
    const changedAtMs = this.#changedAtMs.get(networkID) ?? Number.NEGATIVE_INFINITY;
    // A list that began at that moment suffices; after a change, the list must have begun later.
    const fromMs = Math.max(sinceMs - 1, changedAtMs);
    const { items, listedAtMs = fromMs } = await this.#interfaces.refreshAfter(fromMs);
    // Deleted networks are never requested again. Changes made in the meantime are later than the list.
    for (const [id, atMs] of this.#changedAtMs) if (atMs < listedAtMs) this.#changedAtMs.delete(id);
    this.#known.delete(networkID);
    return [...items.values()].filter((port) => port.network_id === networkID);
  }

  /** Records the attachments in a response, for example for a new network. */
  recordPorts(networkID: string, ports: readonly Port[], nowMs: number): void {
    this.#known.set(networkID, { ports, atMs: nowMs });
  }

  /** Records that something was, or may have been, attached or detached. */
  forget(networkID: string, nowMs: number): void {
    this.#known.delete(networkID);
    this.#changedAtMs.set(networkID, nowMs);
  }
}
