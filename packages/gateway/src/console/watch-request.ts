import { badRequest } from '@fairway/kube/object/api-error';
import { z } from 'zod';

/** The maximum number of watches per page. */
const MAX_WATCHES = 16;

const WatchesRequest = z.strictObject({
  watches: z
    .array(
      z.strictObject({
        id: z.int().nonnegative(),
        /** Path of the collection, with the query of its watch. */
        path: z.string().max(2_048),
      }),
    )
    .min(1)
    .max(MAX_WATCHES),
});
export type WatchSelection = z.infer<typeof WatchesRequest>['watches'][number];

/** The watches that a tab requests. Throws 400 for anything but watches of the API. */
export function parseWatches(body: string): readonly WatchSelection[] {
  const parsed = WatchesRequest.safeParse(jsonOf(body));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badRequest(`${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is invalid'}`);
  }
  const { watches } = parsed.data;
  const other = watches.find(({ path }) => !isWatch(path));
  if (other !== undefined) throw badRequest(`${other.path} is not a watch of the API`);
  if (new Set(watches.map(({ id }) => id)).size < watches.length) throw badRequest('watches: an ID is duplicated');
  return watches;
}

function isWatch(path: string): boolean {
  // A selector's value may contain an encoded slash; the path may not.
  const [collection = ''] = path.split('?');
  if (/[\s#\\]/.test(path) || !/^\/apis?\/[a-z0-9.]/.test(collection)) return false;
  if (/%2f|\/\.{0,2}(?:\/|$)/i.test(collection)) return false;
  const { pathname, searchParams } = new URL(path, 'https://console');
  return path.startsWith(pathname) && searchParams.getAll('watch').join() === 'true';
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw badRequest('the body is not JSON');
  }
}
