import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Port } from '@fairway/openstack/types/network';

/** The attachments of a network's routers, from a response. */
interface Known {
  readonly ports: readonly Port[];
  readonly atMs: number;
}

/**
 * The ports between routers and subnets, by network. One list of the project serves all of its clusters, until it is too old or something here
 * changes what is attached in the network that is asked for.
 */
export class RouterAttachments {
  readonly #interfaces: ResourceCache<Port>;
  readonly #known = new Map<string, Known>();
  /** When something was, or may have been, attached or detached in a network since the last list. */
  readonly #changedAtMs = new Map<string, number>();

  constructor(interfaces: ResourceCache<Port>) {
    this.#interfaces = interfaces;
  }

  /** The attachments in a network, as of `sinceMs` or later. Rejects as a list does. */
  async of(networkID: string, sinceMs: number): Promise<readonly Port[]> {
    const known = this.#known.get(networkID);
    if (known && known.atMs >= sinceMs) return known.ports;
    const changedAtMs = this.#changedAtMs.get(networkID) ?? Number.NEGATIVE_INFINITY;
    // A list is taken that began at that moment; after a change it must have begun later.
    const fromMs = Math.max(sinceMs - 1, changedAtMs);
    const { items, listedAtMs = fromMs } = await this.#interfaces.refreshAfter(fromMs);
    // Networks that have gone are never asked for again. What has changed meanwhile is later than the list.
    for (const [id, atMs] of this.#changedAtMs) if (atMs < listedAtMs) this.#changedAtMs.delete(id);
    this.#known.delete(networkID);
    return [...items.values()].filter((port) => port.network_id === networkID);
  }

  /** What a response says, of a network that is new for instance. */
  observed(networkID: string, ports: readonly Port[], nowMs: number): void {
    this.#known.set(networkID, { ports, atMs: nowMs });
  }

  /** Something was, or may have been, attached or detached. */
  forget(networkID: string, nowMs: number): void {
    this.#known.delete(networkID);
    this.#changedAtMs.set(networkID, nowMs);
  }
}
