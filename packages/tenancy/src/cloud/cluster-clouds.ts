import type { Cluster } from '@fairway/api/kinds/cluster';
import { keyOf } from '@fairway/kube/client/object-key';
import type { ObjectSource } from '@fairway/kube/client/object-source';
import type { KeyOwner, Tenure } from '@fairway/kube/controller/key-owner';
import type { Clouds, ProjectCloud } from './project-cloud.ts';

/**
 * Starts watching a project; returns a function that stops it. `clusterKeys` returns the clusters that are currently in
 * the project.
 */
export type WatchProject = (project: ProjectCloud, clusterKeys: ReadonlySet<string>) => () => void;

interface ClusterEntry {
  readonly project: ProjectCloud;
  readonly tenure: Tenure | undefined;
  /** State of the project during this tenure. */
  readonly cloud: ProjectCloud;
}

interface WatchedProject {
  /** Keys of the clusters in the project. */
  readonly clusters: Set<string>;
  readonly stops: readonly (() => void)[];
}

export interface ClusterCloudsOptions {
  readonly clouds: Clouds;
  /** All existing clusters. */
  readonly clusters: Pick<ObjectSource<Cluster>, 'get' | 'addHandler'>;
  /** Default: this process owns all clusters. */
  readonly owner?: Pick<KeyOwner, 'tenure'> | undefined;
}

/**
 * The projects of clusters, as their controllers see them.
 *
 * Guarantees: state about a cluster's resources is dropped when the cluster's tenure ends, so that a cluster that
 * comes back is read again. A project is watched for exactly as long as this process owns a cluster in it.
 */
export class ClusterClouds {
  readonly #options: ClusterCloudsOptions;
  readonly #entries = new Map<string, ClusterEntry>();
  readonly #watchers: WatchProject[] = [];
  readonly #watchedProjects = new Map<ProjectCloud, WatchedProject>();

  constructor(options: ClusterCloudsOptions) {
    this.#options = options;
    options.clusters.addHandler({ onDelete: (cluster) => this.#release(keyOf(cluster)) });
  }

  /** The project of cluster `namespace/name`; see `Clouds`. */
  of(clusterKey: string, credentialName: string | undefined): ProjectCloud | undefined {
    const { clouds, clusters, owner } = this.#options;
    const namespace = clusterKey.slice(0, clusterKey.indexOf('/'));
    const project = clouds.forNamespace(namespace, credentialName);
    if (project === undefined) return undefined;
    const tenure = owner?.tenure(clusterKey);
    // Another process owns the cluster: callers may read, but writes are fenced.
    if (owner !== undefined && tenure === undefined) return project;
    const known = this.#entries.get(clusterKey);
    if (known?.project === project && known.tenure === tenure) return known.cloud;
    const cloud = tenure === undefined ? project : project.during(tenure);
    // A deleted cluster needs no watching.
    if (clusters.get(clusterKey) === undefined) return cloud;
    this.#release(clusterKey);
    this.#entries.set(clusterKey, { project, tenure, cloud });
    this.#follow(project, clusterKey);
    return cloud;
  }

  /** Calls `watcher` for each project while a cluster uses it. Must be called before the first project is requested. */
  onProject(watcher: WatchProject): void {
    this.#watchers.push(watcher);
  }

  /** Forgets clusters, and stops watching projects without clusters. */
  release(isMatching: (clusterKey: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isMatching(key)) this.#release(key);
  }

  #follow(project: ProjectCloud, clusterKey: string): void {
    const watched = this.#watchedProjects.get(project);
    if (watched) {
      watched.clusters.add(clusterKey);
      return;
    }
    const clusters = new Set([clusterKey]);
    const stops = this.#watchers.map((watcher) => watcher(project, clusters));
    this.#watchedProjects.set(project, { clusters, stops });
  }

  #release(clusterKey: string): void {
    const entry = this.#entries.get(clusterKey);
    const watched = entry && this.#watchedProjects.get(entry.project);
    this.#entries.delete(clusterKey);
    if (entry === undefined || watched === undefined) return;
    watched.clusters.delete(clusterKey);
    if (watched.clusters.size > 0) return;
    this.#watchedProjects.delete(entry.project);
    for (const stop of watched.stops) stop();
  }
}
