import type { Plan } from '@fairway/api/kinds/plan';
import { expect, test } from 'vitest';
import { markPlans } from './allowing-plans.ts';

const small = plan('small', { flavors: ['b3-*'], networks: ['id-of-mine'] });
const free = plan('free', { flavors: ['id-of-r3'] });
const all = plan('all');
const FLAVORS = [
  { name: 'b3-8', id: 'id-of-b3' },
  { name: 'r3-16', id: 'id-of-r3' },
];

function plan(name: string, allowed?: object): Plan {
  return { metadata: { name }, spec: { ...(allowed && { allowed }) } } as unknown as Plan;
}

test('each entry tells which plans allow it, by name or id', () => {
  expect(markPlans(FLAVORS, 'flavors', { offered: [small, free, all], only: undefined })).toEqual([
    { name: 'b3-8', id: 'id-of-b3', plans: ['small', 'all'] },
    { name: 'r3-16', id: 'id-of-r3', plans: ['free', 'all'] },
  ]);
});

test('nothing is told of plans where all of them allow everything', () => {
  expect(markPlans(FLAVORS, 'flavors', { offered: [all], only: undefined })).toEqual(FLAVORS);
  expect(markPlans(FLAVORS, 'flavors', { offered: [], only: undefined })).toEqual(FLAVORS);
});

test('a list for one plan has what it allows', () => {
  const offered = [small, free, all];
  expect(markPlans(FLAVORS, 'flavors', { offered, only: 'small' })).toEqual([FLAVORS[0]]);
  expect(markPlans(FLAVORS, 'flavors', { offered, only: 'all' })).toEqual(FLAVORS);
});

test('external networks are in every list', () => {
  const networks = [
    { name: 'mine', id: 'id-of-mine', external: false },
    { name: 'other', id: 'id-of-other', external: false },
    { name: 'public', id: 'id-of-public', external: true },
  ];
  const names = markPlans(networks, 'networks', { offered: [small], only: 'small' }).map(({ name }) => name);
  expect(names).toEqual(['mine', 'public']);
});
