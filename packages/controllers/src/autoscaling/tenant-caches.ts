import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { CacheBudget, type CacheLimits } from '@fairway/kube/client/cache-budget';
import type { Informer, InformerHandler } from '@fairway/kube/client/informer';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { EventRecorder } from '@fairway/kube/events/recorder';
import type { DaemonSet, Namespace, Pod, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import {
  CSINodes,
  DaemonSets,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
  StorageClasses,
} from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import {
  trimBudget,
  trimClaim,
  trimCsiNode,
  trimDaemonSet,
  trimNamespace,
  trimPod,
  trimStorageClass,
  trimVolumeObject,
} from './trim.ts';

/** The objects of one tenant's cluster that decisions read, kept current by watches. */
export interface TenantCache {
  readonly tenant: TenantCluster;
  readonly pods: Informer<Pod>;
  readonly daemonSets: Informer<DaemonSet>;
  readonly budgets: Informer<PodDisruptionBudget>;
  readonly namespaces: Informer<Namespace>;
  /** Claims, volumes, storage classes, and nodes' volume limits. */
  readonly reader: Pick<ObjectReader, 'get' | 'list'>;
  /** For Events on the tenant's pods. */
  readonly events: EventRecorder;
  /** Why the cached data may be stale; undefined while it is current. */
  readonly problem: () => unknown;
  readonly hasSynced: () => boolean;
}

interface CacheEntry {
  readonly cache: TenantCache;
  stop(): void;
}

interface TenantCachesOptions {
  /** Called with the cluster's key on each change that may affect a decision. */
  readonly onChange: (clusterKey: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** For one cluster: 60,000 pods, in their cached form. */
const CACHE_LIMITS: CacheLimits = { maxObjects: 200_000, maxChars: 64 * 1024 * 1024 };

/**
 * Watches for clusters that have an autoscaled pool, and for no others: caching the pods of a thousand idle clusters
 * would waste memory.
 */
export class TenantCaches {
  readonly #options: TenantCachesOptions;
  readonly #entries = new Map<string, CacheEntry>();

  constructor(options: TenantCachesOptions) {
    this.#options = options;
  }

  /** Starts watching on first use, and again after a reconnect. */
  follow(tenant: TenantCluster): TenantCache {
    const { clusterKey } = tenant;
    const known = this.#entries.get(clusterKey);
    if (known?.cache.tenant === tenant) return known.cache;
    known?.stop();
    const entry = this.#start(tenant);
    this.#entries.set(clusterKey, entry);
    return entry.cache;
  }

  /** Stops the watches of clusters that another process has taken over. */
  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isMatching(key)) this.drop(key);
  }

  /** Stops the watches of a cluster that no longer needs them. */
  drop(clusterKey: string): void {
    this.#entries.get(clusterKey)?.stop();
    this.#entries.delete(clusterKey);
  }

  #start(tenant: TenantCluster): CacheEntry {
    const { clock, random, log, onChange } = this.#options;
    const { client, clusterKey, nodes } = tenant;
    const budget = new CacheBudget(CACHE_LIMITS);
    const informers = new InformerSet(client, { clock, random, log: log.child({ cluster: clusterKey }), budget });
    const pods = informers.informer(Pods, { trim: trimPod });
    const daemonSets = informers.informer(DaemonSets, { trim: trimDaemonSet });
    const budgets = informers.informer(PodDisruptionBudgets, { trim: trimBudget });
    const namespaces = informers.informer(Namespaces, { trim: trimNamespace });
    const storage = [
      informers.informer(PersistentVolumeClaims, { trim: trimClaim }),
      informers.informer(PersistentVolumes, { trim: trimVolumeObject }),
      informers.informer(StorageClasses, { trim: trimStorageClass }),
      informers.informer(CSINodes, { trim: trimCsiNode }),
    ];
    const all = [pods, daemonSets, budgets, namespaces, ...storage];
    const changed = () => onChange(clusterKey);
    const unsubscribe = nodes.addHandler(relevantChangeHandler(isNodeChanged, changed));
    pods.addHandler(relevantChangeHandler(isPodChanged, changed));
    for (const informer of [daemonSets, budgets, ...storage]) {
      informer.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
    }
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, tenant.signal]);
    informers.start(signal);
    // The last list may change nothing when it arrives, but a decision may be waiting for it.
    void informers.whenSynced(signal).then(changed, () => {});
    const cache: TenantCache = {
      tenant,
      pods,
      daemonSets,
      budgets,
      namespaces,
      reader: readerOf(storage),
      events: new EventRecorder(client, { component: 'fairway', clock, random, log }),
      problem: () => [nodes, ...all].map(({ lastError }) => lastError).find((error) => error !== undefined),
      hasSynced: () => nodes.hasSynced && all.every(({ hasSynced }) => hasSynced),
    };
    return {
      cache,
      stop: () => {
        unsubscribe();
        stop.abort();
      },
    };
  }
}

/** Only these kinds are cached; reading another is a programming error. */
function readerOf(informers: readonly Pick<Informer<KubeObject>, 'client' | 'get' | 'list'>[]): TenantCache['reader'] {
  const byPlural = new Map(informers.map((informer) => [informer.client.type.plural, informer]));
  const of = ({ plural }: { readonly plural: string }) => {
    const informer = byPlural.get(plural);
    if (informer === undefined) throw new Error(`${plural} are not cached`);
    return informer;
  };
  return {
    // The kind determines the type of the object.
    get: (type, namespace, name) =>
      of(type).get(keyOf({ metadata: { name, ...(namespace !== '' && { namespace }) } })) as never,
    list: (type, namespace) => of(type).list(namespace) as never,
  };
}

function relevantChangeHandler<T>(isChanged: (old: T, object: T) => boolean, changed: () => void): InformerHandler<T> {
  return {
    onAdd: changed,
    onUpdate: (old, object) => {
      if (isChanged(old, object)) changed();
    },
    onDelete: changed,
  };
}

/**
 * Whether a change to a pod affects decisions. Phases and probes change often, but only changes that move a pod, or
 * change its requirements, matter.
 */
function isPodChanged(old: Pod, pod: Pod): boolean {
  const { resourceVersion: _old, ...before } = old.metadata;
  const { resourceVersion: _new, ...after } = pod.metadata;
  return !isDeepStrictEqual([before, old.spec, old.status], [after, pod.spec, pod.status]);
}

function isNodeChanged(old: TenantNode, node: TenantNode): boolean {
  return !isDeepStrictEqual(factsOf(old), factsOf(node));
}

function factsOf({ metadata, spec, status }: TenantNode) {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return [metadata.labels, metadata.annotations, metadata.deletionTimestamp, spec, status?.allocatable, ready];
}
