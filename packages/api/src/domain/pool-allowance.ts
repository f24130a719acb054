import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { ClusterSpec } from '../kinds/cluster.ts';
import type { NodePoolSpec } from '../kinds/node-pool.ts';
import type { Plan } from '../kinds/plan.ts';
import { matches } from './plan-allowance.ts';

/** A limit of a plan on a field of NodePools. */
interface Limit {
  /** Field of the NodePool, relative to its spec. */
  readonly field: keyof NodePoolSpec;
  /** Why the plan does not allow the value; undefined if it does. */
  readonly problem: (spec: NodePoolSpec, plan: Plan) => string | undefined;
}

const LIMITS: readonly Limit[] = [
  {
    field: 'antiAffinity',
    problem({ antiAffinity, antiAffinityPolicy = 'Hard' }, { spec }) {
      const policies = spec.allowed?.antiAffinityPolicies;
      if (!antiAffinity || policies === undefined || policies.includes(antiAffinityPolicy)) return undefined;
      return policies.length === 0
        ? 'does not allow antiAffinity: remove it'
        : `only allows antiAffinity with antiAffinityPolicy ${policies.join(' or ')}: choose it, or remove antiAffinity`;
    },
  },
  {
    field: 'kubelet',
    problem({ kubelet = {} }, { spec }) {
      const { kubeletSettings: names, unsafeSysctls = [] } = spec.allowed ?? {};
      const more = names && Object.keys(kubelet).filter((name) => !names.some((each) => each === name));
      if (names && more && more.length > 0) {
        const alternatives = names.length === 0 ? 'no kubelet settings' : `the kubelet settings ${names.join(', ')}`;
        return `allows ${alternatives}: remove ${more.join(', ')}`;
      }
      const { maxPods = 0, allowedUnsafeSysctls = [] } = kubelet;
      if (maxPods > spec.maxPodsPerNode) return `allows maxPods of at most ${spec.maxPodsPerNode}: lower it`;
      const unsafe = allowedUnsafeSysctls.find((sysctl) => !unsafeSysctls.some((pattern) => matches(pattern, sysctl)));
      if (unsafe === undefined) return undefined;
      const offered = unsafeSysctls.length === 0 ? 'none' : unsafeSysctls.slice(0, 8).join(', ');
      return `allows the allowedUnsafeSysctls ${offered}: remove ${unsafe}`;
    },
  },
  {
    field: 'serverTags',
    problem: ({ serverTags = [] }, { spec }) => tooMany(serverTags.length, spec.nodePools?.maxServerTags),
  },
  {
    field: 'serverMetadata',
    problem: ({ serverMetadata = {} }, { spec }) =>
      tooMany(Object.keys(serverMetadata).length, spec.nodePools?.maxServerMetadata),
  },
  {
    field: 'securityGroups',
    problem: ({ securityGroups = [] }, { spec }) => tooMany(securityGroups.length, spec.nodePools?.maxSecurityGroups),
  },
  {
    field: 'networks',
    problem: ({ networks = [] }, { spec }) => tooMany(networks.length, spec.nodePools?.maxNetworks),
  },
];

/** Like `disallowedFields`, for a Cluster. Pure. */
export function disallowedClusterFields(
  spec: ClusterSpec,
  old: ClusterSpec | undefined,
  { metadata, spec: { allowed } }: Plan,
): FieldError[] {
  return (['registryMirrors', 'proxy'] as const).flatMap((field): FieldError[] => {
    if (spec[field] === undefined || allowed?.[field] !== false || isDeepStrictEqual(spec[field], old?.[field]))
      return [];
    const detail = `plan "${metadata.name}" does not allow it: remove it`;
    return [{ type: 'FieldValueForbidden', field: `spec.${field}`, detail }];
  });
}

function tooMany(count: number, maximum: number | undefined): string | undefined {
  if (maximum === undefined || count <= maximum) return undefined;
  return maximum === 0 ? 'allows none: remove them' : `allows at most ${maximum}, but there are ${count}: remove some`;
}

/** Fields of a pool that its plan does not allow. An unchanged field is not rejected again. Pure. */
export function disallowedFields(spec: NodePoolSpec, old: NodePoolSpec | undefined, plan: Plan): FieldError[] {
  return LIMITS.flatMap(({ field, problem }): FieldError[] => {
    if (old !== undefined && isDeepStrictEqual(spec[field], old[field])) return [];
    const why = problem(spec, plan);
    if (why === undefined) return [];
    return [{ type: 'FieldValueForbidden', field: `spec.${field}`, detail: `plan "${plan.metadata.name}" ${why}` }];
  });
}
