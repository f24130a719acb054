import { badRequest, expired } from '@fairway/kube/object/api-error';
import type { Entry } from '../store/store.ts';
import type { Core } from './core.ts';
import { representationOf } from './negotiation.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { parseRevision, tooLarge } from './revision.ts';
import { selectionOf } from './selection.ts';
import { prepareSelection, selectedEntries, tooOldError } from './watch.ts';

/** The position of a paged list, as in upstream's continue token. */
interface Continuation {
  /** Undefined for the latest revision. */
  readonly revision: number | undefined;
  readonly startKey: string;
}

/** The revision that means "latest" in a token. */
const LATEST_REVISION = -1;

export async function list(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const { resource, query } = request;
  const selection = selectionOf(resource, request.namespace, query, request.name);
  const representation = representationOf(request, 'list');
  const limit = limitOf(query.get('limit'));
  const continuation = parseContinue(query.get('continue'));
  const requested = parseRevision(query.get('resourceVersion'), 'invalid resource version: ');
  const match = matchOf(query, requested, continuation);
  for (let left = prepareSelection(core, resource, selection); left; left = prepareSelection(core, resource, selection))
    await left;

  const current = core.store.revision;
  if (requested !== undefined && requested > current) throw tooLarge(requested, current);
  const exact = match === 'Exact' ? requested : continuation?.revision;
  const revision = exact ?? current;
  let entries = selectedEntries(
    core,
    exact === undefined ? selection : { ...selection, key: undefined, everything: true },
  );
  if (exact !== undefined) {
    const oldest = core.events.compactedRevision(selection.bucket);
    if (exact < oldest) throw continuation === undefined ? tooOldError(exact, oldest) : continueExpired(continuation);
    const pastEntries = core.events.rewind(entries, selection.bucket, selection.prefix, exact);
    const left = selection.everything ? undefined : resource.prepare(pastEntries);
    if (left !== undefined) await left;
    entries = selection.everything ? [...pastEntries] : pastEntries.filter((entry) => selection.matches(entry));
  }
  const { page, next, remaining } = pageOf(entries, limit, continuation?.startKey);
  const converting = resource.prepare(page);
  if (converting !== undefined) await converting;
  request.holdResponse?.(page.reduce((bytes, entry) => bytes + resource.charsOf(entry), 0));
  const metadata = JSON.stringify({
    resourceVersion: String(revision),
    ...(next !== undefined && { continue: formatContinue({ revision, startKey: next }) }),
    ...(next !== undefined && selection.everything && { remainingItemCount: remaining }),
  });
  return {
    status: 200,
    headers: { 'content-type': representation.contentType },
    body: representation.listText(page, metadata),
  };
}

function matchOf(query: URLSearchParams, requested: number | undefined, continuation: Continuation | undefined) {
  const match = query.get('resourceVersionMatch');
  if (continuation !== undefined && requested !== undefined && requested > 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return match;
}

/** Upstream treats a negative limit as no limit. */
function limitOf(text: string | null): number {
  if (text === null || text === '') return 0;
  if (/^[+-]?\d+$/.test(text)) return Math.max(0, Number(text));
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function pageOf(entries: readonly Entry[], limit: number, startKey: string | undefined) {
  let start = 0;
  if (startKey !== undefined) {
    start = entries.findIndex((entry) => entry.key >= startKey);
    if (start < 0) start = entries.length;
  }
  const end = limit === 0 ? entries.length : Math.min(start + limit, entries.length);
  return { page: entries.slice(start, end), next: entries[end]?.key, remaining: entries.length - end };
}

function formatContinue({ revision, startKey }: Continuation): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision ?? LATEST_REVISION, start: startKey };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function parseContinue(text: string | null): Continuation | undefined {
  if (text === null || text === '') return undefined;
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as {
      v?: unknown;
      rv?: unknown;
      start?: unknown;
    };
    const { v, rv, start } = token;
    if (v === 'meta.k8s.io/v1' && Number.isSafeInteger(rv) && typeof start === 'string') {
      return { revision: rv === LATEST_REVISION ? undefined : (rv as number), startKey: start };
    }
  } catch {
    // A token that is not JSON results in the same error as one with invalid fields.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}

/** Includes a token for clients that would rather continue with the current state than start again. */
function continueExpired({ startKey }: Continuation) {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    formatContinue({ revision: undefined, startKey }),
  );
}
