import { isDryRun } from './audit-event.ts';
import type { TrimmedEvent } from './trimmed-event.ts';

/** An event, or the latest of several consecutive dry runs by the same user together with the earlier ones. */
export interface Entry {
  readonly event: TrimmedEvent;
  readonly earlierDryRuns: readonly TrimmedEvent[];
}

/** Forms send a dry run whenever the user pauses; ungrouped, these would fill the list. */
export function groupDryRuns(events: readonly TrimmedEvent[]): readonly Entry[] {
  const entries: { readonly event: TrimmedEvent; readonly earlierDryRuns: TrimmedEvent[] }[] = [];
  for (const event of events) {
    const latest = entries.at(-1);
    if (latest !== undefined && isDryRun(event) && isDryRun(latest.event) && isSameUser(event, latest.event)) {
      latest.earlierDryRuns.push(event);
    } else entries.push({ event, earlierDryRuns: [] });
  }
  return entries;
}

function isSameUser(one: TrimmedEvent, other: TrimmedEvent): boolean {
  return (
    one.user?.username === other.user?.username && one.impersonatedUser?.username === other.impersonatedUser?.username
  );
}
