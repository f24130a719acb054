import { answerObject, durableEntry } from './answer.ts';
import type { Core } from './core.ts';
import { representationOf } from './negotiation.ts';
import type { Answer, ResourceRequest } from './request.ts';
import { parseRevision, tooLarge } from './revision.ts';

export async function get(core: Core, request: ResourceRequest): Promise<Answer> {
  const representation = representationOf(request, 'object');
  const requested = parseRevision(request.query.get('resourceVersion'));
  if (requested !== undefined && requested > core.store.revision) throw tooLarge(requested, core.store.revision);
  return answerObject(request, 200, await durableEntry(core, request), representation);
}
