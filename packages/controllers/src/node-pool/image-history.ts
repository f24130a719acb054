import type { NodePoolStatus } from '@fairway/api/kinds/node-pool';
import type { PoolImage } from '@fairway/api/kinds/node-pool-upgrade';

export interface ResolvedImage {
  /** What spec.image of the pool or of its cluster names; undefined: the operator's default. */
  readonly asked: string | undefined;
  /** What that stands for now. */
  readonly id: string;
}

const MAX_EARLIER = 20;

/**
 * `status.image` of a pool: which images its name stood for before. So a newer image of the same name, or a newer default, can be told from one that a person asks
 * for: it renews no node by surprise. A pool of an earlier release has not noted the name; what its machines have counts as of the same. Pure.
 */
export function imageHistory(
  previous: Pick<NodePoolStatus, 'image' | 'imageID'> | undefined,
  { asked, id }: ResolvedImage,
  used: readonly string[],
): PoolImage {
  const named = asked === undefined ? {} : { asked };
  const last = previous?.image;
  const before = previous?.imageID === undefined ? [] : [previous.imageID];
  if (last === undefined) return { ...named, earlierIDs: earlier([...before, ...used], id) };
  if (last.asked !== asked) return { ...named, earlierIDs: [] };
  return { ...named, earlierIDs: earlier([...before, ...last.earlierIDs], id) };
}

function earlier(ids: readonly string[], id: string): string[] {
  return [...new Set(ids)].filter((each) => each !== id).slice(0, MAX_EARLIER);
}
