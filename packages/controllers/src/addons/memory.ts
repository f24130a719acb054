import { type Addon, type AddonName, objectKey } from '@fairway/addons/addon';
import { coversObject } from '@fairway/addons/covers';
import type { InstalledCni } from '@fairway/api/domain/cni-installer';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Findings, Outcome } from './look.ts';
import { type TenantWatches, watchedOf } from './tenant-watches.ts';

/** How often everything is looked at where nothing has happened. */
const LOOK_AGAIN_MS = 3_600_000;
/** The least time between two looks at a cluster, whatever happens there. */
const INTERVAL_MS = 30_000;
/** What is refused, or not reached, is tried again, twice as late each time. */
const MAX_RETRY_MS = 900_000;

/** A look at a cluster: when it began, and with what. */
interface Looked {
  readonly ms: number;
  readonly wish: string;
  /** Of the add-ons. */
  readonly versions: ReadonlyMap<AddonName, string>;
  readonly drift: string;
  readonly tenant: TenantCluster;
}

/** What is remembered of a cluster between passes; losing it costs a look. */
export class AddonMemory {
  readonly failingSinceMs = new Map<AddonName, number>();
  /** What was wrong with the plan's StorageClasses when the cloud last answered. */
  flaw: string | undefined;
  #looked: Looked | undefined;
  #findings: Findings = { outcomes: new Map(), podNetwork: undefined };
  #drift = '';
  #refusals = 0;
  #isAsked = false;

  /** What became of an add-on in the last look. */
  outcomeOf(name: AddonName): Outcome | undefined {
    return this.#findings.outcomes.get(name);
  }

  /** The pod network of Fairway's making that the last look found. */
  get podNetwork(): InstalledCni | undefined {
    return this.#findings.podNetwork;
  }

  /** Of which version that is: until the next look the cluster has no newer one. */
  versionOf(name: AddonName): string | undefined {
    return this.#looked?.versions.get(name);
  }

  /** A person wants a look now. */
  ask(): void {
    this.#isAsked = true;
    this.#refusals = 0;
  }

  /** When the next look is due, in ms since the epoch; `wish` is all that it depends on, `drift` how the cluster differs from it. */
  dueMs(tenant: TenantCluster, wish: string, drift: string): number {
    const looked = this.#looked;
    if (looked === undefined || this.#isAsked) return Number.NEGATIVE_INFINITY;
    const isNew = looked.wish !== wish || looked.tenant !== tenant || (drift !== '' && drift !== this.#drift);
    if (isNew) return looked.ms + INTERVAL_MS;
    if (this.#refusals === 0) return looked.ms + LOOK_AGAIN_MS;
    return looked.ms + Math.min(INTERVAL_MS * 2 ** (this.#refusals - 1), MAX_RETRY_MS);
  }

  /** Keeps what a look found that began with this wish and drift. */
  keep(findings: Findings, looked: Looked): void {
    const isInVain = [...findings.outcomes.values()].some(({ kind }) => kind === 'refused' || kind === 'unreached');
    this.#refusals = isInVain ? Math.min(this.#refusals + 1, 30) : 0;
    this.#looked = looked;
    this.#drift = looked.drift;
    this.#findings = findings;
    this.#isAsked = false;
  }
}

/** How what is watched differs from what is wanted, to tell a change; empty where it does not, or is not known yet. */
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
