import { isDeepStrictEqual } from 'node:util';
import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { chooseSecurityGroup, type SecurityGroupFacts } from '@fairway/api/domain/security-groups';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';

export function requestedSecurityGroups({ spec }: NodePool): readonly string[] {
  return spec.securityGroups ?? [];
}

/** The IDs, or the problem that the user must fix first. */
export type SecurityGroupLookup =
  | { readonly groupIDs: readonly string[]; readonly problem?: undefined }
  | { readonly problem: Problem };

/** Resolves a pool's names among the groups that the cloud lists. Pure. */
export function findSecurityGroups(
  pool: NodePool,
  cluster: Pick<Cluster, 'spec'>,
  groups: readonly SecurityGroupFacts[],
): SecurityGroupLookup {
  const groupIDs = new Set<string>();
  for (const name of requestedSecurityGroups(pool)) {
    const chosen = chooseSecurityGroup(name, groups, { isOwnNetwork: cluster.spec.network.networkID === undefined });
    if (chosen.why !== undefined) {
      const message = `spec.securityGroups: ${name}: ${chosen.message}. No server is created without it, and existing servers are unaffected`;
      return { problem: { reason: ConditionReason.SecurityGroupNotFound, message } };
    }
    groupIDs.add(chosen.id);
  }
  return { groupIDs: [...groupIDs] };
}

/**
 * The groups of the pool for a new server, as resolved by their controller. A server without them would be less or more
 * open than requested.
 */
export function securityGroupsForServers(pool: NodePool): SecurityGroupLookup {
  if (requestedSecurityGroups(pool).length === 0) return { groupIDs: [] };
  const record = pool.status?.securityGroups;
  if (record === undefined || !isDeepStrictEqual(record.names, requestedSecurityGroups(pool))) {
    const message = 'the security groups of the pool are being looked up';
    return { problem: { reason: ConditionReason.WaitingForNetwork, message } };
  }
  if (record.groupIDs) return { groupIDs: record.groupIDs };
  const { reason = ConditionReason.WaitingForNetwork, message = '' } = record;
  return { problem: { reason: reason as ConditionReason, message } };
}

/**
 * Whether the servers of a pool have the groups that it specifies; undefined if it specifies none, and has not
 * specified any recently.
 */
export function securityGroupsCondition(pool: NodePool): ConditionState | undefined {
  const type = ConditionType.SecurityGroupsApplied;
  const names = requestedSecurityGroups(pool);
  const record = pool.status?.securityGroups;
  if (record === undefined && names.length === 0) return undefined;
  if (record === undefined || !isDeepStrictEqual(record.names, names)) {
    const message = 'the security groups are being looked up';
    return conditionUnmet(type, { reason: ConditionReason.Updating, message });
  }
  const { reason, message = '' } = record;
  return reason === undefined
    ? conditionMet(type)
    : conditionUnmet(type, { reason: reason as ConditionReason, message });
}
