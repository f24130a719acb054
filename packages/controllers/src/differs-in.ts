import { isDeepStrictEqual } from 'node:util';

/** For a watch's `isRelevant`: whether an object has changed in what `view` shows of it. Most of what is written is of no concern to a controller. */
export function differsIn<T>(view: (object: T) => unknown): (old: T, object: T) => boolean {
  return (old, object) => !isDeepStrictEqual(view(old), view(object));
}
