import { type Change, Entry } from '../store/store.ts';
import type { Representation } from './representation.ts';
import { Line } from './request.ts';
import { canonicalText } from './served-resource.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export function eventLine(type: WatchEventType | 'BOOKMARK' | 'ERROR', objectText: string): Line {
  return new Line(`{"type":"${type}","object":${objectText}}\n`);
}

/** The last state of objects that have left a selection: one entry per change, converted only once. */
const removals = new WeakMap<Change, Entry>();

/** A change to be sent to watchers; it is serialised once per representation. */
export class WatchEvent {
  readonly change: Change;
  readonly #lines = new Map<string, Line>();

  constructor(change: Change) {
    this.change = change;
  }

  /** Lines by representation. */
  get visibleEntries(): readonly Entry[] {
    const { entry, previous } = this.change;
    return previous === undefined ? [entry] : [entry, previous, this.#last()];
  }

  line(type: WatchEventType, representation: Representation): Line {
    const key = `${type} ${representation.id}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = eventLine(type, representation.objectText(type === 'DELETED' ? this.#last() : this.change.entry));
      this.#lines.set(key, line);
    }
    return line;
  }

  /** The last matching state, at this revision, of an object that was deleted or left a watcher's selection. */
  #last(): Entry {
    const { removed, entry, previous } = this.change;
    if (removed || previous === undefined) return entry;
    const removedEntry = removals.get(this.change) ?? atRevision(previous, entry);
    removals.set(this.change, removedEntry);
    return removedEntry;
  }
}

function atRevision(previous: Entry, { revision }: Entry): Entry {
  const object = previous.copy();
  object.metadata.resourceVersion = String(revision);
  return new Entry(previous.key, revision, canonicalText(object), object);
}
