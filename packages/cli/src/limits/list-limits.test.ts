import { aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { fakeContext } from '../testing/fake-context.ts';
import { limitRows, listLimits } from './list-limits.ts';

const OPTIONS = { brand: 'this cloud', nowMs: Date.UTC(2026, 10, 30) };

test('a row has the limit, its values, and its notes with all their fields', () => {
  const plan = aPlan({
    service: 'Managed',
    cni: { default: 'canal', allowed: ['canal', 'none'] },
    limitNotes: [
      {
        limit: 'cni.allowed',
        value: 'cilium',
        enforcement: 'Refuse',
        since: '2026-01-01',
        until: '2027-01-01',
        reason: 'not tested',
        alternative: 'use canal',
        link: 'https://example.org/cni',
      },
    ],
  });

  expect(limitRows(plan, OPTIONS).find(({ name }) => name === 'cni.allowed')).toEqual({
    name: 'cni.allowed',
    plan: 'free',
    service: 'Managed',
    heading: 'Cluster networking',
    sentences: [
      'In Kubernetes clusters of Managed in this cloud, the supported pod networks are canal and none.',
      'You cannot use cilium.',
    ],
    supported: ['canal', 'none'],
    unsupported: ['cilium'],
    notes: [
      {
        value: 'cilium',
        enforcement: 'Refuse',
        since: '2026-01-01',
        until: '2027-01-01',
        reason: 'not tested',
        alternative: 'use canal',
        link: 'https://example.org/cni',
        sentences: ['Not tested.', 'Use canal.', 'Allowed from 2027-01-01 on.', 'See example.org/cni.'],
      },
    ],
  });
});

test('refuses a cluster and a plan together, before it connects', async () => {
  const listing = listLimits(fakeContext(), {}, 'demo', { plan: 'free', brand: 'this cloud' });

  await expect(listing).rejects.toThrow('a cluster and --plan select different limits');
});
