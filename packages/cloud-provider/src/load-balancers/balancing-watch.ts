import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

interface Watched {
  readonly keys: Set<string>;
  readonly stop: () => void;
}

interface Awaited {
  readonly change: Change;
  readonly end: (isSeen: boolean) => void;
}

/** What a load balancer is waited for; see ResourceCache. */
export type Change = 'build' | 'deletion' | 'update';

/** Which Services, or Ingresses, look at which project's load balancers: they are listed while one does, and more often while one waits for a change. */
export class BalancingWatch {
  readonly #enqueue: (key: string) => void;
  readonly #keyOf: (loadBalancer: LoadBalancer) => string | undefined;
  readonly #watched = new Map<ProjectCache, Watched>();
  readonly #awaited = new Map<string, Awaited>();

  /** `keyOf`: of whom it is for. */
  constructor(enqueue: (key: string) => void, keyOf: (loadBalancer: LoadBalancer) => string | undefined) {
    this.#enqueue = enqueue;
    this.#keyOf = keyOf;
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
  expect({ cache }: ProjectCloud, key: string, change: Change): void {
    if (this.#awaited.get(key)?.change === change) return;
    const end = cache.loadBalancers.expectChange(key, change === 'update' ? undefined : change);
    this.settle(key);
    this.#awaited.set(key, { change, end });
  }

  /** `seen`: the change that the last list shows. */
  settle(key: string, seen?: Change): void {
    const awaited = this.#awaited.get(key);
    awaited?.end(awaited.change === seen);
    this.#awaited.delete(key);
  }

  #subscribe(loadBalancers: ResourceCache<LoadBalancer>): () => void {
    return loadBalancers.subscribe(({ added, changed, removed }) => {
      for (const item of [...added, ...changed, ...removed]) {
        const key = this.#keyOf(item);
        if (key !== undefined) this.#enqueue(key);
      }
    });
  }
}
