import type { LimitNote } from '@fairway/api/kinds/plan-limits';
import { plainText } from '@fairway/api/limits/rich-text';
import { aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { limitsPage, type StatedPlan } from './page.ts';

const OPTIONS = { brand: 'this cloud', nowMs: Date.UTC(2026, 10, 30) };

function pageOf(plans: readonly StatedPlan[]) {
  const { services, changes } = limitsPage(plans, OPTIONS);
  return {
    services: services.map(({ name, sections }) => ({
      name,
      sections: Object.fromEntries(
        sections.map(({ heading, paragraphs }) => [heading, paragraphs.map((each) => plainText(each))]),
      ),
    })),
    changes: changes.map(({ date, paragraph }) => `${date}: ${plainText(paragraph)}`),
  };
}

test('plans of one service share a section: common limits are stated once, others with the names of plans', () => {
  const shared = { service: 'Managed', maxPodsPerNode: 100 };
  const page = pageOf([
    aPlan({ ...shared, maxNodes: 10 }, { name: 'small' }),
    aPlan({ ...shared, maxNodes: 50 }, { name: 'large' }),
    aPlan({ ...shared, maxNodes: 50, maxClusters: undefined }, { name: 'huge' }),
    aPlan({ displayName: 'Other' }, { name: 'other' }),
  ]);

  expect(page.services.map(({ name }) => name)).toEqual(['Managed', 'Other']);
  expect(page.services[0]?.sections['Cluster size']).toEqual([
    'Plan small: A cluster can have at most 10 nodes.',
    'Plans large and huge: A cluster can have at most 50 nodes.',
    'A node can run at most 100 pods.',
    'Plans small and large: A project can have at most 20 clusters of Managed.',
  ]);
});

test('notes follow the limit that they explain', () => {
  const note = (fields: Partial<LimitNote>): LimitNote => ({
    limit: 'cni.allowed',
    value: '',
    enforcement: 'Refuse',
    ...fields,
  });
  const plan = aPlan({
    limitNotes: [
      note({ reason: 'only canal is tested' }),
      note({ value: 'cilium', alternative: 'use the plan standard' }),
      note({ value: 'none' }),
    ],
  });

  expect(pageOf([plan]).services[0]?.sections['Cluster networking']?.slice(0, 3)).toEqual([
    'In Kubernetes clusters of Free in this cloud, the supported pod networks are canal and none. You cannot use cilium.',
    'Only canal is tested.',
    'cilium: Use the plan standard.',
  ]);
});

test('changes of all services are listed together, newest first; plans are named if others of the service differ', () => {
  const storage = { accessModes: ['ReadWriteOnce' as const], tenantClasses: 'Allowed' as const };
  const changed = (since: string, service: string) => ({
    service,
    storage,
    limitNotes: [
      { limit: 'storage.accessModes' as const, value: 'ReadWriteMany', enforcement: 'Refuse' as const, since },
    ],
  });
  const page = pageOf([
    aPlan(changed('2026-02-01', 'A'), { name: 'a' }),
    aPlan(changed('2026-03-01', 'B'), { name: 'b' }),
    aPlan({ service: 'B' }, { name: 'unlimited' }),
    aPlan(changed('2026-01-01', 'C'), { name: 'c' }),
    aPlan(changed('2026-01-01', 'C'), { name: 'd' }),
  ]);

  expect(page.changes).toEqual([
    '2026-03-01: B (b): Persistent volumes (PVs), ReadWriteMany: no longer supported.',
    '2026-02-01: A: Persistent volumes (PVs), ReadWriteMany: no longer supported.',
    '2026-01-01: C: Persistent volumes (PVs), ReadWriteMany: no longer supported.',
  ]);
});
