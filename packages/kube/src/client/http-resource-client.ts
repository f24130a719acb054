import { currentSpan, versionName } from '@fairway/base/tracing';
import { ApiError, type Status } from '../object/api-error.ts';
import { apiVersionOf, type KubeList, type KubeObject, type ResourceType } from '../object/meta.ts';
import type {
  DeleteOptions,
  ListOptions,
  Patch,
  ResourceClient,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts';
import { type PathTarget, queryString, resourcePath } from './resource-path.ts';
import { ResponseTooLargeError, type TransportRequest, type TransportResponse } from './transport.ts';

/** Sends a request; rejects unless the response is a success. */
type Send = (request: TransportRequest) => Promise<TransportResponse>;

/** Whether reads request whole objects or `PartialObjectMetadata`. */
export type ObjectForm = 'full' | 'metadata';

const PARTIAL_OBJECT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
} satisfies Record<Patch['type'], string>;

type WithSignal = { readonly signal?: AbortSignal | undefined };

/** The verbs of one kind over HTTP, for any Kubernetes API. */
export class HttpResourceClient<T extends KubeObject> implements ResourceClient<T> {
  readonly type: ResourceType<T>;
  readonly #form: ObjectForm;
  readonly #send: Send;

  constructor(type: ResourceType<T>, form: ObjectForm, send: Send) {
    this.type = type;
    this.#form = form;
    this.#send = send;
  }

  get(name: string, options: { namespace?: string; signal?: AbortSignal } = {}): Promise<T> {
    const path = resourcePath(this.type, { namespace: options.namespace, name });
    return this.#read<T>(path, PARTIAL_OBJECT, options);
  }

  async list(options: ListOptions = {}): Promise<KubeList<T>> {
    const path = resourcePath(this.type, { namespace: options.namespace }) + queryString(listQuery(options));
    const list = await this.#read<KubeList<T> & { readonly items: T[] | null }>(path, PARTIAL_LIST, {
      ...options,
      isList: true,
    });
    // kube-apiserver returns null for an empty list of PartialObjectMetadata.
    return { ...list, items: list.items ?? [] };
  }

  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const query = queryString({
      watch: true,
      ...listQuery(options),
      allowWatchBookmarks: options.allowWatchBookmarks,
      sendInitialEvents: options.sendInitialEvents,
      timeoutSeconds: options.timeoutSeconds,
    });
    try {
      const response = await this.#send({
        method: 'GET',
        path: resourcePath(this.type, { namespace: options.namespace }) + query,
        isWatch: true,
        ...(this.#form === 'metadata' && { headers: { accept: PARTIAL_OBJECT } }),
        ...(options.signal && { signal: options.signal }),
      });
      for await (const line of response.lines()) {
        if (line !== '') yield parseEvent<T>(line);
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }

  create(object: T, options: WriteOptions = {}): Promise<T> {
    const path = resourcePath(this.type, { namespace: object.metadata.namespace });
    return this.#write('POST', path + queryString(writeQuery(options)), this.#withTypeMeta(object), options);
  }

  update(object: T, options: WriteOptions = {}): Promise<T> {
    const path = resourcePath(this.type, targetOf(object));
    return this.#write('PUT', path + queryString(writeQuery(options)), this.#withTypeMeta(object), options);
  }

  updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    const path = resourcePath(this.type, { ...targetOf(object), subresource: 'status' });
    return this.#write('PUT', path + queryString(writeQuery(options)), this.#withTypeMeta(object), options);
  }

  patch(
    name: string,
    patch: Patch,
    options: WriteOptions & { namespace?: string; subresource?: string } = {},
  ): Promise<T> {
    const path = resourcePath(this.type, { namespace: options.namespace, name, subresource: options.subresource });
    const query = queryString(writeQuery(options));
    return this.#write('PATCH', path + query, patch.value, options, PATCH_TYPES[patch.type]);
  }

  apply(
    object: T,
    options: WriteOptions & { fieldManager: string; force?: boolean; subresource?: string },
  ): Promise<T> {
    const path = resourcePath(this.type, { ...targetOf(object), subresource: options.subresource });
    const query = queryString({ ...writeQuery(options), force: options.force });
    return this.#write('PATCH', path + query, this.#withTypeMeta(object), options, 'application/apply-patch+yaml');
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<void> {
    const path = resourcePath(this.type, { namespace: options.namespace, name });
    await this.#write('DELETE', path, deleteBody(options), options);
  }

  async deleteCollection(options: ListOptions & Omit<DeleteOptions, 'namespace' | 'uid'> = {}): Promise<void> {
    const path = resourcePath(this.type, { namespace: options.namespace }) + queryString(listQuery(options));
    const { resourceVersion: _listVersion, ...deletion } = options;
    await this.#write('DELETE', path, deleteBody(deletion), options);
  }

  createSubresource<R extends KubeObject>(
    name: string,
    subresource: string,
    body: R,
    options: WriteOptions & { namespace?: string } = {},
  ): Promise<R> {
    const path = resourcePath(this.type, { namespace: options.namespace, name, subresource });
    return this.#write<R>('POST', path + queryString(writeQuery(options)), body, options);
  }

  updateSubresource<R extends KubeObject>(
    name: string,
    subresource: string,
    body: R,
    options: WriteOptions & { namespace?: string } = {},
  ): Promise<R> {
    const path = resourcePath(this.type, { namespace: options.namespace, name, subresource });
    return this.#write<R>('PUT', path + queryString(writeQuery(options)), body, options);
  }

  #withTypeMeta(object: T): T {
    if (object.apiVersion !== undefined && object.kind !== undefined) return object;
    return { apiVersion: apiVersionOf(this.type), kind: this.type.kind, ...object };
  }

  async #read<R>(
    path: string,
    metadataAccept: string,
    {
      signal,
      isList = false,
      maxResponseChars,
    }: WithSignal & Pick<TransportRequest, 'isList'> & Pick<ListOptions, 'maxResponseChars'>,
  ): Promise<R> {
    const response = await this.#send({
      method: 'GET',
      path,
      ...(isList && { isList }),
      ...(this.#form === 'metadata' && { headers: { accept: metadataAccept } }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    if (maxResponseChars !== undefined && text.length > maxResponseChars) {
      throw new ResponseTooLargeError(
        `the response to GET ${path} has ${text.length} characters, the limit is ${maxResponseChars}`,
      );
    }
    return JSON.parse(text) as R;
  }

  async #write<R = T>(
    method: TransportRequest['method'],
    path: string,
    body: object,
    { signal }: WithSignal,
    contentType = 'application/json',
  ): Promise<R> {
    const response = await this.#send({
      method,
      path,
      headers: { 'content-type': contentType },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const written = JSON.parse(await response.text()) as Partial<KubeObject>;
    recordVersion(written);
    return written as R;
  }
}

/** Work caused by this write continues the writer's trace. */
function recordVersion({ metadata }: Partial<KubeObject>): void {
  const span = currentSpan();
  if (span === undefined) return;
  const version = versionName(metadata?.uid, metadata?.resourceVersion);
  if (version !== undefined) span.recordWrite(version);
}

function targetOf(object: KubeObject): PathTarget {
  const { namespace, name } = object.metadata;
  if (name === undefined) throw new TypeError('metadata.name is required to address an object');
  return { namespace, name };
}

function listQuery(options: ListOptions) {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

function writeQuery(options: WriteOptions) {
  return { dryRun: options.dryRun ? 'All' : undefined, fieldManager: options.fieldManager };
}

function deleteBody(options: DeleteOptions): object {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}

function parseEvent<T>(line: string): WatchEvent<T> {
  const event = JSON.parse(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Partial<Status> };
  if (event.type === 'ERROR') throw ApiError.fromStatus(event.object, 500);
  return event;
}
