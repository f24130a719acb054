import type { ResourceRequest } from '../server/request.ts';
import type { Store } from '../store/store.ts';

const CHARS_PER_SEAT = 100_000;
/** Longer responses are written in parts, and need no additional seats. */
const MAX_CHARS = 1_000_000;

/** Seats of a list, or of a watch that begins with a list: one per 100 kB of the response, at most ten. */
export function seatsOfList(store: Store, { resource, verb, query, name }: ResourceRequest): number {
  const count = store.count(resource.bucket);
  if (count <= 1 || name !== '' || query.get('fieldSelector')?.startsWith('metadata.name=')) return 1;
  if (verb === 'watch' && !beginsWithList(query)) return 1;
  const limit = Number(query.get('limit') ?? 0);
  const part = verb === 'list' && limit > 0 ? Math.min(1, limit / count) : 1;
  const chars = Math.min(MAX_CHARS, store.chars(resource.bucket) * part);
  return Math.max(1, Math.ceil(chars / CHARS_PER_SEAT));
}

function beginsWithList(query: URLSearchParams): boolean {
  const revision = query.get('resourceVersion') ?? '';
  return query.get('sendInitialEvents') === 'true' || revision === '' || revision === '0';
}
