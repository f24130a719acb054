import type { LoadBalancerTree } from '@fairway/openstack/load-balancer/created-tree';
import type { LoadBalancer, Member, MemberCreate } from '@fairway/openstack/types/load-balancer';

interface Remembered {
  readonly loadBalancerID: string;
  /** How the load balancer looked when it was last seen; see `lookOf`. */
  look: string;
  /** Since the last change that this process has made, until the load balancer is ACTIVE again. */
  isChanging: boolean;
  /** Lists of its parts that began earlier may not show how it is; undefined: what this process has made of it is all there is. */
  partsFromMs: number | undefined;
  readonly members: Map<string, readonly Member[]>;
}

/**
 * What this process knows of the trees of load balancers. Octavia lists no members, and its lists of parts are not read while nothing of a load balancer
 * changes: every change shows in how it looks there, so what somebody else has changed is told from what this process has.
 */
export class TreeMemory {
  readonly #trees = new Map<string, Remembered>();
  /** Ids of load balancers of which a change is on its way. */
  readonly #held = new Set<string>();

  /** `key` of a Service, for which this process has just made all of the tree. `partsFromMs`: when it did, if the answer does not show all parts. */
  made(key: string, { loadBalancer, members }: LoadBalancerTree, partsFromMs?: number): void {
    this.#trees.set(key, {
      loadBalancerID: loadBalancer.id,
      look: lookOf(loadBalancer),
      isChanging: true,
      partsFromMs,
      members: new Map(members),
    });
  }

  /** Since when lists of the parts of this load balancer, which a list of `listedAtMs` shows, must have begun. */
  partsFromMs(key: string, loadBalancer: LoadBalancer, listedAtMs: number): number | undefined {
    const { id, provisioning_status } = loadBalancer;
    const look = lookOf(loadBalancer);
    const known = this.#trees.get(key);
    if (known?.loadBalancerID !== id) {
      this.#trees.set(key, {
        loadBalancerID: id,
        look,
        isChanging: false,
        partsFromMs: listedAtMs - 1,
        members: new Map(),
      });
      return listedAtMs - 1;
    }
    if (known.look !== look && !known.isChanging) {
      this.doubt(key, listedAtMs);
    }
    known.look = look;
    if (provisioning_status === 'ACTIVE') known.isChanging = false;
    return known.partsFromMs;
  }

  /** What is known of its parts is not what a list of `listedAtMs` shows. */
  doubt(key: string, listedAtMs: number): void {
    const known = this.#trees.get(key);
    if (known === undefined) return;
    known.partsFromMs = listedAtMs - 1;
    known.members.clear();
  }

  /** This process is changing it. */
  changing(key: string): void {
    const known = this.#trees.get(key);
    if (known) known.isChanging = true;
  }

  /** By the id of their pool, where they are known. */
  members(key: string): ReadonlyMap<string, readonly Member[]> {
    return this.#trees.get(key)?.members ?? new Map();
  }

  readMembers(key: string, poolID: string, members: readonly Member[]): void {
    this.#trees.get(key)?.members.set(poolID, members);
  }

  wroteMembers(key: string, poolID: string, members: readonly MemberCreate[]): void {
    this.readMembers(key, poolID, members.map(asMember));
  }

  /** Runs a change of a load balancer. Returns false without it while another one is on its way, beside which Octavia would refuse it. */
  async alone(loadBalancerID: string, change: () => Promise<void>): Promise<boolean> {
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

/** What of it changes with its tree: the time, which is of whole seconds, and which parts there are. */
function lookOf({ updated_at, listeners, pools }: LoadBalancer): string {
  const ids = [...listeners, ...pools].map(({ id }) => id).sort();
  return JSON.stringify([updated_at, ids]);
}

/** As it will be read; nobody needs its id. */
function asMember(member: MemberCreate): Member {
  const id = `${member.address} ${member.protocol_port}`;
  return { ...member, id, project_id: '', provisioning_status: 'PENDING_CREATE', admin_state_up: true, tags: [] };
}
