import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Discovery, ServedResource } from '@fairway/kube/client/discovery';
import { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Receives the ownership metadata of every object of every kind. */
export interface ServedObjectsHandler {
  onPut(type: ServedResource, object: KubeObject): void;
  onDelete(type: ServedResource, object: KubeObject): void;
  /** The kind is no longer served. */
  onRemoved(type: ServedResource): void;
}

export interface ServedInformersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly handler: ServedObjectsHandler;
  /** Kinds that are not watched here. */
  readonly isIgnored?: ((type: ServedResource) => boolean) | undefined;
}

/** Kinds that own nothing and are written frequently. */
const IGNORED_KINDS = new Set(['events', 'events.events.k8s.io']);
/** Kinds whose changes affect discovery. */
const DISCOVERY_SOURCES = new Set([
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);
const NEEDED_VERBS = ['list', 'watch', 'delete'];

/** Delay before discovery: a CustomResourceDefinition is served shortly after it is written. */
const SETTLE_MS = 200;
const DISCOVERY_INTERVAL_MS = 600_000;
const RETRY_MS = 5_000;

/**
 * Watches the metadata of all objects of all kinds that can be listed, watched and deleted. Discovery runs when a
 * CustomResourceDefinition or APIService changes, and every ten minutes; informers are then started and stopped as
 * needed.
 */
export class ServedInformers {
  readonly #options: ServedInformersOptions;
  readonly #informers: InformerSet;
  readonly #served = new Map<string, ServedResource>();
  #timer: Timer | undefined;
  #signal: AbortSignal | undefined;
  #isRefreshing = false;

  constructor(options: ServedInformersOptions) {
    const { client, clock, random, log } = options;
    this.#options = options;
    this.#informers = new InformerSet(client, { clock, random, log });
  }

  /** The kind that is served under this group and kind, in any version. */
  find(group: string, kind: string): ServedResource | undefined {
    for (const resource of this.#served.values()) {
      if (resource.kind === kind && resource.group === group) return resource;
    }
    return undefined;
  }

  /** Starts, and resolves when all kinds have been listed; rejects with the signal's reason. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#timer?.cancel(), { once: true });
    this.#informers.start(signal);
    while (!(await this.#refresh())) {
      signal.throwIfAborted();
      await this.#options.clock.sleep(RETRY_MS * (0.5 + this.#options.random()), signal);
    }
    await this.#informers.whenSynced(signal);
  }

  async stopped(): Promise<void> {
    await this.#informers.stopped();
  }

  /** Runs discovery and updates informers. False if discovery failed. */
  async #refresh(): Promise<boolean> {
    const { client, log, random } = this.#options;
    this.#isRefreshing = true;
    try {
      this.#adopt(await client.resources(this.#signal));
      this.#refreshAfter(DISCOVERY_INTERVAL_MS * (0.9 + random() / 5));
      return true;
    } catch (error) {
      if (!this.#signal?.aborted) log.debug({ err: error }, 'discovery failed');
      return false;
    } finally {
      this.#isRefreshing = false;
    }
  }

  #refreshAfter(delayMs: number): void {
    if (this.#signal?.aborted) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delayMs, () => {
      if (this.#isRefreshing) this.#refreshAfter(SETTLE_MS);
      else void this.#refresh().then((isDone) => isDone || this.#refreshAfter(RETRY_MS));
    });
  }

  #adopt({ resources, unavailable }: Discovery): void {
    const found = new Map<string, ServedResource>();
    for (const resource of resources) {
      const id = idOf(resource);
      if (this.#options.isIgnored?.(resource)) continue;
      if (!IGNORED_KINDS.has(id) && NEEDED_VERBS.every((verb) => resource.verbs.includes(verb)))
        found.set(id, resource);
    }
    for (const [id, resource] of this.#served) {
      const now = found.get(id);
      const isUnknown = unavailable.includes(`${resource.group}/${resource.version}`);
      if (!now && !isUnknown) this.#stopInformer(id, resource);
      else if (now && now.version !== resource.version) this.#stopInformer(id, resource);
    }
    for (const [id, resource] of found) if (!this.#served.has(id)) this.#follow(id, resource);
  }

  #follow(id: string, type: ServedResource): void {
    const { handler } = this.#options;
    this.#served.set(id, type);
    const informer = this.#informers.informer<KubeObject>(type, { metadataOnly: true, trim: ownershipOf });
    informer.addHandler({
      onAdd: (object) => handler.onPut(type, object),
      onUpdate: (_old, object) => handler.onPut(type, object),
      onDelete: (old) => handler.onDelete(type, old),
    });
    if (!DISCOVERY_SOURCES.has(id)) return;
    const onChange = () => this.#refreshAfter(SETTLE_MS);
    informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
  }

  #stopInformer(id: string, type: ServedResource): void {
    this.#served.delete(id);
    this.#informers.remove(type, { metadataOnly: true, trim: ownershipOf });
    this.#options.handler.onRemoved(type);
  }
}

function idOf({ plural, group }: ServedResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The part of an object that an ownership graph needs. */
function ownershipOf({ metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, ownerReferences, deletionTimestamp, finalizers } = metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(finalizers !== undefined && { finalizers }),
    },
  };
}
