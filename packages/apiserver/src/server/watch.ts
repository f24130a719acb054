import { type ApiError, expired } from '@fairway/kube/object/api-error';
import type { Change, Entry } from '../store/store.ts';
import type { Core } from './core.ts';
import { representationOf } from './negotiation.ts';
import type { Answer, Line, LineSink, LineStream, ResourceRequest } from './request.ts';
import { parseRevision } from './revision.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { ServedResource } from './served-resource.ts';
import { eventLine, WatchEvent } from './watch-event.ts';
import { WatchSession } from './watch-session.ts';

/** Upstream's default for `--min-request-timeout`: a watch without a timeout lasts 30 to 60 minutes. */
const MIN_TIMEOUT_SECONDS = 1800;

export async function watch(core: Core, request: ResourceRequest): Promise<Answer> {
  const { resource, query } = request;
  const selection = selectionOf(resource, request.namespace, query, request.name);
  const representation = representationOf(request, 'watch');
  const wantsBookmarks = isTrue(query.get('allowWatchBookmarks'));
  const sendInitialEvents = initialEventsOf(query);
  const from = parseRevision(query.get('resourceVersion'));
  await core.settled();

  const headers = { 'content-type': representation.contentType };
  if (!sendInitialEvents && from !== undefined && from > 0 && from < core.events.compactedRevision) {
    return { status: 200, headers, body: failedWatch(tooOld(from, core.events.compactedRevision)) };
  }
  const { initial, missed } = await preparedStart(core, resource, () =>
    startOf(core, selection, from, sendInitialEvents),
  );
  const bookmarkLine = (annotations?: Record<string, string>): Line =>
    eventLine('BOOKMARK', representation.bookmarkText(core.store.revision, annotations));
  const timeoutMs = 1000 * (Number(query.get('timeoutSeconds')) || MIN_TIMEOUT_SECONDS * (1 + core.random()));
  const { limits } = core.traffic;
  const session = new WatchSession({
    hub: core.watchers,
    maxBacklog: { events: limits.maxWatchBacklogEvents, chars: limits.maxWatchBacklogBytes },
    onOverflow: () => core.traffic.reject('watchBacklog'),
    selection,
    representation,
    wantsBookmarks,
    prepare: resource.definition.storedAs?.convert && ((entries) => resource.prepare(entries)),
    initial,
    missed,
    initialEnd: sendInitialEvents && wantsBookmarks ? bookmarkLine({ 'k8s.io/initial-events-end': 'true' }) : undefined,
    bookmarkLine,
    startTimeout: (onTimeout) => core.clock.after(timeoutMs, onTimeout),
  });
  return { status: 200, headers, body: session };
}

/** Whether the watch begins with what is there; undefined leaves it to resourceVersion. */
function initialEventsOf(query: URLSearchParams): boolean | undefined {
  const text = query.get('sendInitialEvents');
  return text === null ? undefined : isTrue(text);
}

function startOf(
  core: Core,
  selection: Selection,
  from: number | undefined,
  sendInitialEvents: boolean | undefined,
): WatchStart {
  if (sendInitialEvents ?? (from === undefined || from === 0)) {
    return { initial: selectedEntries(core, selection), missed: [] };
  }
  if (from === undefined || from === 0) return { initial: [], missed: [] };
  return { initial: [], missed: core.events.since(from, selection.bucket) };
}

interface WatchStart {
  readonly initial: readonly Entry[];
  readonly missed: readonly Change[];
}

/** Looked up again after each wait: nothing may happen between the look and the watch. */
async function preparedStart(core: Core, resource: ServedResource, look: () => WatchStart): Promise<WatchStart> {
  for (;;) {
    const start = look();
    const missed = start.missed.flatMap((change) => new WatchEvent(change).shown);
    const pending = resource.prepare([...start.initial, ...missed]);
    if (pending === undefined) return start;
    await pending;
  }
}

/** The same as `selectedEntries`, converted, in case that fields are selected by. */
export async function preparedEntries(core: Core, resource: ServedResource, selection: Selection): Promise<Entry[]> {
  while (!selection.everything) {
    const pending = resource.prepare(selectedEntries(core, { ...selection, everything: true }));
    if (pending === undefined) break;
    await pending;
  }
  return selectedEntries(core, selection);
}

/** What the selection holds now, in key order. */
export function selectedEntries(core: Core, selection: Selection): Entry[] {
  if (selection.key !== undefined) {
    const entry = core.store.get(selection.bucket, selection.key);
    return entry !== undefined && selection.matches(entry) ? [entry] : [];
  }
  const entries = core.store.list(selection.bucket, selection.prefix);
  return selection.everything ? entries : entries.filter((entry) => selection.matches(entry));
}

export function tooOld(revision: number, oldest: number): ApiError {
  return expired(`too old resource version: ${revision} (${oldest})`);
}

/** A watch that only reports an error, as upstream: 200, then an ERROR event. */
function failedWatch(error: ApiError): LineStream {
  return {
    start(sink: LineSink) {
      sink.send(eventLine('ERROR', JSON.stringify(error.toStatus())));
      sink.end();
    },
    resume() {},
    stop() {},
  };
}

export function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1';
}
