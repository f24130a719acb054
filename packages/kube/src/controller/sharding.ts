import { type Clock, formatMicroTime, systemClock } from '@fairway/base/clock';
import type { Grant } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { Informer } from '../client/informer.ts';
import { InformerSet } from '../client/informer-set.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import type { Lease } from '../kinds/generated/types.ts';
import { Leases } from '../kinds/resources.ts';
import { isApiError } from '../object/api-error.ts';
import { Controller } from './controller.ts';
import { HeldShards, type Moment } from './held-shards.ts';
import type { KeyOwner, KeyWorker, Tenure } from './key-owner.ts';
import type { Runnable } from './manager.ts';
import { MemberLease } from './member-lease.ts';
import { Members } from './members.ts';
import { hash32 } from './rendezvous.ts';
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
  /** Milliseconds that nobody sets, such as those of `performance.now`; the clock's unless given. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
  readonly log?: Logger;
}

/** A third of it passes between renewals: two may fail. With the skew and a moment to look around, a killed member is replaced within 15 s. */
const LEASE_DURATION_MS = 8_000;
const CLOCK_SKEW_MS = 2_000;
/** How long work that runs may hold a shard up that another member waits for: then it may ask for nothing more. */
const HANDOVER_GRACE_MS = 5_000;
/** How long what it has asked for already is waited for. Whoever takes the shard reckons with what comes later. */
const HANDOVER_LIMIT_MS = 15_000;
/** Leases written at a time by a member that leaves. */
const LEAVING_AT_A_TIME = 8;
const MEMBER_KEY = 'member';

/**
 * One member of a group that shares keys among its processes.
 *
 * Expected flow: each member renews a Lease of its own. Keys fall into shards by hash; each shard is a Lease whose holder works on its keys. A shard belongs to the
 * live member that `assignEvenly` names; who holds one that is another's finishes what runs and lets it go, and only then is it taken.
 * Guarantees: two members never both have a good grant for one key. A shard is taken when its Lease names no holder, or its holder has not renewed
 * for a lease and the skew. Taking is a write that fails if anybody else wrote. A member that could not renew in time holds nothing until it has taken
 * anew, and what it was given leave for before stays forbidden.
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
  readonly #ownLease: MemberLease;
  readonly #informers: InformerSet;
  readonly #informer: Informer<Lease>;
  readonly #members: Members;
  readonly #controller: Controller;
  readonly #workers: KeyWorker[] = [];
  readonly #held: HeldShards;
  readonly #now: () => Moment;
  /** What is let go after a lapse; nothing is taken before its end. */
  #releasing: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: ShardMemberOptions) {
    const { client, namespace, name, clock = systemClock, random = Math.random, log = silentLogger } = options;
    this.name = `shards-${name}`;
    this.#options = options;
    this.#clock = clock;
    this.#log = log.child({ shardGroup: name, identity: options.identity });
    this.#leaseDurationMs = options.leaseDurationMs ?? LEASE_DURATION_MS;
    const { monotonic = () => clock.now() } = options;
    this.#now = () => ({ wallMs: clock.now(), monotonicMs: monotonic() });
    this.#held = new HeldShards(this.#now);
    this.#names = new ShardLeases(namespace, name, options.shards);
    this.#leases = client.resource(Leases);
    const own = { identity: options.identity, durationMs: this.#leaseDurationMs };
    this.#ownLease = new MemberLease({ leases: this.#leases, names: this.#names, namespace, ...own });
    this.#informers = new InformerSet(client, { clock, random, log });
    this.#informer = this.#informers.informer(Leases, { namespace, labelSelector: this.#names.selector });
    this.#members = new Members({
      ...own,
      leases: this.#leases,
      informer: this.#informer,
      names: this.#names,
      namespace,
      shards: options.shards,
      leaseDurationMs: this.#leaseDurationMs,
      clockSkewMs: options.clockSkewMs ?? CLOCK_SKEW_MS,
      monotonic,
      log: this.#log,
    });
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

  stillMine(key: string): boolean {
    return this.holds(this.shardOf(key));
  }

  grant(key: string): Grant | undefined {
    return this.#held.grant(this.shardOf(key), key);
  }

  tenure(key: string): Tenure | undefined {
    return this.#held.tenure(this.shardOf(key));
  }

  /** Whether work on a shard may begin at this moment. */
  holds(shard: number): boolean {
    return this.#held.isOurs(shard);
  }

  /** How many shards there are, how many of them are held, and how often the lease ran out. */
  get counts(): { readonly shards: number; readonly held: number; readonly lapses: number } {
    const held = this.#allShards().filter((shard) => this.holds(Number(shard))).length;
    return { shards: this.#options.shards, held, lapses: this.#held.lapses };
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
      if (this.#ownLease.exists) this.#log.warn({ err: error }, 'left without releasing all shards');
    } finally {
      caches.abort();
      await this.#informers.stopped();
    }
  }

  /** A member's lease may change who is live; a shard's concerns that shard. */
  #keysFor(lease: Lease): string[] {
    if (isMemberLease(lease)) {
      this.#members.observe(lease);
      return this.#members.update(this.#held.isLeaseGood) ? this.#allShards() : [];
    }
    const shard = shardOfLease(lease);
    return shard === undefined ? [] : [String(shard)];
  }

  #allShards(): string[] {
    return Array.from({ length: this.#options.shards }, (_, shard) => String(shard));
  }

  /** Says that we are alive, a third of a lease after the last time. */
  async #renew(): Promise<Result> {
    const intervalMs = this.#leaseDurationMs / 3;
    this.#dropIfLapsed();
    const sent = this.#now();
    await this.#soon((signal) => this.#ownLease.renew(sent.wallMs, signal));
    this.#dropIfLapsed();
    this.#held.renewed(sent, this.#leaseDurationMs);
    await this.#members.forgetTheDead();
    this.#members.update(this.#held.isLeaseGood);
    for (const shard of this.#allShards()) this.#controller.enqueue(shard);
    return { requeueAfterMs: Math.max(0, sent.wallMs + intervalMs - this.#clock.now()) };
  }

  /** A request that may not take longer than a renewal: nothing that hangs keeps the next one waiting. */
  async #soon<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limitMs = this.#leaseDurationMs / 3;
    const hurry = new AbortController();
    const timeout = this.#clock.after(limitMs, () => hurry.abort(new Error(`no answer within ${limitMs} ms`)));
    try {
      return await request(hurry.signal);
    } finally {
      timeout.cancel();
    }
  }

  /** Whatever we held when the lease ran out may have been taken since: only a write can tell. */
  #dropIfLapsed(): void {
    const lost = new Set(this.#held.dropIfLapsed());
    if (lost.size === 0) return;
    this.#log.warn({ shards: [...lost] }, 'lease lapsed, shards lost');
    this.#releasing = Promise.all([this.#releasing, this.#releaseKeys((key) => lost.has(this.shardOf(key)))]);
  }

  /** Tells the workers; one that fails has no say in whose a shard is. */
  async #releaseKeys(isMatching: (key: string) => boolean): Promise<void> {
    const results = await Promise.allSettled(this.#workers.map(async (worker) => worker.release?.(isMatching)));
    for (const result of results) {
      if (result.status === 'rejected') this.#log.error({ err: result.reason }, 'could not let go in order');
    }
  }

  async #reconcileShard(shard: number): Promise<Result> {
    const lease = this.#informer.get(`${this.#options.namespace}/${this.#names.shardName(shard)}`);
    const isWanted = this.#members.isOurs(shard);
    if (!this.#held.isLeaseGood) return {};
    if (isWanted && !this.#held.has(shard)) return this.#take(shard, lease);
    // The Lease may name us though we hold it no more: since a lapse, or a write that we heard nothing of.
    const isNamed = lease?.spec?.holderIdentity === this.#options.identity;
    const isToGo = !isWanted && (isNamed || this.#held.has(shard));
    if (isToGo || this.#held.isLeaving(shard)) await this.#release(shard);
    return {};
  }

  /** Takes a shard that is free; comes back when its holder will be dead. */
  async #take(shard: number, lease: Lease | undefined): Promise<Result> {
    await this.#releasing;
    const nowMs = this.#clock.now();
    const { lapses } = this.#held;
    const { identity } = this.#options;
    const holder = lease?.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== identity && !(await this.#soon((signal) => this.#members.isDead(holder, signal)))) {
      return { requeueAfterMs: this.#members.msToLive(holder) };
    }
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: formatMicroTime(nowMs),
      renewTime: formatMicroTime(nowMs),
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease ? 1 : 0),
    };
    try {
      const metadata = this.#names.ofShard(shard);
      await this.#soon((signal) =>
        lease
          ? this.#leases.update({ ...lease, spec }, { signal })
          : this.#leases.create({ metadata, spec }, { signal }),
      );
    } catch (error) {
      // Somebody was faster; the informer will show who.
      if (isApiError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return {};
      throw error;
    }
    // Written before a lapse, heard of after it: it may have been taken from us in between.
    this.#dropIfLapsed();
    if (this.#held.lapses !== lapses) return {};
    this.#held.take(shard, { sinceMs: this.#clock.now(), isInherited: lease !== undefined });
    this.#log.info({ shard, from: holder }, 'shard taken');
    for (const worker of this.#workers) worker.enqueueAll((key) => this.shardOf(key) === shard);
    return {};
  }

  /** Lets a shard go once no work on its keys is under way; none begins meanwhile. */
  async #release(shard: number): Promise<void> {
    if (this.#held.has(shard)) await this.#finish(shard);
    const lease = await this.#leases.get(this.#names.shardName(shard), this.#place());
    if (lease.spec?.holderIdentity === this.#options.identity) {
      // Left out, not empty: an API server refuses an empty name.
      const { holderIdentity: _released, ...spec } = lease.spec;
      await this.#leases.update({ ...lease, spec });
    }
    this.#held.release(shard);
    this.#log.info({ shard }, 'shard released');
    // It may have become ours again in between.
    this.#controller.enqueue(String(shard));
  }

  /** Waits for what runs, but not for long, and drops what is known of the shard's keys. */
  async #finish(shard: number): Promise<void> {
    this.#held.beginLeaving(shard);
    const isOfShard = (key: string) => this.shardOf(key) === shard;
    const drained = Promise.all(this.#workers.map((worker) => worker.drained(isOfShard)));
    const limit = Promise.withResolvers<void>();
    const patience = [
      this.#clock.after(HANDOVER_GRACE_MS, () => this.#held.revoke(shard)),
      this.#clock.after(HANDOVER_LIMIT_MS, limit.resolve),
    ];
    await Promise.race([drained, limit.promise]);
    for (const timer of patience) timer.cancel();
    await this.#releaseKeys(isOfShard);
  }

  /** An orderly end: others need not wait for our lease to expire. */
  async #leave(): Promise<void> {
    const shards = [...this.#held.shards];
    const release = async () => {
      for (let shard = shards.pop(); shard !== undefined; shard = shards.pop()) await this.#release(shard);
    };
    await Promise.all(Array.from({ length: LEAVING_AT_A_TIME }, release));
    this.#held.end();
    await this.#ownLease.remove();
  }

  #place(): { readonly namespace: string } {
    return { namespace: this.#options.namespace };
  }
}
