import { type ApiError, expired } from '@fairway/kube/object/api-error';
import type { Change, Entry } from '../store/store.ts';
import type { Core } from './core.ts';
import { representationOf } from './negotiation.ts';
import type { ApiResponse, Line, LineSink, LineStream, ResourceRequest } from './request.ts';
import { parseRevision } from './revision.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { ServedResource } from './served-resource.ts';
import { eventLine, WatchEvent } from './watch-event.ts';
import { WatchSession } from './watch-session.ts';

/** Upstream's default for `--min-request-timeout`: a watch without a timeout lasts 30 to 60 minutes. */
const MIN_TIMEOUT_SECONDS = 1800;

export async function watch(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const { resource, query } = request;
  const selection = selectionOf(resource, request.namespace, query, request.name);
  const representation = representationOf(request, 'watch');
  const wantsBookmarks = isTrue(query.get('allowWatchBookmarks'));
  const sendInitialEvents = initialEventsOf(query);
  const from = parseRevision(query.get('resourceVersion'));

  const headers = { 'content-type': representation.contentType };
  const oldest = core.events.compactedRevision(selection.bucket);
  if (!sendInitialEvents && from !== undefined && from > 0 && from < oldest) {
    return { status: 200, headers, body: failedWatch(tooOldError(from, oldest)) };
  }
  // Re-evaluated after each wait: nothing may happen between the read and the start of the watch.
  let start = startOf(core, resource, selection, from, sendInitialEvents);
  while (start instanceof Promise) {
    await start;
    start = startOf(core, resource, selection, from, sendInitialEvents);
  }
  const { initial, missed } = start;
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

/** Whether the watch starts with existing objects. Undefined means that it depends on resourceVersion. */
function initialEventsOf(query: URLSearchParams): boolean | undefined {
  const text = query.get('sendInitialEvents');
  return text === null ? undefined : isTrue(text);
}

/** The initial events of a watch, or a promise that must be awaited first. */
function startOf(
  core: Core,
  resource: ServedResource,
  selection: Selection,
  from: number | undefined,
  sendInitialEvents: boolean | undefined,
): WatchStart | Promise<void> {
  if (sendInitialEvents ?? (from === undefined || from === 0)) {
    const left = prepareSelection(core, resource, selection);
    if (left !== undefined) return left;
    const initial = selectedEntries(core, selection);
    return resource.prepare(initial) ?? { initial, missed: [] };
  }
  if (from === undefined || from === 0) return { initial: [], missed: [] };
  const missed = core.events.since(from, selection.bucket);
  return prepareMissed(resource, missed) ?? { initial: [], missed };
}

interface WatchStart {
  readonly initial: readonly Entry[];
  readonly missed: readonly Change[];
}

function prepareMissed(resource: ServedResource, missed: readonly Change[]): Promise<void> | undefined {
  if (resource.definition.storedAs?.convert === undefined) return undefined;
  return resource.prepare(missed.flatMap((change) => new WatchEvent(change).visibleEntries));
}

/**
 * Waits for the conversion of entries that field selectors need. Undefined if no conversion is needed: the selection
 * then follows synchronously.
 */
export function prepareSelection(
  core: Core,
  resource: ServedResource,
  selection: Selection,
): Promise<void> | undefined {
  if (selection.everything || resource.definition.storedAs?.convert === undefined) return undefined;
  return resource.prepare(selectedEntries(core, { ...selection, everything: true }));
}

/** The selected durable entries, in key order. */
export function selectedEntries(core: Core, selection: Selection): Entry[] {
  if (selection.key !== undefined) {
    const entry = core.store.getDurable(selection.bucket, selection.key);
    return entry !== undefined && selection.matches(entry) ? [entry] : [];
  }
  const entries = core.store.listDurable(selection.bucket, selection.prefix);
  return selection.everything ? entries : entries.filter((entry) => selection.matches(entry));
}

export function tooOldError(revision: number, oldest: number): ApiError {
  return expired(`too old resource version: ${revision} (${oldest})`);
}

/** A watch that only reports an error, like upstream: 200, then an ERROR event. */
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
