import { jsonLines } from './json-lines.ts';
import { open } from './request.ts';
import type { Stored } from './resources.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  | { readonly type: 'ERROR'; readonly object: { readonly code?: number; readonly message?: string } };

/** Below the five to ten minutes for which servers hold a watch. */
const LASTS_SECONDS = 240;
/** A laptop that slept, or a network that is gone, says nothing at all. */
const SILENCE_MS = (LASTS_SECONDS + 60) * 1000;

export interface Watching {
  readonly path: string;
  /** As of a list: with its selectors. */
  readonly query: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
  readonly random: () => number;
}

/** The changes since a version, as they come, until the server ends the watch in order. Rejects with a Failure if it breaks. */
export async function* watchFeed<T extends Stored>(watching: Watching): AsyncGenerator<readonly WatchEvent<T>[]> {
  const { path, query, resourceVersion, signal, random } = watching;
  const timeoutSeconds = String(Math.round(LASTS_SECONDS * (0.75 + random() * 0.25)));
  const asked = { ...query, watch: 'true', allowWatchBookmarks: 'true', resourceVersion, timeoutSeconds };
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const response = await open(`${path}?${new URLSearchParams(asked)}`, {
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.body !== null) yield* jsonLines<WatchEvent<T>>(response.body);
  } finally {
    clearTimeout(timer);
  }
}
