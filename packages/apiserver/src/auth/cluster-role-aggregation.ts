import type { ClusterRole, PolicyRule } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';

/**
 * The rules that an aggregated role should have: the rules of all roles matched by its selectors, in order of their
 * names and without duplicates. Undefined for a role without an aggregation rule.
 */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const sortedRoles = all.toSorted((left, right) => compare(left.metadata.name ?? '', right.metadata.name ?? ''));
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const matcher = compileLabelSelector(selector);
    for (const source of sortedRoles) {
      if (source.metadata.name === role.metadata.name || !matchesLabels(matcher, source.metadata.labels)) continue;
      for (const rule of source.rules ?? []) {
        if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
      }
    }
  }
  return rules;
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
