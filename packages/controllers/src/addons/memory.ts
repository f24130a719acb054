import { type Addon, type AddonName, objectKey } from '@fairway/addons/addon';
import { coversObject } from '@fairway/addons/covers';
import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { VolumeType } from '@fairway/openstack/types/block-storage';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Findings, Outcome } from './apply-addons.ts';
import { type TenantWatches, watchedOf } from './tenant-watches.ts';

/** Resync interval if nothing has happened. */
const RESYNC_INTERVAL_MS = 3_600_000;
/** The minimum interval between two checks of a cluster. */
const INTERVAL_MS = 30_000;
/** Rejected or unreachable objects are retried with exponential backoff. */
const MAX_RETRY_MS = 900_000;

/** A check of a cluster: when it started, and with what. */
interface Looked {
  readonly ms: number;
  readonly desired: string;
  /** The state of the add-ons. */
  readonly versions: ReadonlyMap<AddonName, string>;
  readonly drift: string;
  readonly tenant: TenantCluster;
}

/** State of a cluster between passes; losing it costs a check. */
export class AddonMemory {
  readonly failingSinceMs = new Map<AddonName, number>();
  /** The volume types of the cloud from its last response. */
  volumeTypes: readonly Pick<VolumeType, 'id' | 'name'>[] | undefined;
  /** When to query the cloud for them again, after it failed to respond. */
  typesDueMs = 0;
  #looked: Looked | undefined;
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

  /** Its version: until the next check the cluster has no newer one. */
  versionOf(name: AddonName): string | undefined {
    return this.#looked?.versions.get(name);
  }

  /** A user requests a check now. */
  ask(): void {
    this.#isUserTriggered = true;
    this.#refusals = 0;
  }

  /** When the next check is due, in ms since the epoch; `desired` is a hash of all inputs, `drift` how the cluster differs from them. */
  dueMs(tenant: TenantCluster, desired: string, drift: string): number {
    const looked = this.#looked;
    if (looked === undefined || this.#isUserTriggered) return Number.NEGATIVE_INFINITY;
    const isNew = looked.desired !== desired || looked.tenant !== tenant || (drift !== '' && drift !== this.#drift);
    if (isNew) return looked.ms + INTERVAL_MS;
    if (this.#refusals === 0) return looked.ms + RESYNC_INTERVAL_MS;
    return looked.ms + Math.min(INTERVAL_MS * 2 ** (this.#refusals - 1), MAX_RETRY_MS);
  }

  /** Stores the result of a check that started with these hashes of desired state and drift. */
  record(findings: Findings, looked: Looked): void {
    const isInVain = [...findings.outcomes.values()].some(({ kind }) => kind === 'refused' || kind === 'unreached');
    this.#refusals = isInVain ? Math.min(this.#refusals + 1, 30) : 0;
    this.#looked = looked;
    this.#drift = looked.drift;
    this.#findings = findings;
    this.#isUserTriggered = false;
  }
}

/** How the watched objects differ from the desired ones, to detect a change; empty if they do not, or if unknown. */
export function driftOf(tenant: TenantCluster, addons: readonly Addon[], watches: TenantWatches): string {
  return addons
    .flatMap(watchedOf)
    .filter((wanted) => watches.isSynced(tenant, wanted))
    .flatMap((wanted) => {
      const live = watches.get(tenant, wanted);
      if (coversObject(live, wanted.object)) return [];
      const { uid = '', generation, resourceVersion } = live?.metadata ?? {};
      return [`${objectKey(wanted)} ${uid} ${generation ?? resourceVersion ?? ''}`];
    })
    .join('\n');
}
