import { isDeepStrictEqual } from 'node:util';
import type { ClusterSpec } from '../kinds/cluster.ts';
import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import type { FeatureName } from '../kinds/plan-limits.ts';
import { type LimitError, limitError } from './notes.ts';

/**
 * A feature that a Plan can exclude. Features without `cluster` and `pool` are used by objects within clusters; see
 * `in-cluster.ts`.
 */
export interface Feature {
  readonly name: FeatureName;
  /** For readers of the limits page. */
  readonly description: string;
  /** Its use by a Cluster: the value of `field`, relative to its spec; undefined if the feature is not used. */
  readonly cluster?: { readonly field: string; readonly use: (spec: ClusterSpec) => unknown };
  /** As `cluster`, for a NodePool. */
  readonly pool?: { readonly field: string; readonly use: (spec: NodePoolSpec) => unknown };
}

/** Sorted by name. */
export const FEATURES: readonly Feature[] = [
  {
    name: 'Autoscaling',
    description: 'autoscaling of node pools',
    pool: { field: 'autoscaling.enabled', use: ({ autoscaling }) => autoscaling.enabled || undefined },
  },
  {
    name: 'ClusterAudit',
    description: "audit events of the clusters' API servers",
    cluster: { field: 'apiServer.audit', use: ({ apiServer }) => apiServer.audit },
  },
  {
    name: 'ExternalAutoscaler',
    description: 'autoscaling by a cluster-autoscaler of the tenant',
    cluster: {
      field: 'autoscaler.mode',
      use: ({ autoscaler }) => (autoscaler.mode === 'External' ? autoscaler.mode : undefined),
    },
  },
  {
    name: 'FloatingIPs',
    description: 'floating IPs of nodes',
    pool: { field: 'floatingIPs.enabled', use: ({ floatingIPs }) => floatingIPs.enabled || undefined },
  },
  { name: 'Gateways', description: "Gateways on the cloud's load balancers" },
  {
    name: 'Hibernation',
    description: 'hibernation of clusters',
    cluster: {
      field: 'hibernation',
      use: ({ hibernation }) =>
        hibernation?.enabled || (hibernation?.schedules ?? []).length > 0 ? hibernation : undefined,
    },
  },
  { name: 'Ingresses', description: "Ingresses on the cloud's load balancers" },
  {
    name: 'KeystoneUsers',
    description: "access of OpenStack users to the clusters' API servers",
    cluster: { field: 'apiServer.keystone', use: ({ apiServer }) => apiServer.keystone },
  },
  {
    name: 'OIDC',
    description: "sign-in to the clusters' API servers with OpenID Connect",
    cluster: { field: 'apiServer.oidc', use: ({ apiServer }) => apiServer.oidc },
  },
  {
    name: 'Reset',
    description: 'resetting clusters',
    cluster: { field: 'reset', use: ({ reset }) => reset },
  },
  { name: 'Shares', description: 'shares of Manila' },
  { name: 'VolumeSnapshots', description: 'volume snapshots' },
];

/** Whether the plan allows the feature. Pure. */
export function isFeatureAllowed({ allowed }: Pick<PlanSpec, 'allowed'>, name: FeatureName): boolean {
  return allowed?.features?.includes(name) ?? true;
}

/** Features that a Cluster newly uses and its plan excludes. Pure. */
export function clusterFeatureErrors(spec: ClusterSpec, old: ClusterSpec | undefined, plan: Plan): LimitError[] {
  return errors(plan, ({ cluster }) => cluster && usage(cluster, spec, old));
}

/** Features that a NodePool newly uses and its plan excludes. Pure. */
export function poolFeatureErrors(spec: NodePoolSpec, old: NodePoolSpec | undefined, plan: Plan): LimitError[] {
  return errors(plan, ({ pool }) => pool && usage(pool, spec, old));
}

function usage<T>(
  { field, use }: { readonly field: string; readonly use: (spec: T) => unknown },
  spec: T,
  old: T | undefined,
): string | undefined {
  const used = use(spec);
  const isStored = old !== undefined && isDeepStrictEqual(used, use(old));
  return used === undefined || isStored ? undefined : field;
}

function errors(plan: Plan, newlyUsedField: (feature: Feature) => string | undefined): LimitError[] {
  return FEATURES.flatMap((feature): LimitError[] => {
    const field = isFeatureAllowed(plan.spec, feature.name) ? undefined : newlyUsedField(feature);
    if (field === undefined) return [];
    const detail = `plan "${plan.metadata.name}" does not include ${feature.description}: remove it, or choose another plan`;
    return [
      limitError('allowed.features', { type: 'FieldValueForbidden', field: `spec.${field}`, detail }, feature.name),
    ];
  });
}
