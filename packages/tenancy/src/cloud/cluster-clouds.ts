import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Informer } from '@fairway/kube/client/informer';
import { keyOf } from '@fairway/kube/client/object-key';
import type { KeyOwner, Tenure } from '@fairway/kube/controller/key-owner';
import type { Clouds, ProjectCloud } from './project-cloud.ts';

/** Begins to follow a project; returns how to end it. */
export type FollowProject = (project: ProjectCloud) => () => void;

interface Held {
  readonly project: ProjectCloud;
  readonly tenure: Tenure | undefined;
  /** The project as this tenure knows it. */
  readonly cloud: ProjectCloud;
}

interface Followed {
  /** Keys of the clusters that are in the project. */
  readonly clusters: Set<string>;
  readonly stops: readonly (() => void)[];
}

export interface ClusterCloudsOptions {
  readonly clouds: Clouds;
  /** All clusters that there are. */
  readonly clusters: Pick<Informer<Cluster>, 'get' | 'addHandler'>;
  /** Without one all clusters are this process's, for as long as it runs. */
  readonly owner?: Pick<KeyOwner, 'tenure'> | undefined;
}

/**
 * The projects of clusters, as their controllers see them.
 *
 * Guarantees: what is known of a project's resources for a cluster ends with the cluster's tenure, so that one that comes back is looked at again;
 * a project is followed for as long as a cluster in it is there and this process's, and no longer.
 */
export class ClusterClouds {
  readonly #options: ClusterCloudsOptions;
  readonly #held = new Map<string, Held>();
  readonly #followers: FollowProject[] = [];
  readonly #followed = new Map<ProjectCloud, Followed>();

  constructor(options: ClusterCloudsOptions) {
    this.#options = options;
    options.clusters.addHandler({ onDelete: (cluster) => this.#release(keyOf(cluster)) });
  }

  /** The project that the cluster `namespace/name` lives in; see `Clouds`. */
  of(clusterKey: string, credentialName: string | undefined): ProjectCloud | undefined {
    const { clouds, clusters, owner } = this.#options;
    const namespace = clusterKey.slice(0, clusterKey.indexOf('/'));
    const project = clouds.forNamespace(namespace, credentialName);
    if (project === undefined) return undefined;
    const tenure = owner?.tenure(clusterKey);
    // Nothing can be done for it: whoever asks may read, and is stopped where it would write.
    if (owner !== undefined && tenure === undefined) return project;
    const known = this.#held.get(clusterKey);
    if (known?.project === project && known.tenure === tenure) return known.cloud;
    const cloud = tenure === undefined ? project : project.during(tenure);
    // One that is gone has nothing left there to be followed.
    if (clusters.get(clusterKey) === undefined) return cloud;
    this.#release(clusterKey);
    this.#held.set(clusterKey, { project, tenure, cloud });
    this.#follow(project, clusterKey);
    return cloud;
  }

  /** Calls `follower` for each project that a cluster uses, as long as there is one. To be called before the first is asked for. */
  onProject(follower: FollowProject): void {
    this.#followers.push(follower);
  }

  /** Forgets clusters, and stops to follow the projects of which none is left. */
  release(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#held.keys()) if (isMatching(key)) this.#release(key);
  }

  #follow(project: ProjectCloud, clusterKey: string): void {
    const followed = this.#followed.get(project);
    if (followed) {
      followed.clusters.add(clusterKey);
      return;
    }
    const stops = this.#followers.map((follower) => follower(project));
    this.#followed.set(project, { clusters: new Set([clusterKey]), stops });
  }

  #release(clusterKey: string): void {
    const held = this.#held.get(clusterKey);
    const followed = held && this.#followed.get(held.project);
    this.#held.delete(clusterKey);
    if (held === undefined || followed === undefined) return;
    followed.clusters.delete(clusterKey);
    if (followed.clusters.size > 0) return;
    this.#followed.delete(held.project);
    for (const stop of followed.stops) stop();
  }
}
