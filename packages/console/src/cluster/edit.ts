import { Failure } from '../api/failure.ts';
import { request } from '../api/request.ts';
import { pathOf, type Resource, type Stored } from '../api/resources.ts';
import { change } from '../api/write.ts';
import { changedPaths } from './merge-patch.ts';

/** The reason of the Failure if someone else has changed the same fields, which its causes name. */
export const EDITED_MEANWHILE = 'EditedMeanwhile';
/** Controllers write the status of an object while it is edited. */
const ATTEMPTS = 5;

/** An edit of an object that does not overwrite changes made since it began. */
export class Edit<T extends Stored> {
  readonly #resource: Resource<T>;
  /** The object as the user saw it. */
  #seen: T;

  constructor(resource: Resource<T>, begun: T) {
    this.#resource = resource;
    this.#seen = begun;
  }

  /**
   * Writes a merge patch. Rejects with `EDITED_MEANWHILE` where somebody else has changed one of its fields: that has been seen then, and the next time it is
   * overwritten.
   */
  async save(patch: object): Promise<void> {
    const { namespace, name } = this.#seen.metadata;
    const path = pathOf(this.#resource, namespace, name);
    for (let attempt = 1; ; attempt++) {
      const now = await request<T>(path);
      const causes = changedMeanwhile(this.#seen, now, patch);
      if (causes.length > 0) {
        this.#seen = { ...now, metadata: { ...now.metadata, uid: this.#seen.metadata.uid } };
        throw new Failure(409, 'somebody else has changed the same fields', { reason: EDITED_MEANWHILE, causes });
      }
      const { resourceVersion } = now.metadata;
      const { metadata } = patch as { readonly metadata?: object };
      try {
        await change(this.#resource, this.#seen, { ...patch, metadata: { ...metadata, resourceVersion } });
        return;
      } catch (error) {
        const isOlder = error instanceof Failure && error.code === 409 && now.metadata.uid === this.#seen.metadata.uid;
        if (!isOlder || attempt === ATTEMPTS) throw error;
      }
    }
  }
}

/** Fields of the patch that have changed since the user saw them, with their current values. */
export function changedMeanwhile(
  seen: object,
  now: object,
  patch: object,
): readonly { readonly field: string; readonly message: string }[] {
  return changedPaths(patch).flatMap((path) => {
    const [before, after, wanted] = [seen, now, patch].map((object) => textAt(object, path));
    return before === after || after === wanted ? [] : [{ field: path.join('.'), message: after ?? '–' }];
  });
}

function textAt(object: object, path: readonly string[]): string | undefined {
  let at: unknown = object;
  for (const key of path) at = (at as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  // In a merge patch, null removes a field.
  return at === null ? undefined : JSON.stringify(at);
}
