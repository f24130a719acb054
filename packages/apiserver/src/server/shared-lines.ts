import type { Change, Entry } from '../store/store.ts';
import type { Representation } from './representation.ts';
import type { Line } from './request.ts';
import { eventLine, WatchEvent, type WatchEventType } from './watch-event.ts';

/** Minimum text size for sharing. */
const MIN_SHARED_CHARS = 8 * 1024;

const lines = new WeakMap<Entry | Change, Map<string, WeakRef<Line>>>();

/** The initial event of an existing object. Large events are serialized once for all concurrent watches. */
export function initialLine(entry: Entry, representation: Representation): Line {
  const make = () => eventLine('ADDED', representation.objectText(entry));
  return entry.text.length < MIN_SHARED_CHARS ? make() : shared(entry, representation.id, make);
}

/** The event for a change that a resuming watch missed, shared in the same way. */
export function missedLine(change: Change, type: WatchEventType, representation: Representation): Line {
  const make = () => new WatchEvent(change).line(type, representation);
  const isLarge = Math.max(change.entry.text.length, change.previous?.text.length ?? 0) >= MIN_SHARED_CHARS;
  return isLarge ? shared(change, `${type} ${representation.id}`, make) : make();
}

function shared(source: Entry | Change, id: string, make: () => Line): Line {
  let linesOfSource = lines.get(source);
  const known = linesOfSource?.get(id)?.deref();
  if (known !== undefined) return known;
  const line = make();
  if (linesOfSource === undefined) {
    linesOfSource = new Map();
    lines.set(source, linesOfSource);
  }
  linesOfSource.set(id, new WeakRef(line));
  return line;
}
