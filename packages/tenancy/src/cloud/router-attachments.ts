import type { Port } from '@fairway/openstack/types/network';

/** Where a router is attached, as one look at the cloud or one answer of it showed. */
interface Known {
  readonly ports: readonly Port[];
  readonly atMs: number;
}

/**
 * The ports between routers and subnets. A project's ports are as many as its nodes, so they are not listed with the rest: each router is asked about when
 * something needs to know, and what it answered stands until it is old or something here has changed it.
 */
export class RouterAttachments {
  readonly #known = new Map<string, Known>();

  /** What is known of the router (or, by the network's id, of a network's routers), no older than `maxAgeMs`. */
  get(id: string, nowMs: number, maxAgeMs: number): readonly Port[] | undefined {
    const known = this.#known.get(id);
    return known && nowMs - known.atMs <= maxAgeMs ? known.ports : undefined;
  }

  observed(id: string, ports: readonly Port[], nowMs: number): void {
    this.#known.set(id, { ports, atMs: nowMs });
  }

  /** Another look is needed: something was attached or detached, or may have been. */
  forget(id: string): void {
    this.#known.delete(id);
  }
}
