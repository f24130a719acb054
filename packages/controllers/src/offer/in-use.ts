import { ConditionReason } from '@fairway/api/conditions';
import { describeUsers } from '@fairway/api/domain/in-use';
import { IN_USE_FINALIZER } from '@fairway/api/group';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { ensureFinalizer, isBeingDeleted, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Problem } from '@fairway/tenancy/problem';

export interface InUseOptions<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly clusters: Informer<Cluster>;
  /** Finds the clusters that use an entry; can also check a single one. */
  readonly index: CacheIndex<Cluster>;
  /** The value of `index` for an entry. */
  readonly valueOf: (object: T) => string;
  /** Other entries that need an entry; none by default. */
  readonly dependents?: Dependents<T>;
}

/** Entries of the catalogue that need another one of their kind. */
export interface Dependents<T> {
  /** Of `objects`, those that need the entry. */
  readonly of: (object: T, objects: readonly T[]) => readonly T[];
  /** Finds candidates for `of`. */
  readonly index: CacheIndex<T>;
  /** Such as `plan gold takes its limits from it`. */
  readonly describe: (dependents: readonly T[]) => string;
}

/**
 * Retains an entry of the operator's catalogue (Plan, KubernetesRelease) while clusters or other entries use it, with a finalizer. Admission already denies
 * the deletion, since a deletion cannot be undone; the finalizer covers the cases where admission was bypassed, or a Cluster was created at
 * the same moment.
 */
export class InUseProtection<T extends KubeObject> {
  readonly #options: InUseOptions<T>;

  constructor(options: InUseOptions<T>) {
    this.#options = options;
  }

  /** The clusters that use the entry, according to the cache. */
  usersOf(object: T): readonly Cluster[] {
    const { clusters, index, valueOf } = this.#options;
    return clusters.find(index, valueOf(object));
  }

  /** Adds the finalizer, so that every entry in use has it. Rejects with the API's error. */
  ensureHeld(object: T): Promise<T> {
    return ensureFinalizer(this.#options.informer.client, object, IN_USE_FINALIZER);
  }

  /** Releases an entry that is being deleted, or returns what it is waiting for. Reads from the API server: the cache may not have the newest Cluster yet. */
  async releaseDeleted(object: T, signal: AbortSignal): Promise<Problem | undefined> {
    if (!isBeingDeleted(object)) return undefined;
    const { clusters, index, informer, valueOf, dependents } = this.#options;
    const known = this.usersOf(object);
    if (known.length > 0) return stillInUseProblem(describeUsers(known));
    const { items } = await clusters.client.list({ signal });
    const users = items.filter((cluster) => new Set(index.valuesOf(cluster)).has(valueOf(object)));
    if (users.length > 0) return stillInUseProblem(describeUsers(users));
    if (dependents) {
      const cached = dependents.of(object, informer.find(dependents.index, object.metadata.name ?? ''));
      const found = cached.length > 0 ? cached : dependents.of(object, (await informer.client.list({ signal })).items);
      if (found.length > 0) return stillInUseProblem(dependents.describe(found));
    }
    await removeFinalizer(informer.client, object, IN_USE_FINALIZER);
    return undefined;
  }
}

function stillInUseProblem(usage: string): Problem {
  const message = `is being deleted, but ${usage}: it will be deleted when they no longer do, and new clusters cannot use it`;
  return { reason: ConditionReason.ResourceInUse, message };
}
