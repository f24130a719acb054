import type { Condition } from '@fairway/kube/object/meta';
import { ConditionReason, ConditionType } from '../conditions.ts';
import { type CrossFieldRule, crossFieldRule, type TransitionRule, transitionRule } from './kind.ts';
import { BOUNDS_RULES, IS_HARD_ANTI_AFFINITY, isHardAntiAffinity, upperBound } from './pool-bounds.ts';

interface Size {
  readonly replicas: number;
  readonly minReplicas: number;
  readonly maxReplicas?: number | undefined;
  readonly antiAffinity: boolean;
  readonly antiAffinityPolicy?: 'Hard' | 'Soft' | undefined;
}

interface Strategy {
  readonly type?: string | undefined;
  readonly maxSurge: number | string;
  readonly maxUnavailable: number | string;
}

/** Cross-field rules for a NodePool. 5 and 100 are the defaults of maxReplicas. */
export const NODE_POOL_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.minReplicas',
    cel: `self.minReplicas <= (has(self.maxReplicas) ? self.maxReplicas : (${IS_HARD_ANTI_AFFINITY} ? 5 : 100))`,
    holds: (spec) => spec.minReplicas <= upperBound(spec),
    message:
      'must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
  }),
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.replicas',
    cel: 'self.replicas >= self.minReplicas',
    holds: (spec) => spec.replicas >= spec.minReplicas,
    message: 'must not be less than minReplicas: raise it, or lower minReplicas',
  }),
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.replicas',
    cel: `self.replicas <= (has(self.maxReplicas) ? self.maxReplicas : (${IS_HARD_ANTI_AFFINITY} ? 5 : 100))`,
    holds: (spec) => spec.replicas <= upperBound(spec),
    message:
      'must not be more than maxReplicas (default 100, or 5 with hard antiAffinity): lower it, or raise maxReplicas',
  }),
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.maxReplicas',
    cel: `!${IS_HARD_ANTI_AFFINITY} || !has(self.maxReplicas) || self.maxReplicas <= 5`,
    holds: (spec) => !isHardAntiAffinity(spec) || upperBound(spec) <= 5,
    message:
      'must be at most 5 with antiAffinity, which requires a hypervisor for each node: spread the nodes over several pools, or set antiAffinityPolicy to Soft',
  }),
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.antiAffinityPolicy',
    cel: 'self.antiAffinity || !has(self.antiAffinityPolicy)',
    holds: ({ antiAffinity, antiAffinityPolicy }) => antiAffinity || antiAffinityPolicy === undefined,
    message: 'has no effect without antiAffinity: set spec.antiAffinity to true, or remove it',
  }),
  crossFieldRule<Strategy>({
    path: 'spec.upgradeStrategy',
    field: 'spec.upgradeStrategy.maxSurge',
    cel: "(type(self.maxSurge) == int ? self.maxSurge != 0 : self.maxSurge != '0%') || (type(self.maxUnavailable) == int ? self.maxUnavailable != 0 : self.maxUnavailable != '0%')",
    holds: ({ maxSurge, maxUnavailable }) => !isNone(maxSurge) || !isNone(maxUnavailable),
    message: 'must not be 0 while maxUnavailable is 0: no node could ever be updated',
  }),
  ...BOUNDS_RULES,
];

function isNone(value: number | string): boolean {
  return value === 0 || value === '0%';
}

interface NamedPool {
  readonly spec: { readonly clusterName: string };
  readonly status?:
    | {
        readonly conditions?: readonly Condition[] | undefined;
        readonly replicas?: number | undefined;
        readonly serverGroupID?: string | undefined;
        readonly imageID?: string | undefined;
      }
    | undefined;
}

/**
 * Whether the stored pool's `spec.clusterName` can still change: its controller has found no such Cluster and has never
 * resolved a machine template. The controller writes a different reason before it creates anything, so a change cannot
 * race with the creation of the Cluster.
 */
export function isClusterNameMutable({ status }: Pick<NamedPool, 'status'>): boolean {
  const { conditions = [], replicas = 0, serverGroupID, imageID } = status ?? {};
  const ready = conditions.find(({ type }) => type === ConditionType.Ready);
  const hasNoResources = replicas === 0 && serverGroupID === undefined && imageID === undefined;
  return ready?.reason === ConditionReason.ClusterNotFound && hasNoResources;
}

const OLD_STATUS = 'oldSelf.status';
const HAS_NO_RESOURCES = `(!has(${OLD_STATUS}.replicas) || ${OLD_STATUS}.replicas == 0) && !has(${OLD_STATUS}.serverGroupID) && !has(${OLD_STATUS}.imageID)`;

/** `spec.clusterName` is immutable once such a Cluster exists or has existed: {@link isClusterNameMutable}. */
export const CLUSTER_NAME_RULE: TransitionRule = transitionRule<NamedPool>({
  field: 'spec.clusterName',
  cel: `self.spec.clusterName == oldSelf.spec.clusterName || (has(${OLD_STATUS}) && has(${OLD_STATUS}.conditions) && ${OLD_STATUS}.conditions.exists(c, c.type == 'Ready' && c.reason == 'ClusterNotFound') && ${HAS_NO_RESOURCES})`,
  holds: ({ spec }, old) => spec.clusterName === old.spec.clusterName || isClusterNameMutable(old),
  message: 'cannot be changed after creation',
  hint: {
    cel: `'the name is used by a pool of cluster "' + oldSelf.spec.clusterName + '" and must be unique in the namespace: use "' + self.spec.clusterName + '-general", for example'`,
    text: ({ spec }, old) =>
      `the name is used by a pool of cluster "${old.spec.clusterName}" and must be unique in the namespace: use "${spec.clusterName}-general", for example`,
  },
});
