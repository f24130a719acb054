import type { ProjectCache } from './project-cache.ts';

export interface ProjectCachesOptions {
  /** Makes the cache of a project, with the credential of the first who needs it. */
  readonly create: (projectId: string) => ProjectCache;
}

export interface CacheLease {
  readonly cache: ProjectCache;
  /** The last to release a project's cache stops it. */
  release(): void;
}

/** One cache for each project of a cloud, shared by all who work in it. */
export class ProjectCaches {
  readonly #options: ProjectCachesOptions;
  readonly #shared = new Map<string, { readonly cache: ProjectCache; users: number }>();

  constructor(options: ProjectCachesOptions) {
    this.#options = options;
  }

  acquire(projectId: string): CacheLease {
    const shared = this.#shared.get(projectId) ?? { cache: this.#options.create(projectId), users: 0 };
    this.#shared.set(projectId, shared);
    shared.users += 1;
    let isReleased = false;
    return {
      cache: shared.cache,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        shared.users -= 1;
        if (shared.users > 0) return;
        shared.cache.stop();
        this.#shared.delete(projectId);
      },
    };
  }
}
