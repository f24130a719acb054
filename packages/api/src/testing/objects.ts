import type { ObjectMeta } from '@fairway/kube/object/meta';
import { SHIPPED_PLANS } from '../data/plans.ts';
import { type Cluster, clusters, type NewCluster } from '../kinds/cluster.ts';
import { type NewNodePool, type NodePool, nodePools } from '../kinds/node-pool.ts';
import { type Plan, type PlanSpec, plans } from '../kinds/plan.ts';
import { parseObject } from '../validation/schema-errors.ts';
import { withoutBlindField } from './blind.ts';

/** A Cluster for tests, with the defaults that an API server would set. */
export function aCluster(spec: NewCluster['spec'] = {}, metadata: ObjectMeta = {}): Cluster {
  const parsed = parseObject(clusters, { metadata: { name: 'demo', namespace: 'team', ...metadata }, spec });
  if (!parsed.ok) throw new Error(`not a cluster: ${JSON.stringify(parsed.errors)}`);
  return withoutBlindField(clusters.kind, parsed.object);
}

/** A NodePool in cluster `demo` for tests, with the defaults that an API server would set. */
export function aNodePool(spec: Partial<NewNodePool['spec']> = {}, metadata: ObjectMeta = {}): NodePool {
  const parsed = parseObject(nodePools, {
    metadata: { name: 'general', namespace: 'team', ...metadata },
    spec: { clusterName: 'demo', flavor: 'b3-8', ...spec },
  });
  if (!parsed.ok) throw new Error(`not a node pool: ${JSON.stringify(parsed.errors)}`);
  return withoutBlindField(nodePools.kind, parsed.object);
}

/** The plans that Fairway ships, for tests. */
export function shippedPlans(): readonly Plan[] {
  return SHIPPED_PLANS.map((plan) => withoutBlindField(plans.kind, plan));
}

/** The `free` plan for tests, with the given overrides. */
export function aPlan(spec: Partial<PlanSpec> = {}, metadata: ObjectMeta = {}): Plan {
  const [free] = SHIPPED_PLANS;
  if (free === undefined) throw new Error('Fairway ships no plan');
  const plan = { ...free, metadata: { ...free.metadata, ...metadata }, spec: { ...free.spec, ...spec } };
  return withoutBlindField(plans.kind, plan);
}
