import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { pathOf, type Resource, type StoredObject } from '../api/resources.ts';
import { change } from '../api/write.ts';
import { changedPaths } from './merge-patch.ts';

/** The reason of the Failure if someone else has changed the same fields, which its causes list. */
export const CONCURRENT_EDIT = 'EditedMeanwhile';
/** Controllers write the status of an object while it is edited. */
const ATTEMPTS = 5;

/** An edit of an object that does not overwrite changes made since it began. */
export class Edit<T extends StoredObject> {
  readonly #resource: Resource<T>;
  /** The object as the user saw it. */
  #observed: T;

  constructor(resource: Resource<T>, initial: T) {
    this.#resource = resource;
    this.#observed = initial;
  }

  /**
   * Writes a merge patch. Rejects with `CONCURRENT_EDIT` if someone else has changed one of the patched fields. The
   * user then sees that change, and the next call overwrites it.
   */
  async save(patch: object): Promise<void> {
    const { namespace, name } = this.#observed.metadata;
    const path = pathOf(this.#resource, namespace, name);
    for (let attempt = 1; ; attempt++) {
      const now = await request<T>(path);
      const causes = concurrentChanges(this.#observed, now, patch);
      if (causes.length > 0) {
        this.#observed = { ...now, metadata: { ...now.metadata, uid: this.#observed.metadata.uid } };
        throw new Failure(409, 'somebody else has changed the same fields', { reason: CONCURRENT_EDIT, causes });
      }
      const { resourceVersion } = now.metadata;
      const { metadata } = patch as { readonly metadata?: object };
      try {
        await change(this.#resource, this.#observed, { ...patch, metadata: { ...metadata, resourceVersion } });
        return;
      } catch (error) {
        const isOlder =
          error instanceof Failure && error.code === 409 && now.metadata.uid === this.#observed.metadata.uid;
        if (!isOlder || attempt === ATTEMPTS) throw error;
      }
    }
  }
}

/** Fields of the patch that have changed since the user saw them, with their current values. */
export function concurrentChanges(
  observed: object,
  now: object,
  patch: object,
): readonly { readonly field: string; readonly message: string }[] {
  return changedPaths(patch).flatMap((path) => {
    const [before, after, patched] = [observed, now, patch].map((object) => textAt(object, path));
    return before === after || after === patched ? [] : [{ field: path.join('.'), message: after ?? '–' }];
  });
}

function textAt(object: object, path: readonly string[]): string | undefined {
  let at: unknown = object;
  for (const key of path) at = (at as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  // In a merge patch, null removes a field.
  return at === null ? undefined : JSON.stringify(at);
}
