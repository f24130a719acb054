import type { LoadBalancerTree } from '@fairway/openstack/load-balancer/created-tree';
import type { LoadBalancer, Member, MemberCreate } from '@fairway/openstack/types/load-balancer';

interface RememberedTree {
  readonly loadBalancerID: string;
  /** Fingerprint of the load balancer when last read; see `fingerprintOf`. */
  fingerprint: string;
  /** Set from this process's last change until the load balancer is ACTIVE again. */
  hasPendingChange: boolean;
  /**
   * Lists of the load balancer's parts that began earlier may be outdated; undefined if this process created all parts.
   */
  partsFromMs: number | undefined;
  readonly members: Map<string, readonly Member[]>;
}

/**
 * This process's view of load balancer trees. Octavia's lists do not contain members, and lists of parts are not read
 * while a load balancer is unchanged. Every change shows up in the load balancer's fingerprint, so changes by others
 * are detected.
 */
export class TreeMemory {
  readonly #trees = new Map<string, RememberedTree>();
  /** IDs of load balancers with a change in progress. */
  readonly #held = new Set<string>();

  /**
   * Stores a Service's complete tree, which this process has just created, under `key`. `partsFromMs` is its creation
   * time, if the response omits parts.
   */
  recordCreated(key: string, { loadBalancer, members }: LoadBalancerTree, partsFromMs?: number): void {
    this.#trees.set(key, {
      loadBalancerID: loadBalancer.id,
      fingerprint: fingerprintOf(loadBalancer),
      hasPendingChange: true,
      partsFromMs,
      members: new Map(members),
    });
  }

  /** The earliest start of valid lists of this load balancer's parts, if load balancers were listed at `listedAtMs`. */
  partsFromMs(key: string, loadBalancer: LoadBalancer, listedAtMs: number): number | undefined {
    const { id, provisioning_status } = loadBalancer;
    const fingerprint = fingerprintOf(loadBalancer);
    const known = this.#trees.get(key);
    if (known?.loadBalancerID !== id) {
      this.#trees.set(key, {
        loadBalancerID: id,
        fingerprint,
        hasPendingChange: false,
        partsFromMs: listedAtMs - 1,
        members: new Map(),
      });
      return listedAtMs - 1;
    }
    if (known.fingerprint !== fingerprint && !known.hasPendingChange) {
      this.invalidate(key, listedAtMs);
    }
    known.fingerprint = fingerprint;
    if (provisioning_status === 'ACTIVE') known.hasPendingChange = false;
    return known.partsFromMs;
  }

  /** Records that the known parts differ from a list that was made at `listedAtMs`. */
  invalidate(key: string, listedAtMs: number): void {
    const known = this.#trees.get(key);
    if (known === undefined) return;
    known.partsFromMs = listedAtMs - 1;
    known.members.clear();
  }

  /** Records that this process is changing the load balancer. */
  beginChange(key: string): void {
    const known = this.#trees.get(key);
    if (known) known.hasPendingChange = true;
  }

  /** Members by pool ID; undefined if unknown. */
  members(key: string): ReadonlyMap<string, readonly Member[]> {
    return this.#trees.get(key)?.members ?? new Map();
  }

  recordMembers(key: string, poolID: string, members: readonly Member[]): void {
    this.#trees.get(key)?.members.set(poolID, members);
  }

  recordWrittenMembers(key: string, poolID: string, members: readonly MemberCreate[]): void {
    this.recordMembers(key, poolID, members.map(asMember));
  }

  /**
   * Runs a change to a load balancer. Returns false without running it while another change is in progress, because
   * Octavia would reject it.
   */
  async runExclusively(loadBalancerID: string, change: () => Promise<void>): Promise<boolean> {
    if (this.#held.has(loadBalancerID)) return false;
    this.#held.add(loadBalancerID);
    try {
      await change();
      return true;
    } finally {
      this.#held.delete(loadBalancerID);
    }
  }

  forget(key: string): void {
    this.#trees.delete(key);
  }
}

/** Computed from the fields that change with the tree: the time, in whole seconds, and the IDs of its parts. */
function fingerprintOf({ updated_at, listeners, pools }: LoadBalancer): string {
  const ids = [...listeners, ...pools].map(({ id }) => id).sort();
  return JSON.stringify([updated_at, ids]);
}

/** The member as Octavia will return it, with a made-up ID, which is not needed. */
function asMember(member: MemberCreate): Member {
  const id = `${member.address} ${member.protocol_port}`;
  return { ...member, id, project_id: '', provisioning_status: 'PENDING_CREATE', admin_state_up: true, tags: [] };
}
