import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';
import { GROUP } from '../group.ts';
import { type Cluster, clusters } from '../kinds/cluster.ts';
import { type NodePool, nodePools } from '../kinds/node-pool.ts';

/**
 * On a NodePool in a dry run: JSON of the Cluster and the NodePools that would be created before it, as the server
 * returned them. All are validated together, although none is stored. Has no effect otherwise.
 */
export const DRY_RUN_ANNOTATION = `${GROUP}/dry-run-with`;

export interface Siblings {
  readonly clusters: readonly Cluster[];
  readonly pools: readonly NodePool[];
}

const NO_SIBLINGS: Siblings = { clusters: [], pools: [] };

const objectOf = (spec: z.ZodType) => z.looseObject({ metadata: z.looseObject({ name: z.string().max(253) }), spec });

const Annotation = z.object({
  clusters: z.array(objectOf(clusters.spec)).max(1),
  pools: z.array(objectOf(nodePools.spec)).max(100),
});

/** The annotation's value. */
export function dryRunAnnotation(siblings: Siblings): string {
  const withoutStatus = ({ metadata, spec }: Cluster | NodePool) => ({
    metadata: { name: metadata.name, namespace: metadata.namespace },
    spec,
  });
  return JSON.stringify({ clusters: siblings.clusters.map(withoutStatus), pools: siblings.pools.map(withoutStatus) });
}

/** The objects created together with `object` in a dry run; empty if the annotation can't be read. */
export function dryRunSiblings({
  dryRun,
  object,
}: {
  readonly dryRun: boolean;
  readonly object: KubeObject | undefined;
}): Siblings {
  const text = dryRun ? object?.metadata.annotations?.[DRY_RUN_ANNOTATION] : undefined;
  if (text === undefined) return NO_SIBLINGS;
  try {
    const { data } = Annotation.safeParse(JSON.parse(text));
    return data === undefined ? NO_SIBLINGS : (data as unknown as Siblings);
  } catch {
    return NO_SIBLINGS;
  }
}
