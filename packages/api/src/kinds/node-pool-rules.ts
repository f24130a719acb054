import { type CrossFieldRule, crossFieldRule } from './kind.ts';
import { BOUNDS_RULES, upperBound } from './pool-bounds.ts';

interface Size {
  readonly replicas: number;
  readonly minReplicas: number;
  readonly maxReplicas?: number | undefined;
  readonly antiAffinity: boolean;
}

interface Strategy {
  readonly type?: string | undefined;
  readonly maxSurge: number | string;
  readonly maxUnavailable: number | string;
}

/** Cross-field rules of a NodePool. 5 and 100 are the defaults of maxReplicas. */
export const NODE_POOL_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.minReplicas',
    cel: 'self.minReplicas <= (has(self.maxReplicas) ? self.maxReplicas : (self.antiAffinity ? 5 : 100))',
    holds: (spec) => spec.minReplicas <= upperBound(spec),
    message:
      'must not be more than maxReplicas (which is 100, or 5 with antiAffinity, where it is left out): lower it, or raise maxReplicas',
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
    cel: 'self.replicas <= (has(self.maxReplicas) ? self.maxReplicas : (self.antiAffinity ? 5 : 100))',
    holds: (spec) => spec.replicas <= upperBound(spec),
    message:
      'must not be more than maxReplicas (which is 100, or 5 with antiAffinity, where it is left out): lower it, or raise maxReplicas',
  }),
  crossFieldRule<Size>({
    path: 'spec',
    field: 'spec.maxReplicas',
    cel: '!self.antiAffinity || !has(self.maxReplicas) || self.maxReplicas <= 5',
    holds: (spec) => !spec.antiAffinity || upperBound(spec) <= 5,
    message:
      'must not be more than 5 with antiAffinity, which needs a hypervisor for each node: spread the nodes over several pools',
  }),
  crossFieldRule<Strategy>({
    path: 'spec.upgradeStrategy',
    field: 'spec.upgradeStrategy.maxSurge',
    cel: "(type(self.maxSurge) == int ? self.maxSurge != 0 : self.maxSurge != '0%') || (type(self.maxUnavailable) == int ? self.maxUnavailable != 0 : self.maxUnavailable != '0%')",
    holds: ({ maxSurge, maxUnavailable }) => !isNone(maxSurge) || !isNone(maxUnavailable),
    message: 'must not be 0 while maxUnavailable is 0: no node could ever be renewed',
  }),
  ...BOUNDS_RULES,
];

function isNone(value: number | string): boolean {
  return value === 0 || value === '0%';
}
