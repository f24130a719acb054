import { type Change, Entry } from '../store/store.ts';
import type { Representation } from './representation.ts';
import { Line } from './request.ts';
import { canonicalText } from './served-resource.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export function eventLine(type: WatchEventType | 'BOOKMARK' | 'ERROR', objectText: string): Line {
  return new Line(`{"type":"${type}","object":${objectText}}\n`);
}

/** What is shown of objects that have left a selection: one entry for each change, which is converted once. */
const departures = new WeakMap<Change, Entry>();

/** A change to be sent to watchers: serialised once per representation. */
export class WatchEvent {
  readonly change: Change;
  readonly #lines = new Map<string, Line>();

  constructor(change: Change) {
    this.change = change;
  }

  /** All that lines may show. */
  get shown(): readonly Entry[] {
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

  /** What a watcher is shown of an object that is gone, or has left its selection: its last state there, at this revision. */
  #last(): Entry {
    const { removed, entry, previous } = this.change;
    if (removed || previous === undefined) return entry;
    const departed = departures.get(this.change) ?? atRevision(previous, entry);
    departures.set(this.change, departed);
    return departed;
  }
}

function atRevision(previous: Entry, { revision }: Entry): Entry {
  const object = previous.copy();
  object.metadata.resourceVersion = String(revision);
  return new Entry(previous.key, revision, canonicalText(object), object);
}
