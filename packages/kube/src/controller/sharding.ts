import { type Clock, formatMicroTime, systemClock } from '@fairway/base/clock';
import type { Grant } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import { type Rate, TokenBuckets } from '@fairway/base/token-buckets';
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
import { gossipOf, MemberLease } from './member-lease.ts';
import { Members } from './members.ts';
import { hash32 } from './rendezvous.ts';
import type { Result } from './result.ts';
import { isMemberLease, ShardLeases, shardOfLease } from './shard-leases.ts';

export interface ShardMemberOptions {
  readonly client: KubeClient;
  /** Namespace of the Leases. */
  readonly namespace: string;
  /** Names the group of members that share the work; a DNS label. */
  readonly name: string;
  /** Identifies this process, unique per start; a DNS label. */
  readonly identity: string;
  /** Number of shards; the same for all members. 1 is a leader election. */
  readonly shards: number;
  /** How long a member retains its shards without renewing. */
  readonly leaseDurationMs?: number;
  /**
   * Tolerated clock drift between two members within a lease, plus the time that a side effect may take after its fence
   * check.
   */
  readonly clockSkewMs?: number;
  readonly clock?: Clock;
  /** Monotonic time in milliseconds, such as `performance.now`; the clock's by default. */
  readonly monotonic?: () => number;
  readonly random?: () => number;
  readonly log?: Logger;
  /** Gossip among members, carried in the Leases that they renew. */
  readonly gossip?: MemberGossip | undefined;
}

/** Small best-effort gossip for all members; missing it does no harm. */
export interface MemberGossip {
  payload(): string | undefined;
  receive(from: string, payload: string): void;
}

/**
 * Renewed every third of this time, so two renewals may fail. Including the skew and the takeover, a killed member is
 * replaced within 15 s.
 */
const LEASE_DURATION_MS = 8_000;
const CLOCK_SKEW_MS = 2_000;
/** How long running work may delay a handover before its grant is revoked. */
const HANDOVER_GRACE_MS = 5_000;
/** How long a handover waits for in-flight requests of running work. The next holder must tolerate later effects. */
const HANDOVER_TIMEOUT_MS = 15_000;
/** Number of Leases that a stopping member writes concurrently. */
const MAX_CONCURRENT_RELEASES = 8;
const MEMBER_KEY = 'member';
/** Extra renewals for gossip, and how long to wait for one. */
const GOSSIP_RATE: Rate = { burst: 5, perMinute: 120 };
const GOSSIP_TIMEOUT_MS = 1_000;

/**
 * One member of a group that shares keys among its processes.
 *
 * Expected flow: each member renews its own Lease. Keys fall into shards by hash; each shard is a Lease whose holder
 * works on the shard's keys. A shard belongs to the live member that `assignEvenly` names; any other holder finishes
 * its running work and releases the shard before it is taken. Guarantees: two members never both have a valid grant for
 * one key. A shard is taken when its Lease names no holder, or its holder has not renewed for the lease duration plus
 * the skew. Taking a shard is an update that fails on a conflict. A member that could not renew in time holds no shards
 * until it has acquired them again, and its earlier grants stay invalid. Assumptions: clocks run at about the same
 * rate; an identity is never reused. Add the member to a Manager before its controllers, so that it stops after them.
 * Caveats: after a member crashes, its keys are not reconciled for `leaseDurationMs + clockSkewMs`.
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
  readonly #gossipRate = new TokenBuckets(GOSSIP_RATE, 1);
  /** Callers that wait until new gossip is published. */
  readonly #listeners: (() => void)[] = [];
  /** Releases in progress after the lease has expired; nothing is acquired before they end. */
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
    const gossip = options.gossip && (() => options.gossip?.payload());
    this.#ownLease = new MemberLease({ leases: this.#leases, names: this.#names, namespace, ...own, gossip });
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

  stillOwns(key: string): boolean {
    return this.holds(this.shardOf(key));
  }

  grant(key: string): Grant | undefined {
    return this.#held.grant(this.shardOf(key), key);
  }

  tenure(key: string): Tenure | undefined {
    return this.#held.tenure(this.shardOf(key));
  }

  /** Whether work on a shard may start now. */
  holds(shard: number): boolean {
    return this.#held.canStartWork(shard);
  }

  /** The number of shards, how many are held, and how often the lease has expired. */
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
      await this.#stop();
    } catch (error) {
      if (this.#ownLease.exists) this.#log.warn({ err: error }, 'stopped without releasing all shards');
    } finally {
      caches.abort();
      await this.#informers.stopped();
    }
  }

  /** A member's Lease may change which members are alive; a shard's Lease affects only that shard. */
  #keysFor(lease: Lease): string[] {
    if (isMemberLease(lease)) {
      this.#receive(lease);
      this.#members.observe(lease);
      return this.#members.update(this.#held.isLeaseValid) ? this.#allShards() : [];
    }
    const shard = shardOfLease(lease);
    return shard === undefined ? [] : [String(shard)];
  }

  #receive(lease: Lease): void {
    const from = lease.spec?.holderIdentity;
    const payload = gossipOf(lease);
    if (from !== undefined && from !== this.#options.identity && payload !== undefined)
      this.#options.gossip?.receive(from, payload);
  }

  /**
   * Publishes new gossip before the next regular renewal if `prepare` reports that there is some. Resolves when the
   * gossip is in our Lease, or when it cannot get there soon. `prepare` is not called more often than Leases may be
   * renewed.
   */
  async gossip(prepare: () => Promise<boolean>): Promise<void> {
    const nowMs = this.#clock.now();
    if (!this.#held.isLeaseValid || !this.#gossipRate.tryTake('', nowMs)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.after(GOSSIP_TIMEOUT_MS, resolve);
    prepare().then(
      (hasChanged) => {
        if (!hasChanged) return resolve();
        this.#listeners.push(resolve);
        this.#controller.enqueue(MEMBER_KEY);
      },
      (error: unknown) => {
        this.#log.debug({ err: error }, 'gossip not published');
        resolve();
      },
    );
    await promise;
    timer.cancel();
  }

  #allShards(): string[] {
    return Array.from({ length: this.#options.shards }, (_, shard) => String(shard));
  }

  /** Renews our Lease, a third of the lease duration after the last renewal. */
  async #renew(): Promise<Result> {
    const intervalMs = this.#leaseDurationMs / 3;
    this.#dropIfLapsed();
    const sent = this.#now();
    const listeners = this.#listeners.splice(0);
    await this.#withTimeout((signal) => this.#ownLease.renew(sent.wallMs, signal));
    this.#dropIfLapsed();
    this.#held.recordRenewal(sent, this.#leaseDurationMs);
    for (const notify of listeners) notify();
    await this.#members.forgetDeadMembers();
    this.#members.update(this.#held.isLeaseValid);
    for (const shard of this.#allShards()) this.#controller.enqueue(shard);
    return { requeueAfterMs: Math.max(0, sent.wallMs + intervalMs - this.#clock.now()) };
  }

  /** Limits a request to the renewal interval, so that a hanging request does not delay the next. */
  async #withTimeout<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limitMs = this.#leaseDurationMs / 3;
    const abort = new AbortController();
    const timeout = this.#clock.after(limitMs, () => abort.abort(new Error(`no answer within ${limitMs} ms`)));
    try {
      return await request(abort.signal);
    } finally {
      timeout.cancel();
    }
  }

  /**
   * Drops the shards that we held when the lease expired. Another member may have taken them since, and only a write
   * can show that.
   */
  #dropIfLapsed(): void {
    const lost = new Set(this.#held.dropIfLapsed());
    if (lost.size === 0) return;
    this.#log.warn({ shards: [...lost] }, 'lease expired, shards lost');
    this.#releasing = Promise.all([this.#releasing, this.#releaseKeys((key) => lost.has(this.shardOf(key)))]);
  }

  /** Notifies the workers; a failing worker does not affect shard ownership. */
  async #releaseKeys(matches: (key: string) => boolean): Promise<void> {
    const results = await Promise.allSettled(this.#workers.map(async (worker) => worker.release?.(matches)));
    for (const result of results) {
      if (result.status === 'rejected') this.#log.error({ err: result.reason }, 'worker failed to release a shard');
    }
  }

  async #reconcileShard(shard: number): Promise<Result> {
    const lease = this.#informer.get(`${this.#options.namespace}/${this.#names.shardName(shard)}`);
    const isAssigned = this.#members.isAssignedToSelf(shard);
    if (!this.#held.isLeaseValid) return {};
    if (isAssigned && !this.#held.has(shard)) return this.#acquireShard(shard, lease);
    // The Lease may name us although we no longer hold the shard: after our lease expired, or after a write that got no
    // response.
    const isRecordedHolder = lease?.spec?.holderIdentity === this.#options.identity;
    const shouldRelease = !isAssigned && (isRecordedHolder || this.#held.has(shard));
    if (shouldRelease || this.#held.isReleasing(shard)) await this.#release(shard);
    return {};
  }

  /** Acquires a free shard; otherwise requeues it for when its holder's lease expires. */
  async #acquireShard(shard: number, lease: Lease | undefined): Promise<Result> {
    await this.#releasing;
    const nowMs = this.#clock.now();
    const { lapses } = this.#held;
    const { identity } = this.#options;
    const holder = lease?.spec?.holderIdentity ?? '';
    if (
      holder !== '' &&
      holder !== identity &&
      !(await this.#withTimeout((signal) => this.#members.isDead(holder, signal)))
    ) {
      return { requeueAfterMs: this.#members.remainingMs(holder) };
    }
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: formatMicroTime(nowMs),
      renewTime: formatMicroTime(nowMs),
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease ? 1 : 0),
    };
    try {
      const metadata = this.#names.shardMetadata(shard);
      await this.#withTimeout((signal) =>
        lease
          ? this.#leases.update({ ...lease, spec }, { signal })
          : this.#leases.create({ metadata, spec }, { signal }),
      );
    } catch (error) {
      // Another member got there first; the informer will show which.
      if (isApiError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return {};
      throw error;
    }
    // The write was sent before our lease expired and confirmed after, so the shard may have been taken from us in
    // between.
    this.#dropIfLapsed();
    if (this.#held.lapses !== lapses) return {};
    this.#held.acquire(shard, { sinceMs: this.#clock.now(), isInherited: lease !== undefined });
    this.#log.info({ shard, from: holder }, 'shard taken');
    for (const worker of this.#workers) worker.enqueueAll((key) => this.shardOf(key) === shard);
    return {};
  }

  /** Releases a shard once no work on its keys is running; no new work starts until then. */
  async #release(shard: number): Promise<void> {
    if (this.#held.has(shard)) await this.#drain(shard);
    const lease = await this.#leases.get(this.#names.shardName(shard), this.#inNamespace());
    if (lease.spec?.holderIdentity === this.#options.identity) {
      // Omitted, not empty: an API server rejects an empty holderIdentity.
      const { holderIdentity: _released, ...spec } = lease.spec;
      await this.#leases.update({ ...lease, spec });
    }
    this.#held.release(shard);
    this.#log.info({ shard }, 'shard released');
    // The shard may have been assigned to us again in between.
    this.#controller.enqueue(String(shard));
  }

  /** Waits for running work, with a timeout, and drops the state of the shard's keys. */
  async #drain(shard: number): Promise<void> {
    this.#held.beginRelease(shard);
    const belongsToShard = (key: string) => this.shardOf(key) === shard;
    const drained = Promise.all(this.#workers.map((worker) => worker.drained(belongsToShard)));
    const limit = Promise.withResolvers<void>();
    const timers = [
      this.#clock.after(HANDOVER_GRACE_MS, () => this.#held.revoke(shard)),
      this.#clock.after(HANDOVER_TIMEOUT_MS, limit.resolve),
    ];
    await Promise.race([drained, limit.promise]);
    for (const timer of timers) timer.cancel();
    await this.#releaseKeys(belongsToShard);
  }

  /** On an orderly stop, other members need not wait for our lease to expire. */
  async #stop(): Promise<void> {
    const shards = [...this.#held.shards];
    const release = async () => {
      for (let shard = shards.pop(); shard !== undefined; shard = shards.pop()) await this.#release(shard);
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_RELEASES }, release));
    this.#held.end();
    await this.#ownLease.remove();
  }

  #inNamespace(): { readonly namespace: string } {
    return { namespace: this.#options.namespace };
  }
}
