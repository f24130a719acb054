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
  /** Why the plan does not allow the value, and what it excludes; undefined if it allows it. */
  readonly exclusion: (pool: NodePoolSpec, plan: PlanSpec) => Exclusion | undefined;
}

interface Exclusion {
  readonly problem: string;
  /** The excluded value, for the plan's notes. */
  readonly value?: string;
}

const LIMITS: readonly PoolLimit[] = [
  {
    limit: 'allowed.antiAffinityPolicies',
    field: 'antiAffinity',
    exclusion({ antiAffinity, antiAffinityPolicy = 'Hard' }, { allowed }) {
      const policies = allowed?.antiAffinityPolicies;
      if (!antiAffinity || policies === undefined || policies.includes(antiAffinityPolicy)) return undefined;
      const problem =
        policies.length === 0
          ? 'does not allow antiAffinity: remove it'
          : `only allows antiAffinity with antiAffinityPolicy ${policies.join(' or ')}: choose it, or remove antiAffinity`;
      return { problem, value: antiAffinityPolicy };
    },
  },
  {
    limit: 'allowed.kubeletSettings',
    field: 'kubelet',
    exclusion({ kubelet = {} }, { allowed }) {
      const names = allowed?.kubeletSettings;
      const more = names && Object.keys(kubelet).filter((name) => !names.some((each) => each === name));
      const [value] = more ?? [];
      if (names === undefined || more === undefined || value === undefined) return undefined;
      const alternatives = names.length === 0 ? 'no kubelet settings' : `the kubelet settings ${names.join(', ')}`;
      return { problem: `allows ${alternatives}: remove ${more.join(', ')}`, value };
    },
  },
  {
    limit: 'maxPodsPerNode',
    field: 'kubelet',
    exclusion({ kubelet: { maxPods = 0 } = {} }, { maxPodsPerNode }) {
      if (maxPods <= maxPodsPerNode) return undefined;
      return { problem: `allows maxPods of at most ${maxPodsPerNode}: lower it` };
    },
  },
  {
    limit: 'allowed.unsafeSysctls',
    field: 'kubelet',
    exclusion({ kubelet: { allowedUnsafeSysctls = [] } = {} }, { allowed }) {
      const { unsafeSysctls = [] } = allowed ?? {};
      const unsafe = allowedUnsafeSysctls.find((sysctl) => !unsafeSysctls.some((pattern) => matches(pattern, sysctl)));
      if (unsafe === undefined) return undefined;
      const offered = unsafeSysctls.length === 0 ? 'none' : unsafeSysctls.slice(0, 8).join(', ');
      return { problem: `allows the allowedUnsafeSysctls ${offered}: remove ${unsafe}`, value: unsafe };
    },
  },
  {
    limit: 'nodePools.maxServerTags',
    field: 'serverTags',
    exclusion: ({ serverTags = [] }, { nodePools }) => tooMany(serverTags.length, nodePools?.maxServerTags),
  },
  {
    limit: 'nodePools.maxServerMetadata',
    field: 'serverMetadata',
    exclusion: ({ serverMetadata = {} }, { nodePools }) =>
      tooMany(Object.keys(serverMetadata).length, nodePools?.maxServerMetadata),
  },
  {
    limit: 'nodePools.maxSecurityGroups',
    field: 'securityGroups',
    exclusion: ({ securityGroups = [] }, { nodePools }) => tooMany(securityGroups.length, nodePools?.maxSecurityGroups),
  },
  {
    limit: 'nodePools.maxNetworks',
    field: 'networks',
    exclusion: ({ networks = [] }, { nodePools }) => tooMany(networks.length, nodePools?.maxNetworks),
  },
];

/** Like `poolLimitErrors`, for a Cluster. Pure. */
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

/** A pool's fields that its plan does not allow. An unchanged field is not rejected again. Pure. */
export function poolFieldErrors(spec: NodePoolSpec, old: NodePoolSpec | undefined, plan: Plan): LimitError[] {
  return LIMITS.flatMap(({ limit, field, exclusion }): LimitError[] => {
    if (old !== undefined && isDeepStrictEqual(spec[field], old[field])) return [];
    const { problem, value } = exclusion(spec, plan.spec) ?? {};
    if (problem === undefined) return [];
    const detail = `plan "${plan.metadata.name}" ${problem}`;
    return [limitError(limit, { type: 'FieldValueForbidden', field: `spec.${field}`, detail }, value)];
  });
}

function tooMany(count: number, maximum: number | undefined): Exclusion | undefined {
  if (maximum === undefined || count <= maximum) return undefined;
  const problem =
    maximum === 0 ? 'allows none: remove them' : `allows at most ${maximum}, but there are ${count}: remove some`;
  return { problem };
}
