import type { NewCluster } from '@fairway/api/kinds/cluster';
import type { NewNodePool } from '@fairway/api/kinds/node-pool';

export type ClusterSpec = NewCluster['spec'];
export type PoolSpec = Omit<NewNodePool['spec'], 'clusterName'>;

/** A node pool in a form. */
export interface PoolDraft {
  /** Identifies a draft while it is edited. */
  readonly key: string;
  /** Undefined: named after its cluster. */
  readonly name: string | undefined;
  readonly spec: PoolSpec;
}

/** A cluster in a form, with its first pools. */
export interface ClusterDraft {
  readonly name: string;
  readonly spec: ClusterSpec;
  readonly pools: readonly PoolDraft[];
}

export interface DraftObject<Spec> {
  readonly apiVersion: 'fairway.dev/v1alpha1';
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Spec;
}

const API_VERSION = 'fairway.dev/v1alpha1';

export const DEFAULT_NODES = 3;

/** The default name of a pool: names of pools are unique in a namespace. */
export function poolName(draft: Pick<ClusterDraft, 'name'>, index: number, name?: string): string {
  return name ?? (index === 0 ? `${draft.name}-general` : `${draft.name}-pool-${index + 1}`);
}

/** The Cluster of a draft, without fields that have defaults. */
export function clusterOf({ name, spec }: ClusterDraft, namespace: string): DraftObject<ClusterSpec> {
  return { apiVersion: API_VERSION, kind: 'Cluster', metadata: { name, namespace }, spec: omitEmpty(spec) };
}

/** Undefined: the pool is named after its cluster. */
export function poolsOf(draft: ClusterDraft, namespace: string): readonly DraftObject<NewNodePool['spec']>[] {
  return draft.pools.map(({ name, spec }, index) => poolOf(draft.name, poolName(draft, index, name), spec, namespace));
}

/** The NodePool of a draft. */
export function poolOf(
  clusterName: string,
  name: string,
  spec: PoolSpec,
  namespace: string,
): DraftObject<NewNodePool['spec']> {
  return {
    apiVersion: API_VERSION,
    kind: 'NodePool',
    metadata: { name, namespace },
    spec: { clusterName, ...omitEmpty(spec) },
  };
}

/** Removes undefined values and empty strings, lists and objects, which the form uses for unset fields. */
export function omitEmpty<T extends object>(value: T): T {
  const nonEmptyEntries = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    const pruned = isPlainObject(each) ? omitEmpty(each) : each;
    return isEmpty(pruned) ? [] : [[key, pruned]];
  });
  return Object.fromEntries(nonEmptyEntries) as T;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
