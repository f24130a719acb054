import { KINDS } from '@fairway/api/kinds/all';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Reconcile } from '@fairway/kube/controller/result';
import type { Namespace } from '@fairway/kube/kinds/generated/types';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { projectIdOf, wasCreatedForProject } from './project-labels.ts';
import { isProjectDeleted, listProjects, type ProjectReader } from './project-list.ts';

/** The controller's only key. */
export const CLEANUP_KEY = 'projects';
const PERIOD_MS = 10 * 60_000;
const MAX_REMOVALS_PER_RUN = 50;

export interface ProjectCleanupOptions {
  /** Keystone clients with Fairway's credentials, the default one first. */
  readonly projects: readonly ProjectReader[];
  readonly reader: () => ObjectReader;
  readonly client: () => KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Deletes namespaces that were created for projects that no longer exist in Keystone, once they contain none of
 * Fairway's objects. A project must be missing from two lists, ten minutes apart, and Keystone must respond with 404
 * for it. Namespaces that an operator created are kept.
 */
export function projectCleanup({ projects, reader, client, clock, log }: ProjectCleanupOptions): Reconcile {
  let missing: ReadonlySet<string> = new Set();
  let isReported = false;
  let nextMs = Number.NEGATIVE_INFINITY;

  const remove = async (namespace: Namespace): Promise<void> => {
    const { name = '', uid, resourceVersion } = namespace.metadata;
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    try {
      await client().resource(Namespaces).delete(name, preconditions);
      log.info({ namespace: name, project: projectIdOf(namespace) }, 'deleted the namespace of a deleted project');
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  };

  return async () => {
    const created = reader()
      .list(Namespaces)
      .filter((namespace) => wasCreatedForProject(namespace) && namespace.metadata.deletionTimestamp === undefined);
    const nowMs = clock.now();
    // New namespaces do not trigger a list of projects.
    if (nowMs < nextMs) return { requeueAfterMs: nextMs - nowMs };
    nextMs = nowMs + PERIOD_MS;
    if (created.length === 0) return { requeueAfterMs: PERIOD_MS };
    const list = await listProjects(projects);
    if (list === undefined && !isReported) {
      log.warn(
        {},
        "Fairway's Keystone user lacks permission to list projects: namespaces of deleted projects are kept",
      );
      isReported = true;
    }
    // An empty list is not credible.
    if (list === undefined || list.ids.size === 0) return { requeueAfterMs: PERIOD_MS };
    const orphaned = created.filter((namespace) => !list.ids.has(projectIdOf(namespace) ?? ''));
    let left = MAX_REMOVALS_PER_RUN;
    for (const namespace of orphaned) {
      const id = projectIdOf(namespace);
      if (id === undefined || left === 0 || !missing.has(id)) continue;
      if (!(await isEmpty(client(), namespace.metadata.name ?? ''))) continue;
      if (!(await isProjectDeleted(list, id))) continue;
      await remove(namespace);
      left -= 1;
    }
    missing = new Set(orphaned.flatMap((namespace) => projectIdOf(namespace) ?? []));
    return { requeueAfterMs: PERIOD_MS };
  };
}

/** Reads from the API instead of a cache: objects that have just been created must count. */
async function isEmpty(client: KubeClient, namespace: string): Promise<boolean> {
  for (const kind of KINDS) {
    if (!kind.namespaced) continue;
    const { items } = await client.resource(kind).list({ namespace, limit: 1 });
    if (items.length > 0) return false;
  }
  return true;
}
