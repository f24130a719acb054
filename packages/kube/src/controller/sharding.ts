import type { Informer } from '../client/informer.ts';
import { InformerSet } from '../client/informer-set.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import { type Clock, formatMicroTime, systemClock } from '../clock.ts';
import type { Lease } from '../kinds/generated/types.ts';
import { Leases } from '../kinds/resources.ts';
import { type Logger, silentLogger } from '../log.ts';
import { isApiError } from '../object/api-error.ts';
import { Controller } from './controller.ts';
import type { KeyOwner, KeyWorker } from './key-owner.ts';
import { LeaseObserver } from './lease-observer.ts';
import type { Runnable } from './manager.ts';
import { hash32, rendezvous } from './rendezvous.ts';
import type { Result } from './result.ts';
import { isMemberLease, ShardLeases, shardOfLease } from './shard-leases.ts';

export interface ShardMemberOptions {
  readonly client: KubeClient;
  /** Where the Leases live. */
  readonly namespace: string;
  /** Names the group of members that share the work; a DNS label. */
  readonly name: string;
  /** Names this process: another one each time it starts, a DNS label. */
  readonly identity: string;
  /** Into how many parts the keys are cut; the same for all members. 1 elects a leader. */
  readonly shards: number;
  /** For how long a member that is not heard of keeps its shards. */
  readonly leaseDurationMs?: number;
  /** How far the clocks of two members may drift apart within a lease, and how long a side effect may take after its fence check. */
  readonly clockSkewMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
}

const MEMBER_KEY = 'member';
const FORGET_DEAD_MS = 600_000;

/**
 * One member of a group that shares keys among its processes.
 *
 * Expected flow: each member renews a Lease of its own. Keys fall into shards by hash; each shard is a Lease whose holder works on its keys. A shard belongs to the
 * live member that rendezvous hashing names; who holds one that is another's finishes what runs and lets it go, and only then is it taken.
 * Guarantees: two members never both have `stillMine` for one key. A shard is taken when its Lease names no holder, or its holder has not renewed
 * for a lease and the skew. Taking is a write that fails if anybody else wrote. A member that could not renew in time holds nothing until it has taken anew.
 * Assumptions: clocks run at about one rate; an identity is not used twice. Add the member to a Manager before its controllers, so that it stops after them.
 * Caveats: after a crash its keys rest for `leaseDurationMs + clockSkewMs`.
 */
export class ShardMember implements KeyOwner, Runnable {
  readonly name: string;
  readonly #options: ShardMemberOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #leaseDurationMs: number;
  readonly #names: ShardLeases;
  readonly #leases: ResourceClient<Lease>;
  readonly #informers: InformerSet;
  readonly #informer: Informer<Lease>;
  readonly #observer: LeaseObserver;
  readonly #controller: Controller;
  readonly #workers: KeyWorker[] = [];
  /** Shards that we have taken by a write since our lease last lapsed; `false` while one is being handed over. */
  readonly #held = new Map<number, boolean>();
  /** Until when our own lease is good, counted from before the renewal was sent. */
  #validUntilMs = 0;
  /** How often it ran out. */
  #lapses = 0;
  #ownLease: Lease | undefined;
  #live: readonly string[] = [];
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: ShardMemberOptions) {
    const { client, namespace, name, clock = systemClock, random = Math.random, log = silentLogger } = options;
    this.name = `shards-${name}`;
    this.#options = options;
    this.#clock = clock;
    this.#log = log.child({ shardGroup: name, identity: options.identity });
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#observer = new LeaseObserver(clock, this.#leaseDurationMs, options.clockSkewMs ?? 5_000);
    this.#names = new ShardLeases(namespace, name, options.shards);
    this.#leases = client.resource(Leases);
    this.#informers = new InformerSet(client, { clock, random, log });
    this.#informer = this.#informers.informer(Leases, { namespace, labelSelector: this.#names.selector });
    this.#controller = new Controller({
      name: this.name,
      clock,
      random,
      log,
      concurrency: 8,
      backoff: { baseMs: this.#leaseDurationMs / 60, maxMs: this.#leaseDurationMs / 5 },
      reconcile: (key) => (key === MEMBER_KEY ? this.#renew() : this.#reconcileShard(Number(key))),
    }).watch(this.#informer, (lease) => this.#keysFor(lease));
  }

  get stopped(): Promise<void> {
    return this.#stopped;
  }

  /** Whether the key is ours at this moment. Ask before each side effect. */
  stillMine(key: string): boolean {
    return this.holds(this.shardOf(key));
  }

  /** Whether a shard is ours at this moment. */
  holds(shard: number): boolean {
    return this.#held.get(shard) === true && this.#clock.now() < this.#validUntilMs;
  }

  shardOf(key: string): number {
    return hash32(key) % this.#options.shards;
  }

  register(worker: KeyWorker): void {
    this.#workers.push(worker);
  }

  start(signal: AbortSignal): void {
    const caches = new AbortController();
    this.#informers.start(caches.signal);
    this.#stopped = this.#run(signal, caches);
  }

  async #run(signal: AbortSignal, caches: AbortController): Promise<void> {
    try {
      await this.#informer.whenSynced(signal);
      this.#controller.enqueue(MEMBER_KEY);
      this.#controller.start(signal);
      await this.#controller.stopped;
      await this.#leave();
    } catch (error) {
      if (this.#ownLease) this.#log.warn({ err: error }, 'left without releasing all shards');
    } finally {
      caches.abort();
      await this.#informers.stopped();
    }
  }

  /** A member's lease may change who is live; a shard's concerns that shard. */
  #keysFor(lease: Lease): string[] {
    if (isMemberLease(lease)) {
      this.#observer.observe(lease);
      return this.#updateLive() ? this.#allShards() : [];
    }
    const shard = shardOfLease(lease);
    return shard === undefined ? [] : [String(shard)];
  }

  #allShards(): string[] {
    return Array.from({ length: this.#options.shards }, (_, shard) => String(shard));
  }

  /** Whether the set of live members changed. */
  #updateLive(): boolean {
    const live = new Set<string>();
    for (const lease of this.#informer.list()) {
      const identity = lease.spec?.holderIdentity ?? '';
      const isMember = isMemberLease(lease) && identity !== '';
      if (isMember && identity !== this.#options.identity && !this.#observer.isDead(identity)) live.add(identity);
    }
    if (this.#clock.now() < this.#validUntilMs) live.add(this.#options.identity);
    const sorted = [...live].sort();
    if (sorted.join(' ') === this.#live.join(' ')) return false;
    this.#live = sorted;
    this.#log.info({ members: sorted }, 'members changed');
    return true;
  }

  /** Says that we are alive, a third of a lease after the last time. */
  async #renew(): Promise<Result> {
    const intervalMs = this.#leaseDurationMs / 3;
    this.#dropIfLapsed();
    const sentMs = this.#clock.now();
    const hurry = new AbortController();
    const timeout = this.#clock.after(intervalMs, () => hurry.abort(new Error(`no answer within ${intervalMs} ms`)));
    try {
      this.#ownLease = await this.#writeOwnLease(sentMs, hurry.signal);
    } finally {
      timeout.cancel();
    }
    this.#dropIfLapsed();
    this.#validUntilMs = sentMs + this.#leaseDurationMs;
    await this.#forgetTheDead();
    this.#updateLive();
    for (const shard of this.#allShards()) this.#controller.enqueue(shard);
    return { requeueAfterMs: Math.max(0, sentMs + intervalMs - this.#clock.now()) };
  }

  /** Whatever we held when the lease ran out may have been taken since: only a write can tell. */
  #dropIfLapsed(): void {
    if (this.#clock.now() < this.#validUntilMs || this.#validUntilMs === 0) return;
    this.#lapses++;
    this.#validUntilMs = 0;
    if (this.#held.size > 0) this.#log.warn({ shards: [...this.#held.keys()] }, 'lease lapsed, shards lost');
    this.#held.clear();
  }

  /** Removes the Leases of members that crashed long ago. */
  async #forgetTheDead(): Promise<void> {
    for (const lease of this.#informer.list()) {
      const deadMs = this.#clock.now() - this.#observer.deadlineMs(lease.spec?.holderIdentity ?? '');
      if (!isMemberLease(lease) || deadMs < FORGET_DEAD_MS) continue;
      const { name = '', uid = '', resourceVersion = '' } = lease.metadata;
      await this.#leases.delete(name, { ...this.#place(), uid, resourceVersion }).catch((error: unknown) => {
        this.#log.debug({ err: error, name }, 'lease of a dead member not deleted');
      });
    }
  }

  async #writeOwnLease(nowMs: number, signal: AbortSignal): Promise<Lease> {
    const known = this.#ownLease;
    const metadata = this.#names.ofMember(this.#options.identity);
    const spec = {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: known?.spec?.acquireTime ?? formatMicroTime(nowMs),
      renewTime: formatMicroTime(nowMs),
    };
    try {
      if (known) return await this.#leases.update({ ...known, spec }, { signal });
      return await this.#leases.create({ metadata, spec }, { signal });
    } catch (error) {
      if (isApiError(error, 'NotFound', 'Conflict')) this.#ownLease = undefined;
      if (!isApiError(error, 'AlreadyExists')) throw error;
      this.#ownLease = await this.#leases.get(metadata.name ?? '', this.#place());
      throw error;
    }
  }

  async #reconcileShard(shard: number): Promise<Result> {
    const lease = this.#informer.get(`${this.#options.namespace}/${this.#names.shardName(shard)}`);
    const isWanted = rendezvous(String(shard), this.#live) === this.#options.identity;
    if (this.#clock.now() >= this.#validUntilMs) return {};
    if (isWanted && !this.#held.has(shard)) return this.#take(shard, lease);
    // The Lease may name us though we hold it no more: since a lapse, or a write that we heard nothing of.
    const isNamed = lease?.spec?.holderIdentity === this.#options.identity;
    if (!isWanted && (isNamed || this.#held.has(shard))) await this.#release(shard);
    return {};
  }

  /** Takes a shard that is free; comes back when its holder will be dead. */
  async #take(shard: number, lease: Lease | undefined): Promise<Result> {
    const nowMs = this.#clock.now();
    const lapses = this.#lapses;
    const { identity } = this.#options;
    const holder = lease?.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== identity && !this.#observer.isDead(holder)) {
      return { requeueAfterMs: this.#observer.deadlineMs(holder) - nowMs };
    }
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: formatMicroTime(nowMs),
      renewTime: formatMicroTime(nowMs),
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease ? 1 : 0),
    };
    try {
      if (lease) await this.#leases.update({ ...lease, spec });
      else await this.#leases.create({ metadata: this.#names.ofShard(shard), spec });
    } catch (error) {
      // Somebody was faster; the informer will show who.
      if (isApiError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return {};
      throw error;
    }
    // Written before a lapse, heard of after it: it may have been taken from us in between.
    this.#dropIfLapsed();
    if (this.#lapses !== lapses) return {};
    this.#held.set(shard, true);
    this.#log.info({ shard }, 'shard taken');
    for (const worker of this.#workers) worker.enqueueAll();
    return {};
  }

  /** Lets a shard go once no work on its keys is under way; none begins meanwhile. */
  async #release(shard: number): Promise<void> {
    this.#held.set(shard, false);
    const isOfShard = (key: string) => this.shardOf(key) === shard;
    await Promise.all(this.#workers.map((worker) => worker.drained(isOfShard)));
    const lease = await this.#leases.get(this.#names.shardName(shard), this.#place());
    if (lease.spec?.holderIdentity === this.#options.identity) {
      await this.#leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: '' } });
    }
    this.#held.delete(shard);
    this.#log.info({ shard }, 'shard released');
    // It may have become ours again in between.
    this.#controller.enqueue(String(shard));
  }

  /** An orderly end: others need not wait for our lease to expire. */
  async #leave(): Promise<void> {
    for (const shard of this.#held.keys()) await this.#release(shard);
    this.#validUntilMs = 0;
    if (this.#ownLease) await this.#leases.delete(this.#ownLease.metadata.name ?? '', this.#place());
  }

  #place(): { readonly namespace: string } {
    return { namespace: this.#options.namespace };
  }
}
