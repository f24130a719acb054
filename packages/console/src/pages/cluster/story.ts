import type { Event } from '@fairway/kube/kinds/generated/types';

/** Events that say the same one after another of the same kind of object, as one. */
export interface Chapter {
  readonly key: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  /** Whom it happened to, each once; the latest first. */
  readonly names: readonly string[];
  readonly count: number;
  /** When it happened last. */
  readonly time: string;
}

/** How far apart events of one chapter are at most. */
const CLOSE_MS = 5 * 60_000;

/** What happened, the latest first: machines that came or went together are one chapter. */
export function storyOf(events: readonly Event[]): readonly Chapter[] {
  const sorted = events.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
  const chapters: Chapter[] = [];
  for (const event of sorted) {
    const { type, reason = '', message = '', involvedObject, count = 1 } = event;
    const { kind = '', name = '' } = involvedObject;
    const time = timeOf(event);
    const general = message.replaceAll(name, '…');
    const index = chapters.findIndex(
      (chapter) =>
        chapter.reason === reason &&
        chapter.kind === kind &&
        chapter.message.replaceAll(chapter.names[0] ?? '', '…') === general &&
        Date.parse(chapter.time) - Date.parse(time) < CLOSE_MS,
    );
    const before = chapters[index];
    if (before === undefined) {
      const key = `${event.metadata.namespace}/${event.metadata.name}`;
      chapters.push({ key, isWarning: type === 'Warning', reason, message, kind, names: [name], count, time });
    } else {
      const names = before.names.includes(name) ? before.names : [...before.names, name];
      chapters[index] = { ...before, names, count: before.count + count };
    }
  }
  return chapters;
}

function timeOf({ lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string {
  return lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '';
}
