import { isDryRun } from './audit-event.ts';
import type { KeptEvent } from './kept-event.ts';

/** What is told at once: an event; of dry runs one after another by the same user the latest, with those before it. */
export interface Entry {
  readonly event: KeptEvent;
  readonly earlier: readonly KeptEvent[];
}

/** Forms ask with each pause of who fills them in: without this they would tell nothing else. */
export function entriesOf(events: readonly KeptEvent[]): readonly Entry[] {
  const entries: { readonly event: KeptEvent; readonly earlier: KeptEvent[] }[] = [];
  for (const event of events) {
    const latest = entries.at(-1);
    if (latest !== undefined && isDryRun(event) && isDryRun(latest.event) && isBySame(event, latest.event)) {
      latest.earlier.push(event);
    } else entries.push({ event, earlier: [] });
  }
  return entries;
}

function isBySame(one: KeptEvent, other: KeptEvent): boolean {
  return (
    one.user?.username === other.user?.username && one.impersonatedUser?.username === other.impersonatedUser?.username
  );
}
