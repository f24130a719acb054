import type { Event } from '@fairway/kube/kinds/generated/types';

/** Consecutive events with the same reason and message, for objects of the same kind. */
export interface EventGroup {
  readonly key: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  /** The objects, each once; latest first. */
  readonly names: readonly string[];
  readonly count: number;
  /** When the event last occurred. */
  readonly time: string;
}

/** The longest time between two events in a group. */
const MAX_GAP_MS = 5 * 60_000;

/** Groups events, latest first: machines that were created or deleted together form one group. */
export function groupEvents(events: readonly Event[]): readonly EventGroup[] {
  const sorted = events.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const groups: EventGroup[] = [];
  for (const event of sorted) {
    const { type, reason = '', message = '', involvedObject, count = 1 } = event;
    const { kind = '', name = '' } = involvedObject;
    const time = timeOf(event);
    const pattern = message.replaceAll(name, '…');
    const index = groups.findIndex(
      (group) =>
        group.reason === reason &&
        group.kind === kind &&
        group.message.replaceAll(group.names[0] ?? '', '…') === pattern &&
        Date.parse(group.time) - Date.parse(time) < MAX_GAP_MS,
    );
    const previous = groups[index];
    if (previous === undefined) {
      const key = `${event.metadata.namespace}/${event.metadata.name}`;
      groups.push({ key, isWarning: type === 'Warning', reason, message, kind, names: [name], count, time });
    } else {
      const names = previous.names.includes(name) ? previous.names : [...previous.names, name];
      groups[index] = { ...previous, names, count: previous.count + count };
    }
  }
  return groups;
}

function timeOf({ lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string {
  return lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '';
}
