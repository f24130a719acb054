import type { NodePool } from '@fairway/api/kinds/node-pool';

/** Settings of a pool beyond the fields of its form. */
export type PoolFact = 'antiAffinity' | 'networks' | 'securityGroups' | 'serverTags' | 'serverMetadata' | 'kubelet';

export interface PoolFactRow {
  readonly fact: PoolFact;
  /** As in the spec; for anti-affinity, its policy. */
  readonly values: readonly string[];
  /** Why the setting is not applied. */
  readonly problem?: string | undefined;
}

/** The settings of the pool, in display order. */
export function poolFacts({ spec, status }: Pick<NodePool, 'spec' | 'status'>): readonly PoolFactRow[] {
  const { antiAffinity, antiAffinityPolicy = 'Hard', kubelet = {} } = spec;
  const groupsCondition = status?.conditions?.find(({ type }) => type === 'SecurityGroupsApplied');
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
      problem: groupsCondition?.status === 'False' ? groupsCondition.message : undefined,
    },
    { fact: 'serverTags', values: spec.serverTags ?? [] },
    { fact: 'serverMetadata', values: keyValuePairs(spec.serverMetadata ?? {}) },
    { fact: 'kubelet', values: keyValuePairs(kubelet) },
  ];
  return rows.filter(({ values }) => values.length > 0);
}

function keyValuePairs(map: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(map).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}
