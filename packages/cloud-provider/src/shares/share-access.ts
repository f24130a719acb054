import type { Clock } from '@fairway/base/clock';
import { inParallel } from '@fairway/base/in-parallel';
import type { Logger } from '@fairway/base/log';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { AccessRule, Share } from '@fairway/openstack/types/shared-file-system';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterMetadata, isOfCluster, type StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { AwaitedStorage } from '../volumes/awaited-storage.ts';
import type { StoragePlace } from '../volumes/storage-place.ts';
import { type Build, VolumeBuilds } from '../volumes/volume-builds.ts';
import { accessPlan, addressOf } from './access-plan.ts';
import { nodeAddresses } from './node-addresses.ts';

/** Requests for one share at a time, and in one turn: other shares of the cluster are to have theirs. */
const WIDTH = 3;
const MOST_AT_ONCE = 30;
/** How often to look for rules that somebody took away: no list of shares shows it. */
const DRIFT_MS = 3_600_000;
/** And while the share's status says nothing of Fairway's own rules, for another one is in error. */
const UNLISTED_RETRY_MS = 10_000;
/** Rules that apply before the next list leave no trace in it that would bring the key back. */
const [SHORTEST_LOOK_MS, LONGEST_LOOK_MS] = [1_000, 30_000];

/** Who is to have access to a share. */
export interface ShareWish {
  /** To reconcile when the rules apply. */
  readonly key: string;
  readonly owner: StorageOwner;
  readonly share: Share;
  readonly level: 'rw' | 'ro';
}

interface KnownRules {
  readonly rules: readonly AccessRule[];
  readonly listedAtMs: number;
  /** Of the share's rules together, when they were listed. */
  readonly status: string | null | undefined;
}

interface AccessOptions extends Pick<CloudProviderDependencies, 'cache'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly awaited: AwaitedStorage<Share>;
}

/**
 * Gives the nodes of a cluster access to its shares, a rule for each address, and takes it back from addresses that are no node's any more.
 *
 * **Guarantees.** Only rules that carry the cluster's mark are taken back. A share's rules are listed once, and then when they changed, when the
 * share's status says that one failed, and every hour; whether they apply is seen in the project's list of shares.
 */
export class ShareAccess {
  readonly #options: AccessOptions;
  readonly #attempts: VolumeBuilds;
  /** By the id of the share. */
  readonly #known = new Map<string, KnownRules>();
  /** Since when they are not in sync, by the id of the share. */
  readonly #syncingSince = new Map<string, number>();
  readonly #clusterOf = new Map<string, string>();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#attempts = new VolumeBuilds(options);
  }

  /** Resolves with whether all nodes have access; while the cloud is at work, the project's list brings the key back. Rejects with what failed. */
  async keep(wish: ShareWish, place: StoragePlace, pass: Pass): Promise<boolean> {
    const { cache, awaited } = this.#options;
    const { share, owner, key, level } = wish;
    const { tenant, cloud } = place;
    const addresses = nodeAddresses(cache.machines.find(machinesByCluster, tenant.clusterKey), share);
    const rules = await this.#rulesOf(wish, cloud, pass.signal);
    const isOwn = (rule: AccessRule) => isOfCluster(rule, tenant.clusterUid);
    for (const rule of rules) {
      if (rule.state === 'active' && isOwn(rule)) this.#attempts.succeeded(attemptOf(wish, addressOf(rule)));
    }
    const plan = accessPlan({ addresses, level }, rules, isOwn);
    const changes = [
      ...[...plan.deny, ...plan.failed].map((rule) => () => this.#deny(wish, rule, cloud, pass.signal)),
      ...plan.allow.map((address) => () => this.#allow(wish, address, place, pass.signal)),
    ];
    if (changes.length > 0) {
      await this.#change(wish, changes.slice(0, MOST_AT_ONCE), cloud, pass);
      if (changes.length > MOST_AT_ONCE) pass.againIn(0);
    }
    const [failed] = plan.failed;
    if (failed) this.#fail(wish, failed);
    if (changes.length > 0) {
      pass.againIn(SHORTEST_LOOK_MS);
      return false;
    }
    if (share.access_rules_status === 'syncing' || plan.isUnderWay) {
      awaited.expect(owner, key, cloud.cache.shares, 'build');
      if (share.access_rules_status === 'syncing') this.#lookAgain(share, pass);
      else {
        this.#known.delete(share.id);
        pass.againIn(UNLISTED_RETRY_MS);
      }
      return false;
    }
    this.#syncingSince.delete(share.id);
    awaited.settle(owner, 'build');
    // Of addresses that nobody waits for any more.
    this.#attempts.forget((item) => item.startsWith(`${storageKey(owner)}/`));
    pass.againIn(DRIFT_MS);
    return true;
  }

  /** Whether some node has access, as far as it is known. */
  isOpenToSome({ id }: Share): boolean {
    return this.#known.get(id)?.rules.some(({ state }) => state === 'active') ?? false;
  }

  forgetShare(id: string): void {
    this.#known.delete(id);
    this.#syncingSince.delete(id);
    this.#clusterOf.delete(id);
  }

  /** Drops what is known of clusters that are another process's from now on. */
  forget(isMatching: (clusterUid: string) => boolean): void {
    this.#options.awaited.forget(isMatching);
    this.#attempts.forget((item) => isMatching(item.slice(0, item.indexOf('/'))));
    for (const [id, clusterUid] of this.#clusterOf) {
      if (isMatching(clusterUid)) this.forgetShare(id);
    }
  }

  #lookAgain({ id }: Share, pass: Pass): void {
    const nowMs = this.#options.clock.now();
    const sinceMs = this.#syncingSince.get(id) ?? nowMs;
    this.#syncingSince.set(id, sinceMs);
    pass.againIn(Math.min(Math.max(nowMs - sinceMs, SHORTEST_LOOK_MS), LONGEST_LOOK_MS));
  }

  async #rulesOf(
    { share, owner }: ShareWish,
    cloud: ProjectCloud,
    signal: AbortSignal,
  ): Promise<readonly AccessRule[]> {
    const nowMs = this.#options.clock.now();
    const { id, access_rules_status: status } = share;
    const known = this.#known.get(id);
    if (known && !isOutdated(known, status, nowMs)) {
      if (status !== 'active' || known.status === 'active') return known.rules;
      // The share says that all of them apply.
      const rules = known.rules.map((rule) => ({ ...rule, state: 'active' }));
      this.#known.set(id, { ...known, rules, status });
      return rules;
    }
    const rules = await cloud.attempts.make({ kind: 'list access rules', item: id }, () =>
      cloud.client.sharedFileSystem.accessRules.list(id, { signal }),
    );
    this.#clusterOf.set(id, owner.clusterUid);
    this.#known.set(id, { rules, listedAtMs: nowMs, status });
    return rules;
  }

  /** What was accepted is on its way until a later list says that the share is in sync. */
  async #change(
    { key, owner, share }: ShareWish,
    changes: readonly (() => Promise<void>)[],
    cloud: ProjectCloud,
    pass: Pass,
  ): Promise<void> {
    const { signal } = pass;
    const { awaited } = this.#options;
    let accepted = 0;
    try {
      await inParallel(changes, WIDTH, async (change) => {
        signal.throwIfAborted();
        await change();
        accepted += 1;
      });
    } finally {
      if (accepted > 0) {
        const syncing = { ...share, access_rules_status: 'syncing' };
        cloud.ledgers.shares.recordMade(storageKey(owner), syncing, cloud.now());
        awaited.expect(owner, key, cloud.cache.shares, 'build');
      } else if (share.access_rules_status !== 'syncing') awaited.settle(owner);
      else this.#lookAgain(share, pass);
    }
  }

  async #allow(wish: ShareWish, ip: string, { tenant, cloud }: StoragePlace, signal: AbortSignal): Promise<void> {
    const { share, level } = wish;
    await this.#attempts.send(attemptOf(wish, ip), async () => {
      try {
        const metadata = clusterMetadata(tenant.clusterUid);
        const rule = await cloud.client.sharedFileSystem.accessRules.allow(
          share.id,
          { ip, level, metadata },
          { signal },
        );
        const known = this.#known.get(share.id);
        if (known) this.#known.set(share.id, { ...known, rules: [...known.rules, rule], status: 'syncing' });
      } catch (error) {
        // Another list tells which of them are there.
        this.#known.delete(share.id);
        if (!isOpenStackError(error, 'badRequest') || !EXISTS.test(error.detail)) throw error;
      }
    });
  }

  async #deny({ share }: ShareWish, { id }: AccessRule, cloud: ProjectCloud, signal: AbortSignal): Promise<void> {
    // It is listed until the back end has taken it back.
    this.#known.delete(share.id);
    await cloud.attempts.make({ kind: 'take access back', item: id, group: share.id }, async () => {
      try {
        await cloud.client.sharedFileSystem.accessRules.deny(share.id, id, { signal });
      } catch (error) {
        if (!isOpenStackError(error, 'notFound')) throw error;
      }
    });
  }

  #fail(wish: ShareWish, rule: AccessRule): never {
    const address = addressOf(rule);
    const message = `shared-file-system: Manila could not give ${address} access to share ${wish.share.id}: its rule ended in state error; the operator finds the cause in Manila's log, Fairway tries again by itself`;
    const problem = new ProblemError({ reason: 'CloudUnavailable', message });
    this.#options.awaited.settle(wish.owner);
    return this.#attempts.failed(attemptOf(wish, address), problem);
  }
}

/** Manila's words for a rule that is there. */
const EXISTS = /access .* exists/i;

function isOutdated({ listedAtMs, status: then, rules }: KnownRules, now: string | null | undefined, nowMs: number) {
  if (nowMs >= listedAtMs + DRIFT_MS) return true;
  if (now !== 'error') return false;
  return then !== 'error' || rules.some(({ state }) => state !== 'active' && state !== 'error');
}

/** Addresses of one share fail together. */
function attemptOf({ owner, share }: ShareWish, address: string): Build {
  return { group: `access to share ${share.id}`, item: `${storageKey(owner)}/${address}` };
}
