import type { Cluster } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { usageByPlan } from './plan-usage.ts';

function cluster(namespace: string, plan: string, nodes: number): Cluster {
  return { metadata: { namespace }, spec: { plan }, status: { nodes: { current: nodes } } } as Cluster;
}

test('counts clusters, projects and nodes for each plan', () => {
  const clusters = [
    cluster('one', 'free', 1),
    cluster('one', 'free', 2),
    cluster('two', 'free', 0),
    cluster('two', 'standard', 5),
  ];

  expect([...usageByPlan(clusters, ({ spec }) => spec.plan)]).toEqual([
    ['free', { clusters: 3, projects: 2, nodes: 3 }],
    ['standard', { clusters: 1, projects: 1, nodes: 5 }],
  ]);
});

test('ignores missing values', () => {
  expect(usageByPlan([cluster('one', 'free', 1)], ({ status }) => status?.version).size).toBe(0);
});
