import type { Port } from '@fairway/openstack/types/network';

/** The attachments of a router, from a list or a response. */
interface Known {
  readonly ports: readonly Port[];
  readonly atMs: number;
}

/**
 * The ports between routers and subnets. A project has as many ports as nodes, so ports are not part of the periodic lists: each router is
 * queried on demand, and the result is cached until it is too old or something here changes it.
 */
export class RouterAttachments {
  readonly #known = new Map<string, Known>();

  /** The cached attachments of the router (or, by the network's id, of a network's routers), no older than `maxAgeMs`. */
  get(id: string, nowMs: number, maxAgeMs: number): readonly Port[] | undefined {
    const known = this.#known.get(id);
    return known && nowMs - known.atMs <= maxAgeMs ? known.ports : undefined;
  }

  observed(id: string, ports: readonly Port[], nowMs: number): void {
    this.#known.set(id, { ports, atMs: nowMs });
  }

  /** Invalidates the cache: something was, or may have been, attached or detached. */
  forget(id: string): void {
    this.#known.delete(id);
  }
}
