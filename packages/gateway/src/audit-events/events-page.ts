import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import type { EventsQuery, Position } from './events-query.ts';

export interface EventsPage {
  /** Newest first. */
  readonly events: readonly AuditEvent[];
  /** Undefined on the last page. */
  readonly next: Position | undefined;
}

const TIME_CHARS = '2026-01-31T10:20:30.456000Z'.length;
/** Size limit of a page; the next page begins where it is full. */
const MAX_PAGE_CHARS = 1024 * 1024;

/**
 * A page of the entries of a namespace's archive, starting at `createdMs`: older entries belong to an earlier namespace
 * with the same name.
 */
export function eventsPage(entries: readonly string[], query: EventsQuery, createdMs: number): EventsPage {
  const { limit, position, matches } = query;
  const since = new Date(Math.max(query.sinceMs, createdMs)).toISOString();
  // Each entry begins with its time.
  const sorted = [...new Set(entries)].filter((entry) => entry.slice(0, since.length - 1) >= since.slice(0, -1)).sort();
  const events: AuditEvent[] = [];
  let chars = 0;
  let at: Position | undefined;
  for (const entry of sorted.reverse()) {
    const time = entry.slice(0, TIME_CHARS);
    if (position !== undefined && time > position.time) continue;
    const seen = at?.time === time ? at.seen + 1 : 1;
    const isSeen = position?.time === time && seen <= position.seen;
    const event = isSeen ? undefined : eventOf(entry);
    if (event !== undefined && matches(event)) {
      if (events.length === limit || (events.length > 0 && chars + entry.length > MAX_PAGE_CHARS)) {
        return { events, next: at };
      }
      events.push(event);
      chars += entry.length;
    }
    at = { time, seen };
  }
  return { events, next: undefined };
}

/** Undefined for an incomplete line. */
function eventOf(entry: string): AuditEvent | undefined {
  try {
    return JSON.parse(entry.slice(TIME_CHARS + 1)) as AuditEvent;
  } catch {
    return undefined;
  }
}
