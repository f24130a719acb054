import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { ProjectKind } from './project-kinds.ts';

interface WatchedKind {
  /** Clusters that have resources of the kind. */
  readonly keys: Set<string>;
  readonly stop: () => void;
}

/**
 * Keeps a kind listed in a project as long as a cluster there has a resource of it whose deletion needs to be detected.
 */
export class KindWatch {
  readonly #watched = new Map<ProjectCache, Map<ProjectKind, WatchedKind>>();

  set(cache: ProjectCache, kind: ProjectKind, clusterKey: string, isNeeded: boolean): void {
    const known = this.#watched.get(cache)?.get(kind);
    if (!isNeeded) {
      if (known) this.#unwatch(cache, kind, known, clusterKey);
      return;
    }
    if (known) {
      known.keys.add(clusterKey);
      return;
    }
    const kinds = this.#watched.get(cache) ?? new Map<ProjectKind, WatchedKind>();
    this.#watched.set(cache, kinds);
    // Passive observers receive the lists too.
    kinds.set(kind, { keys: new Set([clusterKey]), stop: kind.cacheOf(cache).subscribe(() => undefined) });
  }

  forget(isMatching: (clusterKey: string) => boolean): void {
    for (const [cache, kinds] of this.#watched) {
      for (const [kind, watched] of kinds) {
        for (const key of watched.keys) if (isMatching(key)) this.#unwatch(cache, kind, watched, key);
      }
    }
  }

  #unwatch(cache: ProjectCache, kind: ProjectKind, watched: WatchedKind, clusterKey: string): void {
    if (!watched.keys.delete(clusterKey) || watched.keys.size > 0) return;
    watched.stop();
    const kinds = this.#watched.get(cache);
    kinds?.delete(kind);
    if (kinds?.size === 0) this.#watched.delete(cache);
  }
}
