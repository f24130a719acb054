import type { Entry } from '../store/store.ts';
import { ListText } from './list-text.ts';
import type { ServedResource } from './served-resource.ts';

/** The requested representation: whole objects, a Table, or metadata only. */
export interface Representation {
  /** Equal for representations with the same output. */
  readonly id: string;
  /** Output of a single object, also for watch events. */
  objectText(entry: Entry): string;
  /** `metadata` is the list's metadata, as JSON text. */
  listText(entries: readonly Entry[], metadata: string): ListText;
  /** An object with only a resourceVersion, for bookmarks. */
  bookmarkText(revision: number, annotations?: Readonly<Record<string, string>>): string;
  readonly contentType: string;
}

/** The objects themselves, from the stored text. */
export function wholeObjects(resource: ServedResource): Representation {
  return {
    id: resource.id,
    contentType: 'application/json',
    objectText: (entry) => resource.textOf(entry),
    bookmarkText(revision, annotations) {
      const metadata = {
        resourceVersion: String(revision),
        creationTimestamp: null,
        ...(annotations && { annotations }),
      };
      return JSON.stringify({ kind: resource.kind, apiVersion: resource.apiVersion, metadata });
    },
    listText(entries, metadata) {
      const items = entries.map((entry) => resource.textOf(entry));
      const { listKind, apiVersion } = resource;
      return new ListText(
        `{"kind":"${listKind}","apiVersion":"${apiVersion}","metadata":${metadata},"items":[`,
        items,
        ']}',
      );
    },
  };
}
