import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Clouds, ProjectCloud } from './project-cloud.ts';

export interface ConfiguredCloudsOptions {
  /** The clouds.yaml entry for a namespace's clusters; undefined if the operator has set none. */
  readonly nameOf: (namespace: string) => string | undefined;
  /** Opens an entry; undefined if it does not exist. Called once per name. */
  readonly open: (name: string) => ProjectCloud | undefined;
  readonly credentialOf: (namespace: string, name: string) => CloudCredential | undefined;
  /**
   * Opens a tenant's project; undefined if the operator has not configured its cloud. Called once per credential and
   * cloud.
   */
  readonly openProject: (credential: CloudCredential) => ProjectCloud | undefined;
}

/**
 * The clouds of all namespaces. Namespaces with the same entry, and clusters with the same credential, share a project
 * along with its cache and budget.
 */
export class ConfiguredClouds implements Clouds {
  readonly #options: ConfiguredCloudsOptions;
  readonly #open = new Map<string, ProjectCloud>();

  constructor(options: ConfiguredCloudsOptions) {
    this.#options = options;
  }

  forNamespace(namespace: string, credentialName?: string): ProjectCloud | undefined {
    const { nameOf, open, credentialOf, openProject } = this.#options;
    if (credentialName !== undefined) {
      const credential = credentialOf(namespace, credentialName);
      if (credential === undefined) return undefined;
      const key = JSON.stringify([namespace, credentialName, credential.spec.cloud]);
      return this.#remember(key, () => openProject(credential));
    }
    const name = nameOf(namespace);
    return name === undefined ? undefined : this.#remember(name, () => open(name));
  }

  /** Clouds in use. */
  get opened(): Iterable<ProjectCloud> {
    return this.#open.values();
  }

  forgetCredential(credentialKey: string): void {
    for (const [key, cloud] of this.#open) {
      if (cloud.credentialKey !== credentialKey) continue;
      this.#open.delete(key);
      cloud.cache.stop();
    }
  }

  #remember(key: string, open: () => ProjectCloud | undefined): ProjectCloud | undefined {
    const known = this.#open.get(key);
    if (known) return known;
    const cloud = open();
    if (cloud === undefined) return undefined;
    this.#open.set(key, cloud);
    return cloud;
  }
}
