import { isDeepStrictEqual } from 'node:util';
import { matches } from '../domain/plan-allowance.ts';
import type { ClusterSpec } from '../kinds/cluster.ts';
import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import type { LimitName } from '../kinds/plan-limits.ts';
import { type LimitError, limitError } from './notes.ts';

/** A plan's limit on a NodePool field. */
interface PoolLimit {
  readonly limit: LimitName;
  /** The NodePool field, relative to its spec. */
  readonly field: keyof NodePoolSpec;
  /** What the plan does not allow, one by one, because its notes can make exceptions. */
  readonly exclusions: (pool: NodePoolSpec, plan: PlanSpec) => readonly Exclusion[];
}

interface Exclusion {
  readonly problem: string;
  /** The excluded value, for the plan's notes. */
  readonly value?: string;
  /** How much there is of it, for limits on an amount. */
  readonly amount?: number;
  /** The excluded setting. */
  readonly setting?: unknown;
}

const LIMITS: readonly PoolLimit[] = [
  {
    limit: 'allowed.antiAffinityPolicies',
    field: 'antiAffinity',
    exclusions({ antiAffinity, antiAffinityPolicy = 'Hard' }, { allowed }) {
      const policies = allowed?.antiAffinityPolicies;
      if (!antiAffinity || policies === undefined || policies.includes(antiAffinityPolicy)) return [];
      const problem =
        policies.length === 0
          ? 'does not allow antiAffinity: remove it'
          : `only allows antiAffinity with antiAffinityPolicy ${policies.join(' or ')}: choose it, or remove antiAffinity`;
      return [{ problem, value: antiAffinityPolicy }];
    },
  },
  {
    limit: 'allowed.kubeletSettings',
    field: 'kubelet',
    exclusions({ kubelet = {} }, { allowed }) {
      const names = allowed?.kubeletSettings;
      if (names === undefined) return [];
      const alternatives = names.length === 0 ? 'no kubelet settings' : `the kubelet settings ${names.join(', ')}`;
      return Object.entries(kubelet)
        .filter(([name]) => !names.some((each) => each === name))
        .map(([name, setting]) => ({ problem: `allows ${alternatives}: remove ${name}`, value: name, setting }));
    },
  },
  {
    limit: 'maxPodsPerNode',
    field: 'kubelet',
    exclusions({ kubelet: { maxPods = 0 } = {} }, { maxPodsPerNode }) {
      if (maxPods <= maxPodsPerNode) return [];
      return [{ problem: `allows maxPods of at most ${maxPodsPerNode}: lower it`, amount: maxPods }];
    },
  },
  {
    limit: 'allowed.unsafeSysctls',
    field: 'kubelet',
    exclusions({ kubelet: { allowedUnsafeSysctls = [] } = {} }, { allowed }) {
      const { unsafeSysctls = [] } = allowed ?? {};
      const offered = unsafeSysctls.length === 0 ? 'none' : unsafeSysctls.slice(0, 8).join(', ');
      return allowedUnsafeSysctls
        .filter((sysctl) => !unsafeSysctls.some((pattern) => matches(pattern, sysctl)))
        .map((value) => ({ problem: `allows the allowedUnsafeSysctls ${offered}: remove ${value}`, value }));
    },
  },
  {
    limit: 'nodePools.maxServerTags',
    field: 'serverTags',
    exclusions: ({ serverTags = [] }, { nodePools }) => tooMany(serverTags.length, nodePools?.maxServerTags),
  },
  {
    limit: 'nodePools.maxServerMetadata',
    field: 'serverMetadata',
    exclusions: ({ serverMetadata = {} }, { nodePools }) =>
      tooMany(Object.keys(serverMetadata).length, nodePools?.maxServerMetadata),
  },
  {
    limit: 'nodePools.maxSecurityGroups',
    field: 'securityGroups',
    exclusions: ({ securityGroups = [] }, { nodePools }) =>
      tooMany(securityGroups.length, nodePools?.maxSecurityGroups),
  },
  {
    limit: 'nodePools.maxNetworks',
    field: 'networks',
    exclusions: ({ networks = [] }, { nodePools }) => tooMany(networks.length, nodePools?.maxNetworks),
  },
];

/** Like `poolFieldErrors`, for a Cluster. Pure. */
export function clusterFieldErrors(
  spec: ClusterSpec,
  old: ClusterSpec | undefined,
  { metadata, spec: { allowed } }: Plan,
): LimitError[] {
  return (['registryMirrors', 'proxy'] as const).flatMap((field): LimitError[] => {
    if (spec[field] === undefined || allowed?.[field] !== false || isDeepStrictEqual(spec[field], old?.[field]))
      return [];
    const detail = `plan "${metadata.name}" does not allow it: remove it`;
    return [limitError(`allowed.${field}`, { type: 'FieldValueForbidden', field: `spec.${field}`, detail })];
  });
}

/** What a pool has and its plan does not allow. What is stored is not rejected again, nor is less of it. Pure. */
export function poolFieldErrors(spec: NodePoolSpec, old: NodePoolSpec | undefined, plan: Plan): LimitError[] {
  return LIMITS.flatMap(({ limit, field, exclusions }): LimitError[] => {
    const stored = old === undefined ? [] : exclusions(old, plan.spec);
    const added = exclusions(spec, plan.spec).filter((each) => !stored.some((before) => isNoMore(each, before)));
    return added.map(({ problem, value }) => {
      const detail = `plan "${plan.metadata.name}" ${problem}`;
      return limitError(limit, { type: 'FieldValueForbidden', field: `spec.${field}`, detail }, value);
    });
  });
}

function isNoMore({ value, amount = 0, setting }: Exclusion, before: Exclusion): boolean {
  return value === before.value && amount <= (before.amount ?? 0) && isDeepStrictEqual(setting, before.setting);
}

function tooMany(count: number, maximum: number | undefined): readonly Exclusion[] {
  if (maximum === undefined || count <= maximum) return [];
  const problem =
    maximum === 0 ? 'allows none: remove them' : `allows at most ${maximum}, but there are ${count}: remove some`;
  return [{ problem, amount: count }];
}
