import type { Core } from './core.ts';
import { representationOf } from './negotiation.ts';
import { durableEntry, respondWithObject } from './object-response.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { parseRevision, tooLarge } from './revision.ts';

export async function get(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const representation = representationOf(request, 'object');
  const requested = parseRevision(request.query.get('resourceVersion'));
  if (requested !== undefined && requested > core.store.revision) throw tooLarge(requested, core.store.revision);
  return respondWithObject(request, 200, await durableEntry(core, request), representation);
}
