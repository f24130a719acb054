import { notFound } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { Entry } from '../store/store.ts';
import { checkStored } from './body-bounds.ts';
import type { Core } from './core.ts';
import { representationOf } from './negotiation.ts';
import type { Representation } from './representation.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { canonicalText } from './served-resource.ts';

/** Responds with a stored entry, or with an unstored object (dry run). */
export function respondWithObject(
  request: ResourceRequest,
  status: number,
  object: Entry | KubeObject,
  representation: Representation = representationOf(request, 'object'),
): ApiResponse {
  const entry = object instanceof Entry ? object : unstoredEntry(request, object);
  return { status, headers: { 'content-type': representation.contentType }, body: representation.objectText(entry) };
}

function unstoredEntry({ resource }: ResourceRequest, object: KubeObject): Entry {
  const { namespace = '', name = '' } = object.metadata;
  const key = resource.keyOf(namespace, name);
  const stored = resource.definition.storedAs?.convert === undefined ? resource.toStored(object) : undefined;
  if (stored === undefined || stored instanceof Promise) return resource.entryOf(key, object);
  const text = canonicalText(stored);
  checkStored(resource, object, text, undefined);
  return new Entry(key, 0, text);
}

/**
 * The requested entry, in the request's version, for a writer: the latest accepted entry. Returns a promise only
 * if a webhook must convert it. Throws 404.
 */
export function currentEntry(core: Core, request: ResourceRequest): Entry | Promise<Entry> {
  const { resource, namespace, name } = request;
  const entry = core.store.get(resource.bucket, resource.keyOf(namespace, name));
  if (entry === undefined) throw notFound(resource.subject(name));
  return resource.prepare([entry])?.then(() => currentEntry(core, request)) ?? entry;
}

/** The requested entry for a reader: the latest durable one. */
export function durableEntry(core: Core, request: ResourceRequest): Entry | Promise<Entry> {
  const { resource, namespace, name } = request;
  const entry = core.store.getDurable(resource.bucket, resource.keyOf(namespace, name));
  if (entry === undefined) throw notFound(resource.subject(name));
  return resource.prepare([entry])?.then(() => durableEntry(core, request)) ?? entry;
}

/**
 * The requested entry for a subresource that may write and have other effects: the latest accepted one, once it is
 * durable.
 */
export async function settledEntry(core: Core, request: ResourceRequest): Promise<Entry> {
  for (;;) {
    const entry = await currentEntry(core, request);
    if (entry.revision <= core.store.revision) return entry;
    await core.settled();
  }
}
