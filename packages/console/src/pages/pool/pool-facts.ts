import type { NodePool } from '@fairway/api/kinds/node-pool';

/** What a pool has beyond the fields of its form. */
export type PoolFact = 'antiAffinity' | 'networks' | 'securityGroups' | 'serverTags' | 'serverMetadata' | 'kubelet';

export interface PoolFactRow {
  readonly fact: PoolFact;
  /** As they are written in the spec; of anti-affinity its policy. */
  readonly values: readonly string[];
  /** Why it is not as it should be. */
  readonly problem?: string | undefined;
}

/** The settings that the pool has, in the order in which they are shown. Pure. */
export function poolFacts({ spec, status }: Pick<NodePool, 'spec' | 'status'>): readonly PoolFactRow[] {
  const { antiAffinity, antiAffinityPolicy = 'Hard', kubelet = {} } = spec;
  const applied = status?.conditions?.find(({ type }) => type === 'SecurityGroupsApplied');
  const rows: readonly PoolFactRow[] = [
    { fact: 'antiAffinity', values: antiAffinity ? [antiAffinityPolicy] : [] },
    {
      fact: 'networks',
      values: (spec.networks ?? []).map(({ networkID, subnetID }) =>
        subnetID === undefined ? networkID : `${networkID}/${subnetID}`,
      ),
    },
    {
      fact: 'securityGroups',
      values: spec.securityGroups ?? [],
      problem: applied?.status === 'False' ? applied.message : undefined,
    },
    { fact: 'serverTags', values: spec.serverTags ?? [] },
    { fact: 'serverMetadata', values: pairs(spec.serverMetadata ?? {}) },
    { fact: 'kubelet', values: pairs(kubelet) },
  ];
  return rows.filter(({ values }) => values.length > 0);
}

function pairs(map: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(map).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}
