import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

interface WatchedProject {
  readonly keys: Set<string>;
  readonly stop: () => void;
}

/** Services that began waiting for the same change at about the same time check at the same time. */
interface PendingChange {
  readonly cache: ProjectCache;
  readonly change: Change;
  readonly provider: string;
  readonly sinceMs: number;
  readonly keys: Set<string>;
  readonly stopExpecting: (isSeen: boolean) => void;
}

type ProviderField = Partial<Pick<LoadBalancer, 'provider'>>;

/** The change that Services wait for. */
export type Change = 'build' | 'deletion' | 'update';

/** Without this window, two hundred Services that check independently would list load balancers hundreds of times. */
const BATCH_WINDOW_MS: Readonly<Record<Change, number>> = { build: 2_000, update: 500, deletion: 500 };
const POLL_MIN_MS = 500;
const POLL_MAX_MS = 10_000;

/**
 * Tracks which Services or Ingresses observe a project's load balancers: the load balancers are listed as long as there
 * is an observer, and more often while an observer waits for a change.
 */
export class LoadBalancerWatch {
  readonly #enqueue: (key: string) => void;
  readonly #keysFor: (loadBalancer: LoadBalancer) => readonly string[];
  readonly #watched = new Map<ProjectCache, WatchedProject>();
  readonly #pending = new Set<PendingChange>();

  /** `keysOf` returns the keys of a load balancer's owners. */
  constructor(enqueue: (key: string) => void, keysOf: (loadBalancer: LoadBalancer) => readonly string[]) {
    this.#enqueue = enqueue;
    this.#keysFor = keysOf;
  }

  begin({ cache }: ProjectCloud, key: string): void {
    const watched = this.#watched.get(cache) ?? { keys: new Set(), stop: this.#subscribe(cache.loadBalancers) };
    watched.keys.add(key);
    this.#watched.set(cache, watched);
  }

  stopExpecting(key: string): void {
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

  /**
   * Expects a change until `settle`. Another kind of change replaces the previous one. Durations depend on the
   * provider.
   */
  expect(cloud: ProjectCloud, key: string, change: Change, { provider }: ProviderField = {}): void {
    if (this.#pendingFor(key)?.change === change) return;
    const shared = this.#shared(cloud, change, provider ?? '');
    this.settle(key);
    shared.keys.add(key);
    this.#pending.add(shared);
  }

  /** Waits for the change in progress, or, if a change is expected, for that change. */
  expectPendingChange(cloud: ProjectCloud, key: string, loadBalancer: LoadBalancer): void {
    const known = this.#pendingFor(key)?.change;
    if (known === 'build' || known === 'update') return;
    const isNew = loadBalancer.provisioning_status === 'PENDING_CREATE';
    this.expect(cloud, key, isNew ? 'build' : 'update', loadBalancer);
  }

  /**
   * When to check the lists again even if they show nothing new: a change that finished before a list began may leave
   * no trace, because load balancers have timestamps in whole seconds. Undefined if no change is expected.
   */
  nextPollMs(key: string, nowMs: number): number | undefined {
    const pending = this.#pendingFor(key);
    return pending && Math.min(Math.max(nowMs - pending.sinceMs, POLL_MIN_MS), POLL_MAX_MS);
  }

  /** `seen` is the change that the last list shows; `any` means every expected change. */
  settle(key: string, seen?: Change | 'any'): void {
    for (const pending of this.#pending) {
      if (!pending.keys.delete(key) || pending.keys.size > 0) continue;
      this.#pending.delete(pending);
      pending.stopExpecting(seen === 'any' || pending.change === seen);
    }
  }

  #pendingFor(key: string): PendingChange | undefined {
    return [...this.#pending].find(({ keys }) => keys.has(key));
  }

  #shared(cloud: ProjectCloud, change: Change, provider: string): PendingChange {
    const { cache } = cloud;
    const nowMs = cloud.now();
    const isShared = (each: PendingChange) =>
      each.cache === cache &&
      each.change === change &&
      each.provider === provider &&
      nowMs - each.sinceMs < BATCH_WINDOW_MS[change];
    const found = [...this.#pending].find(isShared);
    if (found) return found;
    const stopExpecting = cache.loadBalancers.expectChange(change, `punctual ${change}`, provider);
    return { cache, change, provider, sinceMs: nowMs, keys: new Set(), stopExpecting };
  }

  #subscribe(loadBalancers: ResourceCache<LoadBalancer>): () => void {
    return loadBalancers.subscribe(({ added, changed, removed }) => {
      for (const item of [...added, ...changed, ...removed]) {
        for (const key of this.#keysFor(item)) this.#enqueue(key);
      }
    });
  }
}
