import type { Table } from '../state/table.ts';
import type { World } from '../world.ts';
import { type ObjectNoun, quotaExceeded } from './problem.ts';
import type { TreeObject } from './records.ts';

/** A project's limits, by Octavia's resource names; -1 is unlimited. */
export function loadBalancerLimits(world: World, projectId: string): Record<string, number> {
  return { ...world.config.quotas['load-balancer'], ...world.tables.quotas.get(`load-balancer/${projectId}`)?.limits };
}

/** Throws Octavia's 403 if `count` additional objects exceed the quota. Objects being deleted still count. */
export function requireQuota(world: World, noun: ObjectNoun, projectId: string, count = 1): void {
  const limit = loadBalancerLimits(world, projectId)[QUOTA_NAMES[noun]] ?? -1;
  if (limit < 0) return;
  const used = tableOf(world, noun).where((row) => row.project_id === projectId).length;
  if (used + count > limit) throw quotaExceeded(noun);
}

const QUOTA_NAMES: Readonly<Record<ObjectNoun, string>> = {
  'Load Balancer': 'loadbalancer',
  Listener: 'listener',
  Pool: 'pool',
  Member: 'member',
  'Health Monitor': 'healthmonitor',
  'L7 Policy': 'l7policy',
  'L7 Rule': 'l7rule',
};

function tableOf({ tables }: World, noun: ObjectNoun): Pick<Table<TreeObject>, 'where'> {
  switch (noun) {
    case 'Load Balancer':
      return tables.loadBalancers;
    case 'Listener':
      return tables.listeners;
    case 'Pool':
      return tables.pools;
    case 'Member':
      return tables.members;
    case 'Health Monitor':
      return tables.healthMonitors;
    case 'L7 Policy':
      return tables.l7Policies;
    case 'L7 Rule':
      return tables.l7Rules;
  }
}
