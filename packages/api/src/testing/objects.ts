import type { ObjectMeta } from '@fairway/kube/object/meta';
import { type Cluster, clusters, type NewCluster } from '../kinds/cluster.ts';
import { type NewNodePool, type NodePool, nodePools } from '../kinds/node-pool.ts';
import { parseObject } from '../validation/schema-errors.ts';

/** A Cluster for tests, with the defaults that an API server would set. */
export function aCluster(spec: NewCluster['spec'] = {}, metadata: ObjectMeta = {}): Cluster {
  const parsed = parseObject(clusters, { metadata: { name: 'demo', namespace: 'team', ...metadata }, spec });
  if (!parsed.ok) throw new Error(`not a cluster: ${JSON.stringify(parsed.errors)}`);
  return parsed.object;
}

/** A NodePool of cluster `demo` for tests, with the defaults that an API server would set. */
export function aNodePool(spec: Partial<NewNodePool['spec']> = {}, metadata: ObjectMeta = {}): NodePool {
  const parsed = parseObject(nodePools, {
    metadata: { name: 'general', namespace: 'team', ...metadata },
    spec: { clusterName: 'demo', flavor: 'b3-8', ...spec },
  });
  if (!parsed.ok) throw new Error(`not a node pool: ${JSON.stringify(parsed.errors)}`);
  return parsed.object;
}
