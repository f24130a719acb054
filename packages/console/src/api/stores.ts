import { ResourceStore } from './resource-store.ts';
import { pathOf, type Resource, type Stored } from './resources.ts';
import { WatchChannel } from './watch-channel.ts';

/** How long a collection is still watched after its last page closes, so that going back shows current data. */
const LINGER_MS = 30_000;
/** The most watches that a connection carries; the server rejects the whole request if there are more. */
const MOST_FOLLOWED = 16;
/** How long a background tab continues to watch. */
const HIDDEN_MS = 60_000;
/** Background tabs render no frames, so nothing waits for them. */
const BACKGROUND_MS = 1_000;

interface Entry {
  readonly store: ResourceStore<never>;
  users: number;
  ending: ReturnType<typeof setTimeout> | undefined;
}

const channel = new WatchChannel();
const entries = new Map<string, Entry>();
/** Why all watches are suspended. */
const resting = new Set<SuspendReason>();

export type SuspendReason = 'hidden' | 'signedOut';

export interface Selection {
  /** All namespaces without one. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** This tab's store of a collection. It watches until every user has called the returned function. */
export function storeOf<T extends Stored>(
  resource: Resource<T>,
  { namespace, labelSelector, fieldSelector }: Selection,
): { readonly store: ResourceStore<T>; readonly hold: () => () => void } {
  const query = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
  const path = pathOf(resource, namespace);
  const key = `${path}?${new URLSearchParams(query)}`;
  let entry = entries.get(key);
  if (entry === undefined) {
    const store = new ResourceStore<T>({
      path,
      query,
      keep: resource.keep,
      watch: (watching) => channel.watch<T>(watching),
      schedule: beforeNextPicture,
    });
    entry = { store: store as unknown as ResourceStore<never>, users: 0, ending: undefined };
    entries.set(key, entry);
  }
  const held = entry;
  const hold = () => {
    held.users++;
    clearTimeout(held.ending);
    // Moved to the end, as the most recently displayed.
    entries.delete(key);
    entries.set(key, held);
    makeRoom();
    if (resting.size === 0) held.store.start();
    return () => {
      held.users--;
      if (held.users > 0) return;
      held.ending = setTimeout(() => end(key, held), LINGER_MS);
    };
  };
  return { store: entry.store as unknown as ResourceStore<T>, hold };
}

/** Browsing through many namespaces leaves collections behind faster than they expire. */
function makeRoom(): void {
  const left = [...entries].filter(([, { users }]) => users === 0);
  for (const [key, entry] of left.slice(0, Math.max(0, entries.size - MOST_FOLLOWED))) end(key, entry);
}

function end(key: string, entry: Entry): void {
  clearTimeout(entry.ending);
  entry.store.stop();
  // Another store may have replaced it since all stores were dropped.
  if (entries.get(key) === entry) entries.delete(key);
}

/** Drops all data: the next user to sign in may be another. */
export function forgetStores(): void {
  for (const { store, ending } of entries.values()) {
    clearTimeout(ending);
    store.stop();
  }
  entries.clear();
}

/** Suspends all watches until `wake`, and retains their data. */
export function suspend(reason: SuspendReason): void {
  resting.add(reason);
  for (const { store } of entries.values()) store.stop();
}

export function wake(reason: SuspendReason): void {
  resting.delete(reason);
  if (resting.size > 0) return;
  for (const { store, users } of entries.values()) if (users > 0) store.start();
}

/** Suspends hidden tabs. A browser opens few connections to a server, and the server accepts few from a user. */
export function sleepWhileHidden(page: Document = document): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    clearTimeout(timer);
    if (page.visibilityState === 'hidden') {
      timer = setTimeout(() => suspend('hidden'), HIDDEN_MS);
      return;
    }
    wake('hidden');
  };
  page.addEventListener('visibilitychange', onChange);
  return () => page.removeEventListener('visibilitychange', onChange);
}

function beforeNextPicture(work: () => void): void {
  if (document.visibilityState === 'hidden') setTimeout(work, BACKGROUND_MS);
  else requestAnimationFrame(work);
}
