import { decodeObject } from './decode.ts';
import { acceptsJson, notAcceptable, parseAccept } from './negotiation.ts';
import { type ApiResponse, jsonResponse, type ResourceRequest } from './request.ts';
import type { ResourceDefinition } from './resource.ts';
import { contextOf, refuse } from './write.ts';

/** Handles a review kind, which is never stored. */
export async function review(
  request: ResourceRequest,
  response: NonNullable<ResourceDefinition['review']>,
): Promise<ApiResponse> {
  // Kinds that are not stored have no table.
  if (!parseAccept(request.headers['accept']).some((range) => acceptsJson(range) && !range.parameters.has('as'))) {
    throw notAcceptable();
  }
  const object = decodeObject(request);
  const { strategy } = request.resource.definition;
  strategy?.default?.(object);
  refuse(request, '', strategy?.validate?.(object, undefined) ?? []);
  const reviewed = await response(object, { ...contextOf(request), namespace: request.namespace });
  return jsonResponse(201, reviewed);
}
