import { RecentMap } from '@fairway/base/recent-map';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** In all projects; older ones are checked again. */
const MAX_KNOWN = 10_000;

/** Checks that StorageClasses refer to share networks of their own project: with an administrator's credential, Manila accepts those of every project. */
export class OwnShareNetworks {
  readonly #known = new RecentMap<true>(MAX_KNOWN);

  /** Resolves with the problem, undefined if there is none; rejects with the cloud's error. */
  async problemOf({ client }: ProjectCloud, id: string, signal: AbortSignal): Promise<string | undefined> {
    const projectID = await client.session.projectId();
    const key = `${projectID} ${id}`;
    if (this.#known.get(key)) return undefined;
    const found = await ignoreNotFound(client.sharedFileSystem.shareNetwork(id, { signal }));
    if (found?.project_id !== projectID) {
      // Same message as for a missing one, so as not to reveal other projects' resources.
      return `parameter "shareNetworkID" is "${id}", and the project has no such share network: see \`openstack share network list\``;
    }
    this.#known.set(key, true);
    return undefined;
  }
}
