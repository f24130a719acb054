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
import type { StorageScope } from '../volumes/storage-scope.ts';
import type { StorageWatch } from '../volumes/storage-watch.ts';
import { type Build, VolumeBuilds } from '../volumes/volume-builds.ts';
import { accessPlan, addressOf } from './access-plan.ts';
import { nodeAddresses } from './node-addresses.ts';

/**
 * Limits on concurrent requests per share and on requests per reconcile, so other shares in the cluster are not
 * delayed.
 */
const MAX_PARALLEL_CHANGES = 3;
const MAX_CHANGES_PER_PASS = 30;
/** How often to check for rules that others have removed, which no list of shares reveals. */
const DRIFT_CHECK_INTERVAL_MS = 3_600_000;
/** How often to check while the share's status is inconclusive because another rule is in error. */
const UNLISTED_RETRY_MS = 10_000;
/**
 * Polling interval for rules that are applied before the next list: that list shows no change, so it does not enqueue
 * the key.
 */
const [MIN_POLL_MS, MAX_POLL_MS] = [1_000, 30_000];

/** The desired access to a share. */
export interface ShareAccessSpec {
  /** The key to enqueue once the rules have been applied. */
  readonly key: string;
  readonly owner: StorageOwner;
  readonly share: Share;
  readonly level: 'rw' | 'ro';
}

interface KnownRules {
  readonly rules: readonly AccessRule[];
  readonly listedAtMs: number;
  /** Overall state of the share's rules at the time they were listed. */
  readonly status: string | null | undefined;
}

interface AccessOptions extends Pick<CloudProviderDependencies, 'cache'> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly storageWatch: StorageWatch<Share>;
}

/**
 * Gives the nodes of a cluster access to its shares, with one rule per address, and revokes access from addresses that
 * no longer belong to a node.
 *
 * **Guarantees.** Only rules with the cluster's tag are revoked. A share's rules are listed once, and again when they
 * have changed, when the share's status reports a failed rule, and every hour. The project's list of shares shows
 * whether the rules have been applied.
 */
export class ShareAccess {
  readonly #options: AccessOptions;
  readonly #attempts: VolumeBuilds;
  /** Known rules, by share ID. */
  readonly #cached = new Map<string, KnownRules>();
  /** When the rules of a share went out of sync, by share ID. */
  readonly #syncingSince = new Map<string, number>();
  readonly #clusterOf = new Map<string, string>();

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#attempts = new VolumeBuilds(options);
  }

  /**
   * Resolves with whether all nodes have access. While changes are in progress, the project's list enqueues the key
   * again. Rejects with the error of a failed change.
   */
  async ensureAccess(accessSpec: ShareAccessSpec, scope: StorageScope, pass: Pass): Promise<boolean> {
    const { cache, storageWatch } = this.#options;
    const { share, owner, key, level } = accessSpec;
    const { tenant, cloud } = scope;
    const addresses = nodeAddresses(cache.machines.find(machinesByCluster, tenant.clusterKey), share);
    const rules = await this.#rulesOf(accessSpec, cloud, pass.signal);
    const isOwn = (rule: AccessRule) => isOfCluster(rule, tenant.clusterUid);
    for (const rule of rules) {
      if (rule.state === 'active' && isOwn(rule)) this.#attempts.succeeded(attemptOf(accessSpec, addressOf(rule)));
    }
    const plan = accessPlan({ addresses, level }, rules, isOwn);
    const changes = [
      ...[...plan.deny, ...plan.failed].map((rule) => () => this.#deny(accessSpec, rule, cloud, pass.signal)),
      ...plan.allow.map((address) => () => this.#allow(accessSpec, address, scope, pass.signal)),
    ];
    if (changes.length > 0) {
      await this.#change(accessSpec, changes.slice(0, MAX_CHANGES_PER_PASS), cloud, pass);
      if (changes.length > MAX_CHANGES_PER_PASS) pass.requeueAfter(0);
    }
    const [failed] = plan.failed;
    if (failed) this.#fail(accessSpec, failed);
    if (changes.length > 0) {
      pass.requeueAfter(MIN_POLL_MS);
      return false;
    }
    if (share.access_rules_status === 'syncing' || plan.isInProgress) {
      storageWatch.expect(owner, key, cloud.cache.shares, 'build');
      if (share.access_rules_status === 'syncing') this.#requeue(share, pass);
      else {
        this.#cached.delete(share.id);
        pass.requeueAfter(UNLISTED_RETRY_MS);
      }
      return false;
    }
    this.#syncingSince.delete(share.id);
    storageWatch.settle(owner, 'build');
    // Drops the backoff of addresses that no longer need access.
    this.#attempts.forget((item) => item.startsWith(`${storageKey(owner)}/`));
    pass.requeueAfter(DRIFT_CHECK_INTERVAL_MS);
    return true;
  }

  /** Whether any node is known to have access. */
  isAccessible({ id }: Share): boolean {
    return this.#cached.get(id)?.rules.some(({ state }) => state === 'active') ?? false;
  }

  forgetShare(id: string): void {
    this.#cached.delete(id);
    this.#syncingSince.delete(id);
    this.#clusterOf.delete(id);
  }

  /** Drops the state of clusters that another replica takes over. */
  forget(isMatching: (clusterUid: string) => boolean): void {
    this.#options.storageWatch.forget(isMatching);
    this.#attempts.forget((item) => isMatching(item.slice(0, item.indexOf('/'))));
    for (const [id, clusterUid] of this.#clusterOf) {
      if (isMatching(clusterUid)) this.forgetShare(id);
    }
  }

  #requeue({ id }: Share, pass: Pass): void {
    const nowMs = this.#options.clock.now();
    const sinceMs = this.#syncingSince.get(id) ?? nowMs;
    this.#syncingSince.set(id, sinceMs);
    pass.requeueAfter(Math.min(Math.max(nowMs - sinceMs, MIN_POLL_MS), MAX_POLL_MS));
  }

  async #rulesOf(
    { share, owner }: ShareAccessSpec,
    cloud: ProjectCloud,
    signal: AbortSignal,
  ): Promise<readonly AccessRule[]> {
    const nowMs = this.#options.clock.now();
    const { id, access_rules_status: status } = share;
    const known = this.#cached.get(id);
    if (known && !isOutdated(known, status, nowMs)) {
      if (status !== 'active' || known.status === 'active') return known.rules;
      // The share's status shows that all rules apply.
      const rules = known.rules.map((rule) => ({ ...rule, state: 'active' }));
      this.#cached.set(id, { ...known, rules, status });
      return rules;
    }
    const rules = await cloud.attempts.withBackoff({ kind: 'list access rules', item: id }, () =>
      cloud.client.sharedFileSystem.accessRules.list(id, { signal }),
    );
    this.#clusterOf.set(id, owner.clusterUid);
    this.#cached.set(id, { rules, listedAtMs: nowMs, status });
    return rules;
  }

  /** An accepted rule is in progress until a later list shows that the share is in sync. */
  async #change(
    { key, owner, share }: ShareAccessSpec,
    changes: readonly (() => Promise<void>)[],
    cloud: ProjectCloud,
    pass: Pass,
  ): Promise<void> {
    const { signal } = pass;
    const { storageWatch } = this.#options;
    let acceptedCount = 0;
    try {
      await inParallel(changes, MAX_PARALLEL_CHANGES, async (change) => {
        signal.throwIfAborted();
        await change();
        acceptedCount += 1;
      });
    } finally {
      if (acceptedCount > 0) {
        const withSyncing = { ...share, access_rules_status: 'syncing' };
        cloud.ledgers.shares.recordWritten(storageKey(owner), withSyncing, cloud.now());
        storageWatch.expect(owner, key, cloud.cache.shares, 'build');
      } else if (share.access_rules_status !== 'syncing') storageWatch.settle(owner);
      else this.#requeue(share, pass);
    }
  }

  async #allow(
    accessSpec: ShareAccessSpec,
    ip: string,
    { tenant, cloud }: StorageScope,
    signal: AbortSignal,
  ): Promise<void> {
    const { share, level } = accessSpec;
    await this.#attempts.send(attemptOf(accessSpec, ip), async () => {
      try {
        const metadata = clusterMetadata(tenant.clusterUid);
        const rule = await cloud.client.sharedFileSystem.accessRules.allow(
          share.id,
          { ip, level, metadata },
          { signal },
        );
        const known = this.#cached.get(share.id);
        if (known) this.#cached.set(share.id, { ...known, rules: [...known.rules, rule], status: 'syncing' });
      } catch (error) {
        // A new list shows which of the rules exist.
        this.#cached.delete(share.id);
        if (!isOpenStackError(error, 'badRequest') || !EXISTS_MESSAGE.test(error.detail)) throw error;
      }
    });
  }

  async #deny({ share }: ShareAccessSpec, { id }: AccessRule, cloud: ProjectCloud, signal: AbortSignal): Promise<void> {
    // The rule is listed until the back end has revoked it.
    this.#cached.delete(share.id);
    await cloud.attempts.withBackoff({ kind: 'revoke access', item: id, group: share.id }, async () => {
      try {
        await cloud.client.sharedFileSystem.accessRules.deny(share.id, id, { signal });
      } catch (error) {
        if (!isOpenStackError(error, 'notFound')) throw error;
      }
    });
  }

  #fail(accessSpec: ShareAccessSpec, rule: AccessRule): never {
    const address = addressOf(rule);
    const message = `shared-file-system: Manila failed to give ${address} access to share ${accessSpec.share.id}: its rule ended in state error; Fairway retries automatically, and the operator can find the cause in the Manila log`;
    const problem = new ProblemError({ reason: 'CloudUnavailable', message });
    this.#options.storageWatch.settle(accessSpec.owner);
    return this.#attempts.failed(attemptOf(accessSpec, address), problem);
  }
}

/** Manila's message for an existing rule. */
const EXISTS_MESSAGE = /access .{0,200} exists/i;

function isOutdated(
  { listedAtMs, status: previous, rules }: KnownRules,
  now: string | null | undefined,
  nowMs: number,
) {
  if (nowMs >= listedAtMs + DRIFT_CHECK_INTERVAL_MS) return true;
  if (now !== 'error') return false;
  return previous !== 'error' || rules.some(({ state }) => state !== 'active' && state !== 'error');
}

/** All addresses of a share back off together. */
function attemptOf({ owner, share }: ShareAccessSpec, address: string): Build {
  return { group: `access to share ${share.id}`, item: `${storageKey(owner)}/${address}` };
}
