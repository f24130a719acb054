import type { ProjectCloud, WatchedClouds } from './project-cloud.ts';

export interface ConfiguredCloudsOptions {
  /** The clouds.yaml entry that a namespace's clusters live in; undefined when the operator has named none. */
  readonly nameOf: (namespace: string) => string | undefined;
  /** Opens an entry; undefined when there is no such entry. Called once for each name. */
  readonly open: (name: string) => ProjectCloud | undefined;
}

/** The clouds of all namespaces; namespaces with the same entry share its project, cache and budget. */
export class ConfiguredClouds implements WatchedClouds {
  readonly #options: ConfiguredCloudsOptions;
  readonly #open = new Map<string, ProjectCloud>();
  readonly #listeners = new Set<(cloud: ProjectCloud) => void>();

  constructor(options: ConfiguredCloudsOptions) {
    this.#options = options;
  }

  forNamespace(namespace: string): ProjectCloud | undefined {
    const name = this.#options.nameOf(namespace);
    if (name === undefined) return undefined;
    const known = this.#open.get(name);
    if (known) return known;
    const cloud = this.#options.open(name);
    if (cloud === undefined) return undefined;
    this.#open.set(name, cloud);
    for (const listener of this.#listeners) listener(cloud);
    return cloud;
  }

  onProject(listener: (cloud: ProjectCloud) => void): void {
    this.#listeners.add(listener);
    for (const cloud of this.#open.values()) listener(cloud);
  }
}
