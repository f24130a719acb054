import type { Change, Entry } from '../store/store.ts';
import type { Representation } from './representation.ts';
import type { Line } from './request.ts';
import { eventLine, WatchEvent, type WatchEventType } from './watch-event.ts';

/** From here on a text is worth being shared. */
const MIN_SHARED_CHARS = 8 * 1024;

const lines = new WeakMap<Entry | Change, Map<string, WeakRef<Line>>>();

/** What a watch is told of an object that is there when it begins. Large ones are written out once for all who are being told now. */
export function initialLine(entry: Entry, representation: Representation): Line {
  const make = () => eventLine('ADDED', representation.objectText(entry));
  return entry.text.length < MIN_SHARED_CHARS ? make() : shared(entry, representation.id, make);
}

/** What a watch that resumes is told of a change that it missed, shared in the same way. */
export function missedLine(change: Change, type: WatchEventType, representation: Representation): Line {
  const make = () => new WatchEvent(change).line(type, representation);
  const isLarge = Math.max(change.entry.text.length, change.previous?.text.length ?? 0) >= MIN_SHARED_CHARS;
  return isLarge ? shared(change, `${type} ${representation.id}`, make) : make();
}

function shared(source: Entry | Change, id: string, make: () => Line): Line {
  let ofSource = lines.get(source);
  const known = ofSource?.get(id)?.deref();
  if (known !== undefined) return known;
  const line = make();
  if (ofSource === undefined) {
    ofSource = new Map();
    lines.set(source, ofSource);
  }
  ofSource.set(id, new WeakRef(line));
  return line;
}
