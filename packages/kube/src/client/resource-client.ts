import type { KubeList, KubeObject, ResourceType } from '../object/meta.ts';

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** A longer response is not parsed, because parsing blocks the event loop: rejects with a ResponseTooLargeError. */
  readonly maxResponseChars?: number;
  readonly signal?: AbortSignal;
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue' | 'maxResponseChars'> {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** One event of a watch; ERROR is thrown as an ApiError instead. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

export interface DeleteOptions {
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** JSON merge patch, strategic merge patch (built-in kinds only), or a list of RFC 6902 operations. */
export type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly value: object }
  | { readonly type: 'json'; readonly value: readonly object[] };

/**
 * The verbs of one kind. Namespaced objects carry their namespace in metadata; `get`, `patch` and `delete` take it as
 * an option. Every method rejects with an ApiError for an error response, and with a TransportError if there is no
 * response.
 */
export interface ResourceClient<T extends KubeObject> {
  readonly type: ResourceType<T>;
  get(name: string, options?: { namespace?: string; signal?: AbortSignal }): Promise<T>;
  list(options?: ListOptions): Promise<KubeList<T>>;
  /** Starts after `resourceVersion`; ends when the server ends it or the signal aborts; rejects with an ApiError on an ERROR event (410: list again). */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create(object: T, options?: WriteOptions): Promise<T>;
  update(object: T, options?: WriteOptions): Promise<T>;
  updateStatus(object: T, options?: WriteOptions): Promise<T>;
  patch(name: string, patch: Patch, options?: WriteOptions & { namespace?: string; subresource?: string }): Promise<T>;
  /** Server-side apply; `force` takes over fields from other managers. */
  apply(object: T, options: WriteOptions & { fieldManager: string; force?: boolean; subresource?: string }): Promise<T>;
  delete(name: string, options?: DeleteOptions): Promise<void>;
  deleteCollection(options?: ListOptions & Omit<DeleteOptions, 'namespace' | 'uid'>): Promise<void>;
  /** POST to a subresource: `pods/binding`, `serviceaccounts/token`, `clusters/kubeconfig`. */
  createSubresource<R extends KubeObject>(
    name: string,
    subresource: string,
    body: R,
    options?: WriteOptions & { namespace?: string },
  ): Promise<R>;
  /** PUT to a subresource: `certificatesigningrequests/approval`, `namespaces/finalize`. */
  updateSubresource<R extends KubeObject>(
    name: string,
    subresource: string,
    body: R,
    options?: WriteOptions & { namespace?: string },
  ): Promise<R>;
}
