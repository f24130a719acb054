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
  readonly provider: string;
  readonly sinceMs: number;
  readonly keys: Set<string>;
  readonly end: (isSeen: boolean) => void;
}

type Provided = Partial<Pick<LoadBalancer, 'provider'>>;

/** What a load balancer is waited for. */
export type Change = 'build' | 'deletion' | 'update';

/** Each of two hundred that looked by itself would have the list read hundreds of times. */
const TOGETHER_MS: Readonly<Record<Change, number>> = { build: 2_000, update: 500, deletion: 500 };
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

  /** Until `settle`. A change of another kind takes the place of the one before. Each provider takes its own time for the change of a load balancer. */
  expect(cloud: ProjectCloud, key: string, change: Change, { provider }: Provided = {}): void {
    if (this.#awaitedBy(key)?.change === change) return;
    const shared = this.#shared(cloud, change, provider ?? '');
    this.settle(key);
    shared.keys.add(key);
    this.#awaited.add(shared);
  }

  /** The end of what Octavia is at work on: of what is awaited, if anything is. */
  expectEnd(cloud: ProjectCloud, key: string, loadBalancer: LoadBalancer): void {
    const known = this.#awaitedBy(key)?.change;
    if (known === 'build' || known === 'update') return;
    const isNew = loadBalancer.provisioning_status === 'PENDING_CREATE';
    this.expect(cloud, key, isNew ? 'build' : 'update', loadBalancer);
  }

  /**
   * When to look at the lists again although they show nothing new: a change that was over before a list began may leave no trace in it, as times in it
   * are of whole seconds. Undefined while nothing is awaited.
   */
  lookInMs(key: string, nowMs: number): number | undefined {
    const awaited = this.#awaitedBy(key);
    return awaited && Math.min(Math.max(nowMs - awaited.sinceMs, LOOK_MIN_MS), LOOK_MAX_MS);
  }

  /** `seen`: the change that the last list shows; `any`: all that was awaited. */
  settle(key: string, seen?: Change | 'any'): void {
    for (const awaited of this.#awaited) {
      if (!awaited.keys.delete(key) || awaited.keys.size > 0) continue;
      this.#awaited.delete(awaited);
      awaited.end(seen === 'any' || awaited.change === seen);
    }
  }

  #awaitedBy(key: string): Awaited | undefined {
    return [...this.#awaited].find(({ keys }) => keys.has(key));
  }

  #shared(cloud: ProjectCloud, change: Change, provider: string): Awaited {
    const { cache } = cloud;
    const nowMs = cloud.now();
    const isShared = (each: Awaited) =>
      each.cache === cache &&
      each.change === change &&
      each.provider === provider &&
      nowMs - each.sinceMs < TOGETHER_MS[change];
    const found = [...this.#awaited].find(isShared);
    if (found) return found;
    const end = cache.loadBalancers.expectChange(change, `punctual ${change}`, provider);
    return { cache, change, provider, sinceMs: nowMs, keys: new Set(), end };
  }

  #subscribe(loadBalancers: ResourceCache<LoadBalancer>): () => void {
    return loadBalancers.subscribe(({ added, changed, removed }) => {
      for (const item of [...added, ...changed, ...removed]) {
        for (const key of this.#keysOf(item)) this.#enqueue(key);
      }
    });
  }
}
