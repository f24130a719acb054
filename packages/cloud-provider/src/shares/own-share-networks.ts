import { RecentMap } from '@fairway/base/recent-map';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** Limit for all projects together; older entries are checked again. */
const MAX_CACHE_ENTRIES = 10_000;

/**
 * Checks that StorageClasses refer to share networks in their own project: with an administrator's credentials, Manila
 * accepts those in every project.
 */
export class OwnShareNetworks {
  readonly #cached = new RecentMap<true>(MAX_CACHE_ENTRIES);

  /** Resolves with the problem, or undefined; rejects with the cloud's error. */
  async networkProblem({ client }: ProjectCloud, id: string, signal: AbortSignal): Promise<string | undefined> {
    const projectID = await client.session.projectId();
    const key = `${projectID} ${id}`;
    if (this.#cached.get(key)) return undefined;
    const found = await ignoreNotFound(client.sharedFileSystem.shareNetwork(id, { signal }));
    if (found?.project_id !== projectID) {
      // Same message as for a missing network, to avoid revealing other projects' resources.
      return `parameter "shareNetworkID" is "${id}", and the project has no such share network: see \`openstack share network list\``;
    }
    this.#cached.set(key, true);
    return undefined;
  }
}
