import { aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { poolFacts } from './pool-facts.ts';

const NETWORK = '0c0b9a4e-6f0b-4ff0-9a3e-0d5a3c3a7a11';
const SUBNET = '5be2c0a8-2a7b-4c0e-9d0a-6b1f0a7c9d33';

test('shows nothing for a pool without additional settings', () => {
  expect(poolFacts(aNodePool())).toEqual([]);
});

test('shows settings as in the spec, and why security groups are not applied', () => {
  const pool = aNodePool({
    antiAffinity: true,
    antiAffinityPolicy: 'Soft',
    networks: [{ networkID: NETWORK, subnetID: SUBNET }],
    securityGroups: ['web'],
    serverTags: ['team:web'],
    serverMetadata: { 'cost center': '7' },
    kubelet: { maxPods: 64, evictionHard: { 'memory.available': '5%' } },
  });
  const conditions = [
    {
      type: 'SecurityGroupsApplied',
      status: 'False' as const,
      reason: 'SecurityGroupNotFound',
      message: 'web is not there',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ];

  expect(poolFacts({ ...pool, status: { conditions } })).toEqual([
    { fact: 'antiAffinity', values: ['Soft'] },
    { fact: 'networks', values: [`${NETWORK}/${SUBNET}`] },
    { fact: 'securityGroups', values: ['web'], problem: 'web is not there' },
    { fact: 'serverTags', values: ['team:web'] },
    { fact: 'serverMetadata', values: ['cost center: 7'] },
    { fact: 'kubelet', values: ['maxPods: 64', 'evictionHard: {"memory.available":"5%"}'] },
  ]);
});
