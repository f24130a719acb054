import { ResourceStore } from './resource-store.ts';
import { pathOf, type Resource, type StoredObject } from './resources.ts';
import { WatchChannel } from './watch-channel.ts';

/** How long a collection is still watched after its last page closes, so that going back shows current data. */
const LINGER_MS = 30_000;
/** The maximum number of watches per connection; the server rejects the whole request if there are more. */
const MAX_WATCHES = 16;
/** How long a background tab continues to watch. */
const SUSPEND_AFTER_MS = 60_000;
/** Background tabs render no frames, so nothing waits for them. */
const BACKGROUND_INTERVAL_MS = 1_000;

interface Entry {
  readonly store: ResourceStore<never>;
  users: number;
  expiryTimer: ReturnType<typeof setTimeout> | undefined;
}

const channel = new WatchChannel();
const entries = new Map<string, Entry>();
/** Why all watches are suspended. */
const suspendReasons = new Set<SuspendReason>();

export type SuspendReason = 'hidden' | 'signedOut';

export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** This tab's store of a collection. It watches until every user has called the returned function. */
export function storeOf<T extends StoredObject>(
  resource: Resource<T>,
  { namespace, labelSelector, fieldSelector }: Selection,
): { readonly store: ResourceStore<T>; readonly acquire: () => () => void } {
  const query = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
  const path = pathOf(resource, namespace);
  const key = `${path}?${new URLSearchParams(query)}`;
  let entry = entries.get(key);
  if (entry === undefined) {
    const store = new ResourceStore<T>({
      path,
      query,
      transform: resource.keep,
      watch: (watchRequest) => channel.watch<T>(watchRequest),
      schedule: scheduleNextFrame,
    });
    entry = { store: store as unknown as ResourceStore<never>, users: 0, expiryTimer: undefined };
    entries.set(key, entry);
  }
  const acquired = entry;
  const acquire = () => {
    acquired.users++;
    clearTimeout(acquired.expiryTimer);
    // Moved to the end, as the most recently displayed.
    entries.delete(key);
    entries.set(key, acquired);
    evictIdleStores();
    if (suspendReasons.size === 0) acquired.store.start();
    return () => {
      acquired.users--;
      if (acquired.users > 0) return;
      acquired.expiryTimer = setTimeout(() => end(key, acquired), LINGER_MS);
    };
  };
  return { store: entry.store as unknown as ResourceStore<T>, acquire };
}

/** Browsing through many namespaces creates collections faster than they expire. */
function evictIdleStores(): void {
  const idleEntries = [...entries].filter(([, { users }]) => users === 0);
  for (const [key, entry] of idleEntries.slice(0, Math.max(0, entries.size - MAX_WATCHES))) end(key, entry);
}

function end(key: string, entry: Entry): void {
  clearTimeout(entry.expiryTimer);
  entry.store.stop();
  // Another store may have replaced this one since all stores were dropped.
  if (entries.get(key) === entry) entries.delete(key);
}

/** Drops all data: the next user to sign in may be a different one. */
export function clearStores(): void {
  for (const { store, expiryTimer } of entries.values()) {
    clearTimeout(expiryTimer);
    store.stop();
  }
  entries.clear();
}

/** Suspends all watches until `resume`, and retains their data. */
export function suspend(reason: SuspendReason): void {
  suspendReasons.add(reason);
  for (const { store } of entries.values()) store.stop();
}

export function resume(reason: SuspendReason): void {
  suspendReasons.delete(reason);
  if (suspendReasons.size > 0) return;
  for (const { store, users } of entries.values()) if (users > 0) store.start();
}

/** Suspends hidden tabs. A browser opens few connections to a server, and the server accepts few from a user. */
export function suspendWhileHidden(page: Document = document): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    clearTimeout(timer);
    if (page.visibilityState === 'hidden') {
      timer = setTimeout(() => suspend('hidden'), SUSPEND_AFTER_MS);
      return;
    }
    resume('hidden');
  };
  page.addEventListener('visibilitychange', onChange);
  return () => page.removeEventListener('visibilitychange', onChange);
}

function scheduleNextFrame(work: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(work, BACKGROUND_INTERVAL_MS);
  else requestAnimationFrame(work);
}
