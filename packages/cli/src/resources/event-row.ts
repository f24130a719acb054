import { humanAge } from '@fairway/apiserver/kinds/printing/age';
import type { Event } from '@fairway/kube/kinds/generated/types';

/** Time of the last occurrence; events of events.k8s.io have it, and the count, in their series. */
export function lastSeen({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '';
}

/** Sorts the latest last. */
export function compareLastSeen(a: Event, b: Event): number {
  const [one, other] = [sortableTime(a), sortableTime(b)];
  return one < other ? -1 : Number(one > other);
}

/** Makes times with and without fractions of a second comparable. */
function sortableTime(event: Event): string {
  const [seconds = '', fraction = ''] = lastSeen(event).replace(/Z$/, '').split('.');
  return `${seconds}.${fraction.padEnd(9, '0')}`;
}

/** The row of an event: age, type, reason, object and message. */
export function eventRow(event: Event, nowMs: number): string[] {
  const { type = '', reason = '', message = '', involvedObject, series } = event;
  const count = series?.count ?? event.count ?? 1;
  const object = `${involvedObject.kind?.toLowerCase() ?? ''}/${involvedObject.name ?? ''}`;
  const times = count > 1 ? ` (${count} times)` : '';
  return [humanAge(lastSeen(event), nowMs), type, reason, object, `${message.replaceAll('\n', ' ')}${times}`];
}
