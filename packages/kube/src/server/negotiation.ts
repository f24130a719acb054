import { type Representation, wholeObjects } from './representation.ts';
import type { ResourceRequest } from './request.ts';

/** How the answer shall look by the request's Accept header; throws 406. */
export function representationOf(request: ResourceRequest, _for: 'object' | 'list' | 'watch'): Representation {
  return wholeObjects(request.resource);
}
