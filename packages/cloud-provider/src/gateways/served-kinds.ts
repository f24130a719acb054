import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Clock, Timer } from '@fairway/base/clock';
import { fullJitterMs } from '@fairway/base/full-jitter';
import type { Logger } from '@fairway/base/log';
import type { Informer } from '@fairway/kube/client/informer';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { z } from 'zod';
import { GATEWAY_GROUP, GATEWAY_KINDS } from './kinds.ts';

export interface ServedKindsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const Resources = z.object({
  resources: z.array(
    z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean(), verbs: z.array(z.string()).default([]) }),
  ),
});
type Resource = z.infer<typeof Resources>['resources'][number] & { readonly version: string };

/** A definition is served shortly after it is created. */
const SETTLE_MS = 200;
/** A definition that serves a different version or kind under this name is checked at increasing intervals. */
const RETRY_BACKOFF = { baseMs: 2_000, capMs: 600_000 };
const VERBS = ['list', 'watch', 'patch'];

/**
 * Tracks which Gateway API kinds a tenant's cluster has. The cluster's owner installs and removes the definitions; only
 * their names are watched, and discovery is queried when one of them changes.
 */
export class ServedKinds {
  readonly #tenant: TenantCluster;
  readonly #options: ServedKindsOptions;
  readonly #definitions: Informer<KubeObject>;
  readonly #served = new Set<ResourceType>();
  readonly #listeners = new Set<(type: ResourceType) => void>();
  #isKnown = false;
  #isDiscovering = false;
  #failures = 0;
  #timer: Timer | undefined;

  constructor(tenant: TenantCluster, options: ServedKindsOptions) {
    this.#tenant = tenant;
    this.#options = options;
    this.#definitions = tenant.informers.informer<KubeObject>(CustomResourceDefinitions, {
      metadataOnly: true,
      trim: nameOf,
    });
    const changed = ({ metadata }: KubeObject) => {
      if (!DEFINITION_NAMES.has(metadata.name ?? '')) return;
      this.#failures = 0;
      this.#discoverAfter(SETTLE_MS);
    };
    this.#definitions.addHandler({ onAdd: changed, onUpdate: (_old, now) => changed(now), onDelete: changed });
    void this.#definitions.whenSynced(tenant.signal).then(
      () => this.#discoverAfter(0),
      () => {},
    );
    tenant.signal.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
  }

  /** Whether the available kinds are known. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  has(type: ResourceType): boolean {
    return this.#served.has(type);
  }

  /** Calls `listener` for each kind that is served, now or later. */
  onServed(listener: (type: ResourceType) => void): void {
    this.#listeners.add(listener);
    for (const type of this.#served) listener(type);
  }

  #discoverAfter(delayMs: number): void {
    if (this.#tenant.signal.aborted) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delayMs, () => {
      if (this.#isDiscovering) this.#discoverAfter(SETTLE_MS);
      else void this.#discover();
    });
  }

  async #discover(): Promise<void> {
    const { log, random } = this.#options;
    this.#isDiscovering = true;
    const definedKinds = GATEWAY_KINDS.filter((type) => this.#definitions.get(definitionOf(type)));
    try {
      const versions = new Set(definedKinds.map(({ version }) => version));
      const found = (await Promise.all([...versions].map((version) => this.#resourcesOf(version)))).flat();
      this.#isKnown = true;
      const added = this.#setServed(definedKinds.filter((type) => isServed(type, found)));
      for (const type of added) for (const listener of this.#listeners) listener(type);
    } catch (error) {
      if (this.#tenant.signal.aborted) return;
      log.debug({ err: error, cluster: this.#tenant.clusterKey }, 'cannot discover the kinds of the Gateway API');
    } finally {
      this.#isDiscovering = false;
    }
    if (this.#isKnown && definedKinds.every((type) => this.#served.has(type))) return;
    this.#discoverAfter(fullJitterMs(this.#failures++, RETRY_BACKOFF.baseMs, RETRY_BACKOFF.capMs, random));
  }

  async #resourcesOf(version: string): Promise<readonly Resource[]> {
    const { client, signal } = this.#tenant;
    try {
      const response = await client.raw({ method: 'GET', path: `/apis/${GATEWAY_GROUP}/${version}`, signal });
      const { resources } = Resources.parse(JSON.parse(await response.text()));
      return resources.map((each) => ({ ...each, version }));
    } catch (error) {
      if (isApiError(error, 'NotFound')) return [];
      throw error;
    }
  }

  /** Returns the newly served kinds. */
  #setServed(served: readonly ResourceType[]): readonly ResourceType[] {
    for (const type of this.#served) {
      if (served.includes(type)) continue;
      this.#served.delete(type);
      this.#tenant.informers.remove(type);
    }
    const added = served.filter((type) => !this.#served.has(type));
    for (const type of added) this.#served.add(type);
    return added;
  }
}

function definitionOf({ plural, group }: ResourceType): string {
  return `${plural}.${group}`;
}

const DEFINITION_NAMES: ReadonlySet<string> = new Set(GATEWAY_KINDS.map(definitionOf));
/** Kinds whose status Fairway does not write. */
const KINDS_WITHOUT_STATUS: ReadonlySet<string> = new Set(['referencegrants']);

/** Whether discovery lists the type with everything Fairway needs. The name may belong to a different definition. */
function isServed({ plural, kind, namespaced, version }: ResourceType, all: readonly Resource[]): boolean {
  const found = all.filter((each) => each.version === version);
  const resource = found.find(({ name }) => name === plural);
  if (resource?.kind !== kind || resource.namespaced !== namespaced) return false;
  if (!VERBS.every((verb) => resource.verbs.includes(verb))) return false;
  return KINDS_WITHOUT_STATUS.has(plural) || found.some(({ name }) => name === `${plural}/status`);
}

/** The version distinguishes a definition from a later one with the same name. */
function nameOf({ metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion } = metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}
