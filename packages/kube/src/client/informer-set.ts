import type { KubeObject, ResourceType } from '../object/meta.ts';
import { Informer, type InformerOptions } from './informer.ts';
import type { KubeClient } from './kube-client.ts';
import type { ResourceClient } from './resource-client.ts';

/** Which objects an informer in a set caches. */
export interface InformerSelection<T extends KubeObject> {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** As in InformerOptions. The first caller decides; requesting the same objects with a different function is an error. */
  readonly trim?: (object: T) => T;
  /** As in InformerOptions; smaller for kinds with large objects. */
  readonly pageSize?: number;
  /** Caches only metadata (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean;
}

type InformerSetOptions = Pick<
  InformerOptions<KubeObject>,
  'clock' | 'random' | 'log' | 'pageSize' | 'budget' | 'minWatchSeconds'
>;

interface Member {
  readonly informer: Informer<KubeObject>;
  readonly trim: unknown;
  readonly stop: AbortController;
}

/** The shared informers in one process for one API server: one per kind and selector, however many controllers use it. */
export class InformerSet {
  readonly #client: KubeClient;
  readonly #options: InformerSetOptions;
  readonly #members = new Map<string, Member>();
  #signal: AbortSignal | undefined;

  constructor(client: KubeClient, options: InformerSetOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** Returns the informer for a kind. It is created on first use, and is running once the set has been started. */
  informer<T extends KubeObject>(type: ResourceType<T>, selection: InformerSelection<T> = {}): Informer<T> {
    const key = selectionKey(type, selection);
    const known = this.#members.get(key);
    if (known && known.trim !== selection.trim) {
      throw new Error(`an informer of ${type.plural} exists with a different trim function`);
    }
    const member = known ?? this.#add(key, type, selection);
    // The key contains the kind, so the cached objects have its type.
    return member.informer as unknown as Informer<T>;
  }

  /** Starts all informers, including those added later, until the signal aborts. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    for (const member of this.#members.values()) this.#start(member);
  }

  /** Resolves when all current informers have synced; rejects with the signal's reason. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ informer }) => informer.whenSynced(signal)));
  }

  /** Stops and removes an informer, for kinds that are no longer served. */
  remove<T extends KubeObject>(type: ResourceType<T>, selection: InformerSelection<T> = {}): void {
    const key = selectionKey(type, selection);
    this.#members.get(key)?.stop.abort();
    this.#members.delete(key);
  }

  /** Resolves when all loops have ended. */
  async stopped(): Promise<void> {
    await Promise.all([...this.#members.values()].map(({ informer }) => informer.stopped));
  }

  #add<T extends KubeObject>(key: string, type: ResourceType<T>, selection: InformerSelection<T>): Member {
    const { metadataOnly, ...options } = selection;
    const client = metadataOnly ? this.#client.metadata(type) : this.#client.resource(type);
    const informer = new Informer(client as ResourceClient<T>, { ...this.#options, ...options });
    const member = {
      informer: informer as unknown as Informer<KubeObject>,
      trim: selection.trim,
      stop: new AbortController(),
    };
    this.#members.set(key, member);
    this.#start(member);
    return member;
  }

  #start({ informer, stop }: Member): void {
    const signal = this.#signal;
    if (!signal) return;
    if (signal.aborted) stop.abort();
    else signal.addEventListener('abort', () => stop.abort(), { once: true, signal: stop.signal });
    informer.start(stop.signal);
  }
}

function selectionKey<T extends KubeObject>(type: ResourceType<T>, selection: InformerSelection<T>): string {
  return JSON.stringify([
    type.group,
    type.version,
    type.plural,
    selection.namespace ?? '',
    selection.labelSelector ?? '',
    selection.fieldSelector ?? '',
    selection.metadataOnly ?? false,
  ]);
}
