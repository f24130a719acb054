import type { ClusterRole } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { aggregatedRules } from './cluster-role-aggregation.ts';

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const source = (name: string, label: string, ...resources: string[]): ClusterRole => ({
  metadata: { name, labels: { into: label } },
  rules: resources.map(rule),
});

test("merges the rules of the selected roles in order of their names, without duplicates and without the role's own previous rules", () => {
  const aggregated: ClusterRole = {
    metadata: { name: 'all', labels: { into: 'all' } },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { into: 'all' } }, { matchLabels: { into: 'more' } }] },
    rules: [rule('stale')],
  };
  const roles = [
    source('z', 'all', 'pods', 'nodes'),
    source('a', 'all', 'services', 'pods'),
    source('m', 'more', 'secrets'),
    source('n', 'other', 'configmaps'),
    aggregated,
  ];
  expect(aggregatedRules(aggregated, roles)).toEqual(['services', 'pods', 'nodes', 'secrets'].map(rule));
});

test('does not touch a role that aggregates nothing', () => {
  expect(aggregatedRules(source('plain', 'all', 'pods'), [])).toBeUndefined();
});
