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
  /** A description for readers of the limits page. */
  readonly description: string;
  /** How a Cluster uses it. */
  readonly cluster?: FeatureUse<ClusterSpec>;
  /** How a NodePool uses it. */
  readonly pool?: FeatureUse<NodePoolSpec>;
}

interface FeatureUse<T> {
  /** Path of the field, relative to the spec. */
  readonly field: string;
  /** The value of the field; undefined if the spec does not use the feature. */
  readonly use: (spec: T) => unknown;
  /** Whether each new value is another use, as for requests. Otherwise, a stored use can be changed. */
  readonly isRequest?: boolean;
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
    cluster: { field: 'reset', use: ({ reset }) => reset, isRequest: true },
  },
  { name: 'Shares', description: 'shares of Manila' },
  { name: 'VolumeSnapshots', description: 'volume snapshots' },
];

/** Whether the plan allows the feature. Pure. */
export function isFeatureAllowed({ allowed }: Pick<PlanSpec, 'allowed'>, name: FeatureName): boolean {
  return allowed?.features?.includes(name) ?? true;
}

/** Features that a Cluster starts to use although its plan excludes them. Pure. */
export function clusterFeatureErrors(spec: ClusterSpec, old: ClusterSpec | undefined, plan: Plan): LimitError[] {
  return errors(plan, ({ cluster }) => cluster && usage(cluster, spec, old));
}

/** Features that a NodePool starts to use although its plan excludes them. Pure. */
export function poolFeatureErrors(spec: NodePoolSpec, old: NodePoolSpec | undefined, plan: Plan): LimitError[] {
  return errors(plan, ({ pool }) => pool && usage(pool, spec, old));
}

function usage<T>({ field, use, isRequest = false }: FeatureUse<T>, spec: T, old: T | undefined): string | undefined {
  const used = use(spec);
  const before = old && use(old);
  const isNew = isRequest ? !isDeepStrictEqual(used, before) : before === undefined;
  return used !== undefined && isNew ? field : undefined;
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
