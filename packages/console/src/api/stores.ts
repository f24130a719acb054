import { ResourceStore } from './resource-store.ts';
import { pathOf, type Resource, type Stored } from './resources.ts';
import { WatchChannel } from './watch-channel.ts';

/** How long a collection is followed after the last page that showed it: whoever goes back finds it up to date. */
const LINGER_MS = 30_000;
/** As many watches as a connection carries: the server refuses more, all of them. */
const MOST_FOLLOWED = 16;
/** How long a tab in the background stays up to date. */
const HIDDEN_MS = 60_000;
/** Pictures are not painted in the background, and so not waited for. */
const BACKGROUND_MS = 1_000;

interface Entry {
  readonly store: ResourceStore<never>;
  users: number;
  ending: ReturnType<typeof setTimeout> | undefined;
}

const channel = new WatchChannel();
const entries = new Map<string, Entry>();
/** Why nothing is followed at the moment. */
const resting = new Set<RestReason>();

export type RestReason = 'hidden' | 'signedOut';

export interface Selection {
  /** All namespaces without one. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The one store of a collection in this tab; it is followed until the returned function is called by all who use it. */
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
    // Last among them, as what was shown last.
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

/** Whoever looks through many namespaces leaves collections behind faster than they end. */
function makeRoom(): void {
  const left = [...entries].filter(([, { users }]) => users === 0);
  for (const [key, entry] of left.slice(0, Math.max(0, entries.size - MOST_FOLLOWED))) end(key, entry);
}

function end(key: string, entry: Entry): void {
  clearTimeout(entry.ending);
  entry.store.stop();
  // Another may be in its place, since all were forgotten.
  if (entries.get(key) === entry) entries.delete(key);
}

/** Forgets everything: who signs in next may be somebody else. */
export function forgetStores(): void {
  for (const { store, ending } of entries.values()) {
    clearTimeout(ending);
    store.stop();
  }
  entries.clear();
}

/** Follows nothing until `wake`; what is known stays shown. */
export function rest(reason: RestReason): void {
  resting.add(reason);
  for (const { store } of entries.values()) store.stop();
}

export function wake(reason: RestReason): void {
  resting.delete(reason);
  if (resting.size > 0) return;
  for (const { store, users } of entries.values()) if (users > 0) store.start();
}

/** Lets tabs sleep that nobody looks at. A browser has few connections to a server, and the server has few for a browser. */
export function sleepWhileHidden(page: Document = document): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = () => {
    clearTimeout(timer);
    if (page.visibilityState === 'hidden') {
      timer = setTimeout(() => rest('hidden'), HIDDEN_MS);
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
