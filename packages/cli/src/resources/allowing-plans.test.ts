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

test('lists the plans that allow each entry, by name or id', () => {
  expect(markPlans(FLAVORS, 'flavors', { offered: [small, free, all], planName: undefined })).toEqual([
    { name: 'b3-8', id: 'id-of-b3', plans: ['small', 'all'] },
    { name: 'r3-16', id: 'id-of-r3', plans: ['free', 'all'] },
  ]);
});

test('lists no plans if all of them allow everything', () => {
  expect(markPlans(FLAVORS, 'flavors', { offered: [all], planName: undefined })).toEqual(FLAVORS);
  expect(markPlans(FLAVORS, 'flavors', { offered: [], planName: undefined })).toEqual(FLAVORS);
});

test('lists what one plan allows', () => {
  const offered = [small, free, all];
  expect(markPlans(FLAVORS, 'flavors', { offered, planName: 'small' })).toEqual([FLAVORS[0]]);
  expect(markPlans(FLAVORS, 'flavors', { offered, planName: 'all' })).toEqual(FLAVORS);
});

test('lists external networks for every plan', () => {
  const networks = [
    { name: 'mine', id: 'id-of-mine', external: false },
    { name: 'other', id: 'id-of-other', external: false },
    { name: 'public', id: 'id-of-public', external: true },
  ];
  const names = markPlans(networks, 'networks', { offered: [small], planName: 'small' }).map(({ name }) => name);
  expect(names).toEqual(['mine', 'public']);
});
