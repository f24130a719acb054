import { isDeepStrictEqual } from 'node:util';

/**
 * For a watch's `isRelevant`: whether the part of an object that `view` selects has changed. Most writes are irrelevant
 * to a controller.
 */
export function hasChangedIn<T>(view: (object: T) => unknown): (old: T, object: T) => boolean {
  return (old, object) => !isDeepStrictEqual(view(old), view(object));
}
