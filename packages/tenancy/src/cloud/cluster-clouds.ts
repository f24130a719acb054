import type { KeyOwner, Tenure } from '@fairway/kube/controller/key-owner';
import type { ProjectCloud, WatchedClouds } from './project-cloud.ts';

/** Begins to follow a project; returns how to end it. */
export type FollowProject = (project: ProjectCloud) => () => void;

interface Held {
  readonly project: ProjectCloud;
  readonly tenure: Tenure;
  /** The project as this tenure knows it. */
  readonly cloud: ProjectCloud;
}

/**
 * The projects of clusters, as their controllers see them.
 *
 * Guarantees: what is known of a project's resources for a cluster ends with the cluster's tenure, so that one that comes back is looked at anew;
 * a project is followed for as long as a cluster in it is this process's, and no longer.
 */
export class ClusterClouds {
  readonly #clouds: WatchedClouds;
  readonly #owner: Pick<KeyOwner, 'tenure'> | undefined;
  readonly #held = new Map<string, Held>();
  readonly #followers: FollowProject[] = [];
  readonly #followed = new Map<ProjectCloud, readonly (() => void)[]>();

  /** Without an owner all clusters are this process's, for as long as it runs. */
  constructor(clouds: WatchedClouds, owner: Pick<KeyOwner, 'tenure'> | undefined) {
    this.#clouds = clouds;
    this.#owner = owner;
  }

  /** The project that the cluster `namespace/name` lives in; see `Clouds`. */
  of(clusterKey: string, credentialName: string | undefined): ProjectCloud | undefined {
    const namespace = clusterKey.slice(0, clusterKey.indexOf('/'));
    const project = this.#clouds.forNamespace(namespace, credentialName);
    if (project === undefined || this.#owner === undefined) return project;
    const tenure = this.#owner.tenure(clusterKey);
    // Nothing can be done for it: whoever asks may read, and is stopped where it would write.
    if (tenure === undefined) return project;
    const known = this.#held.get(clusterKey);
    if (known?.project === project && known.tenure === tenure) return known.cloud;
    const cloud = project.during(tenure);
    this.#held.set(clusterKey, { project, tenure, cloud });
    this.#follow();
    return cloud;
  }

  /** Calls `follower` for each project that is used, now and later. */
  onProject(follower: FollowProject): void {
    if (this.#owner === undefined) {
      this.#clouds.onProject((project) => void follower(project));
      return;
    }
    this.#followers.push(follower);
  }

  /** Forgets clusters, and stops to follow the projects of which none is left. */
  letGo(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#held.keys()) if (isMatching(key)) this.#held.delete(key);
    this.#follow();
  }

  #follow(): void {
    const used = new Set([...this.#held.values()].map(({ project }) => project));
    for (const [project, stops] of this.#followed) {
      if (used.has(project)) continue;
      this.#followed.delete(project);
      for (const stop of stops) stop();
    }
    for (const project of used) {
      if (this.#followed.has(project)) continue;
      this.#followed.set(
        project,
        this.#followers.map((follower) => follower(project)),
      );
    }
  }
}
