import type { NodePoolStatus } from '@fairway/api/kinds/node-pool';
import type { PoolImage } from '@fairway/api/kinds/node-pool-upgrade';

export interface ResolvedImage {
  /** The value of spec.image of the pool or its cluster; undefined for the operator's default. */
  readonly asked: string | undefined;
  /** The image that it currently resolves to. */
  readonly id: string;
}

const MAX_EARLIER_IDS = 20;

/**
 * `status.image` of a pool: which images its name has resolved to. This distinguishes a newer image with the same name,
 * or a newer default, from one that a user requests, because a newer image must not update nodes unexpectedly. A pool
 * from an earlier release has not recorded the name; the images of its machines then count as resolved from the same
 * name. Pure.
 */
export function imageHistory(
  previous: Pick<NodePoolStatus, 'image' | 'imageID'> | undefined,
  { asked, id }: ResolvedImage,
  used: readonly string[],
): PoolImage {
  const named = asked === undefined ? {} : { asked };
  const last = previous?.image;
  const before = previous?.imageID === undefined ? [] : [previous.imageID];
  if (last === undefined) return { ...named, earlierIDs: earlierImageIDs([...before, ...used], id) };
  if (last.asked !== asked) return { ...named, earlierIDs: [] };
  return { ...named, earlierIDs: earlierImageIDs([...before, ...last.earlierIDs], id) };
}

function earlierImageIDs(ids: readonly string[], id: string): string[] {
  return [...new Set(ids)].filter((each) => each !== id).slice(0, MAX_EARLIER_IDS);
}
