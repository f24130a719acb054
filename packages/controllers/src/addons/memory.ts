import { type Addon, type AddonName, objectKey } from '@fairway/addons/addon';
import { isAsDesired } from '@fairway/addons/covers';
import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { VolumeType } from '@fairway/openstack/types/block-storage';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Findings, Outcome } from './apply-addons.ts';
import { type TenantWatches, watchedObjects } from './tenant-watches.ts';

/** Resync interval if nothing has happened. */
const RESYNC_INTERVAL_MS = 3_600_000;
/** The minimum interval between two checks of a cluster. */
const CHECK_INTERVAL_MS = 30_000;
/** Rejected or unreachable objects are retried with exponential backoff. */
const MAX_RETRY_INTERVAL_MS = 900_000;

/** A check of a cluster: when it started, and its inputs. */
interface Check {
  readonly ms: number;
  readonly desired: string;
  /** The state of the add-ons. */
  readonly versions: ReadonlyMap<AddonName, string>;
  readonly drift: string;
  readonly tenant: TenantCluster;
}

/** State of a cluster between passes; losing it costs only an extra check. */
export class AddonMemory {
  readonly failingSinceMs = new Map<AddonName, number>();
  /** The cloud's volume types, from its last response. */
  volumeTypes: readonly Pick<VolumeType, 'id' | 'name'>[] | undefined;
  /** When to query the cloud for volume types again after it failed to respond. */
  volumeTypesDueMs = 0;
  #lastCheck: Check | undefined;
  #findings: Findings = { outcomes: new Map(), podNetwork: undefined };
  #drift = '';
  #refusals = 0;
  #isUserTriggered = false;

  /** The result for an add-on in the last check. */
  outcomeOf(name: AddonName): Outcome | undefined {
    return this.#findings.outcomes.get(name);
  }

  /** Fairway's pod network that the last check found. */
  get podNetwork(): InstalledCni | undefined {
    return this.#findings.podNetwork;
  }

  /** The version of an add-on in the cluster, as of the last check. */
  versionOf(name: AddonName): string | undefined {
    return this.#lastCheck?.versions.get(name);
  }

  /** Makes a check due now, because a user requested it. */
  requestCheck(): void {
    this.#isUserTriggered = true;
    this.#refusals = 0;
  }

  /**
   * When the next check is due, in ms since the epoch. `desired` is a hash of all inputs, and `drift` is how the
   * cluster differs from them.
   */
  dueMs(tenant: TenantCluster, desired: string, drift: string): number {
    const lastCheck = this.#lastCheck;
    if (lastCheck === undefined || this.#isUserTriggered) return Number.NEGATIVE_INFINITY;
    const isNew =
      lastCheck.desired !== desired || lastCheck.tenant !== tenant || (drift !== '' && drift !== this.#drift);
    if (isNew) return lastCheck.ms + CHECK_INTERVAL_MS;
    if (this.#refusals === 0) return lastCheck.ms + RESYNC_INTERVAL_MS;
    return lastCheck.ms + Math.min(CHECK_INTERVAL_MS * 2 ** (this.#refusals - 1), MAX_RETRY_INTERVAL_MS);
  }

  /** Stores the result of a check that started with these hashes of desired state and drift. */
  record(findings: Findings, lastCheck: Check): void {
    const hasFailures = [...findings.outcomes.values()].some(({ kind }) => kind === 'refused' || kind === 'unreached');
    this.#refusals = hasFailures ? Math.min(this.#refusals + 1, 30) : 0;
    this.#lastCheck = lastCheck;
    this.#drift = lastCheck.drift;
    this.#findings = findings;
    this.#isUserTriggered = false;
  }
}

/** How the watched objects differ from the desired ones, for change detection; empty if they match or are unknown. */
export function driftOf(tenant: TenantCluster, addons: readonly Addon[], watches: TenantWatches): string {
  return addons
    .flatMap(watchedObjects)
    .filter((watched) => watches.isSynced(tenant, watched))
    .flatMap((watched) => {
      const live = watches.get(tenant, watched);
      if (isAsDesired(live, watched)) return [];
      const key = objectKey(watched);
      // Each deletion is a new difference, however soon it follows the object's restoration.
      if (live === undefined) return [`${key} deleted ${watches.deletions(tenant, watched)}`];
      const { uid = '', generation, resourceVersion } = live.metadata;
      return [`${key} ${uid} ${generation ?? resourceVersion ?? ''}`];
    })
    .join('\n');
}
