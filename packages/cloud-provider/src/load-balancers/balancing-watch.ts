import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

interface Watched {
  readonly keys: Set<string>;
  readonly stop: () => void;
}

/** Services that began to wait for the same change at about the same time: they look together. */
interface Awaited {
  readonly cache: ProjectCache;
  readonly change: Change;
  readonly sinceMs: number;
  readonly keys: Set<string>;
  readonly end: (isSeen: boolean) => void;
}

/** What a load balancer is waited for; see ResourceCache. */
export type Change = 'build' | 'deletion' | 'update';

/** Each of two hundred that looked by itself would have the list read hundreds of times. */
const TOGETHER_MS = 2_000;
const LOOK_MIN_MS = 500;
const LOOK_MAX_MS = 10_000;

/** Which Services, or Ingresses, look at which project's load balancers: they are listed while one does, and more often while one waits for a change. */
export class BalancingWatch {
  readonly #enqueue: (key: string) => void;
  readonly #keysOf: (loadBalancer: LoadBalancer) => readonly string[];
  readonly #watched = new Map<ProjectCache, Watched>();
  readonly #awaited = new Set<Awaited>();

  /** `keysOf`: of whom it is for. */
  constructor(enqueue: (key: string) => void, keysOf: (loadBalancer: LoadBalancer) => readonly string[]) {
    this.#enqueue = enqueue;
    this.#keysOf = keysOf;
  }

  begin({ cache }: ProjectCloud, key: string): void {
    const watched = this.#watched.get(cache) ?? { keys: new Set(), stop: this.#subscribe(cache.loadBalancers) };
    watched.keys.add(key);
    this.#watched.set(cache, watched);
  }

  end(key: string): void {
    this.settle(key);
    for (const [cache, { keys, stop }] of this.#watched) {
      if (!keys.delete(key) || keys.size > 0) continue;
      this.#watched.delete(cache);
      stop();
    }
  }

  keys(): readonly string[] {
    return [...this.#watched.values()].flatMap(({ keys }) => [...keys]);
  }

  /** Until `settle`. A change of another kind takes the place of the one before. */
  expect(cloud: ProjectCloud, key: string, change: Change): void {
    const known = [...this.#awaited].find(({ keys }) => keys.has(key));
    if (known?.change === change) return;
    const shared = this.#shared(cloud, change);
    this.settle(key);
    shared.keys.add(key);
    this.#awaited.add(shared);
  }

  /**
   * When to look at the lists again although they show nothing new: a change that was over before a list began may leave no trace in it, as times in it
   * are of whole seconds. Undefined while nothing is awaited.
   */
  lookInMs(key: string, nowMs: number): number | undefined {
    const awaited = [...this.#awaited].find(({ keys }) => keys.has(key));
    return awaited && Math.min(Math.max(nowMs - awaited.sinceMs, LOOK_MIN_MS), LOOK_MAX_MS);
  }

  /** `seen`: the change that the last list shows. */
  settle(key: string, seen?: Change): void {
    for (const awaited of this.#awaited) {
      if (!awaited.keys.delete(key) || awaited.keys.size > 0) continue;
      this.#awaited.delete(awaited);
      awaited.end(awaited.change === seen);
    }
  }

  #shared(cloud: ProjectCloud, change: Change): Awaited {
    const { cache } = cloud;
    const nowMs = cloud.now();
    const isShared = (each: Awaited) =>
      each.cache === cache && each.change === change && nowMs - each.sinceMs < TOGETHER_MS;
    const found = [...this.#awaited].find(isShared);
    if (found) return found;
    // Octavia takes about as long to change one as to delete one; looks become rarer where it takes for ever.
    const end = cache.loadBalancers.expectChange(change, change === 'update' ? 'deletion' : change);
    return { cache, change, sinceMs: nowMs, keys: new Set(), end };
  }

  #subscribe(loadBalancers: ResourceCache<LoadBalancer>): () => void {
    return loadBalancers.subscribe(({ added, changed, removed }) => {
      for (const item of [...added, ...changed, ...removed]) {
        for (const key of this.#keysOf(item)) this.#enqueue(key);
      }
    });
  }
}
