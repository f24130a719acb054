import { ApiError, isApiError, methodNotAllowed } from '@fairway/kube/object/api-error';
import { Entry } from '../store/store.ts';
import type { Core } from './core.ts';
import { create } from './create.ts';
import { decodeBody } from './decode.ts';
import { remove } from './delete.ts';
import { removeCollection } from './delete-collection.ts';
import { finalizeNamespace } from './finalize.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { isNamespace } from './namespace-rules.ts';
import { durableEntry } from './object-response.ts';
import { patch, patchScale } from './patch.ts';
import { type ApiResponse, jsonResponse, type ResourceRequest } from './request.ts';
import type { ResourceDefinition } from './resource.ts';
import { review } from './review.ts';
import { SCALE_KIND, scaled, scaleOf } from './scale.ts';
import { customSubresource } from './subresource.ts';
import { update, writeObject } from './update.ts';
import { watch } from './watch.ts';

/** Read-only verbs. */
export const READING_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * Executes a request for a served resource. Throws 404 and 405 for missing subresources and verbs. If a write is
 * rejected, the state that caused the rejection is durable before the response: a client relies on it when it learns
 * that an object no longer exists, or already exists.
 */
export async function dispatch(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  if (READING_VERBS.has(request.verb)) return handle(core, request);
  try {
    return await handle(core, request);
  } catch (error) {
    if (isApiError(error, 'NotFound', 'AlreadyExists', 'Conflict')) await core.settled();
    throw error;
  }
}

async function handle(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const { resource, subresource } = request;
  switch (subresource) {
    case '':
      if (!resource.verbs.has(request.verb)) throw methodNotAllowed(resource.subject(), request.verb);
      return resource.definition.review ? review(request, resource.definition.review) : object(core, request);
    case 'status':
      if (resource.definition.hasStatus) return part(core, request, object);
      break;
    case 'scale':
      if (resource.definition.scale) return part(core, request, scale);
      break;
    case 'finalize':
      if (isNamespace(resource) && request.verb === 'update') return finalizeNamespace(core, request);
      break;
  }
  const custom = resource.definition.subresources?.[subresource];
  if (custom === undefined) throw notServed();
  return customSubresource(core, request, custom);
}

/** The 404 for an unknown path. */
export function notServed(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', { subject: {} });
}

function object(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  switch (request.verb) {
    case 'get':
      return get(core, request);
    case 'list':
      return request.resource.definition.listed
        ? listed(request, request.resource.definition.listed)
        : list(core, request);
    case 'watch':
      return watch(core, request);
    case 'create':
      return create(core, request);
    case 'update':
      return update(core, request);
    case 'patch':
      return patch(core, request);
    case 'delete':
      return remove(core, request);
    case 'deletecollection':
      return removeCollection(core, request);
    default:
      throw methodNotAllowed(request.resource.subject(), request.verb);
  }
}

async function listed(
  request: ResourceRequest,
  response: NonNullable<ResourceDefinition['listed']>,
): Promise<ApiResponse> {
  return jsonResponse(200, await response(request));
}

type Handler = (core: Core, request: ResourceRequest) => Promise<ApiResponse>;

/** Subresources can be read and written, but not created or deleted. */
function part(core: Core, request: ResourceRequest, handler: Handler): Promise<ApiResponse> {
  if (!['get', 'update', 'patch'].includes(request.verb))
    throw methodNotAllowed(request.resource.subject(), request.verb);
  return handler(core, request);
}

async function scale(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const { resource } = request;
  const definition = resource.definition.scale;
  if (definition === undefined) throw notServed();
  if (request.verb === 'get') {
    return jsonResponse(200, scaleOf(resource.objectOf(await durableEntry(core, request)), definition));
  }
  // The whole object is written, as through the main resource: generation is incremented and validation runs.
  const written = await writeObject(core, request, (current) => {
    const scale =
      request.verb === 'patch'
        ? patchScale(request, scaleOf(resource.objectOf(current), definition))
        : decodeBody(request, SCALE_KIND);
    return scaled(resource, resource.copyOf(current), scale);
  });
  return jsonResponse(200, scaleOf(written instanceof Entry ? resource.objectOf(written) : written, definition));
}
