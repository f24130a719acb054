import { SecurityGroup } from '@fairway/openstack/types/security-group';
import { expect, test } from 'vitest';
import { ownerDescription } from './ownership.ts';
import { securityGroupFacts } from './security-group-facts.ts';

const group = (id: string, more: object) => SecurityGroup.parse({ id, name: `name-${id}`, project_id: 'p', ...more });

test('lists the project’s own and shared groups that a pool may reference, and recognizes Fairway’s own by their marks', () => {
  const mark = ownerDescription('cluster-uid', 'node-security-group');
  const groups = [
    group('own', {}),
    group('own of before Newton', { project_id: '', tenant_id: 'p' }),
    group('shared', { project_id: 'q', shared: true }),
    group("another project's, as an administrator sees it", { project_id: 'q', shared: false }),
    group("another project's, in a cloud that says nothing of sharing", { project_id: 'q' }),
    group('of a cluster', { description: mark }),
    group("of another Fairway's cluster", { project_id: 'q', shared: true, description: mark }),
  ];

  expect(securityGroupFacts(groups, 'p')).toEqual([
    { id: 'own', name: 'name-own', isShared: false, isFairways: false },
    { id: 'own of before Newton', name: 'name-own of before Newton', isShared: false, isFairways: false },
    { id: 'shared', name: 'name-shared', isShared: true, isFairways: false },
    { id: 'of a cluster', name: 'name-of a cluster', isShared: false, isFairways: true },
    { id: "of another Fairway's cluster", name: "name-of another Fairway's cluster", isShared: true, isFairways: true },
  ]);
});
