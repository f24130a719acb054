import { expect, test } from 'vitest';
import { quotasOf } from './quota-use.ts';

test.each([
  {
    says: 'Quota exceeded for cores: Requested 2, but already used 20 of 20 cores',
    quotas: [{ resource: 'cores', requested: 2, used: 20, limit: 20 }],
  },
  {
    says: 'Quota exceeded for cores, ram: Requested 2, 8192, but already used 20, 4096 of 20, 8192 cores, ram',
    quotas: [
      { resource: 'cores', requested: 2, used: 20, limit: 20 },
      { resource: 'ram', requested: 8192, used: 4096, limit: 8192 },
    ],
  },
  {
    says: 'Quota exceeded for instances: Requested 1-3, but already used 10 of 10 instances',
    quotas: [{ resource: 'instances', requested: 1, used: 10, limit: 10 }],
  },
  {
    says: "Quota exceeded for resources: ['port', 'security_group_rule'].",
    quotas: [{ resource: 'port' }, { resource: 'security_group_rule' }],
  },
  { says: 'Maximum number of ports exceeded', quotas: [{ resource: 'port' }] },
  { says: 'Quota exceeded, too many server groups.', quotas: [{ resource: 'server_group' }] },
  { says: 'Quota exceeded, too many servers in group', quotas: [{ resource: 'server' }] },
  {
    says: 'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 100G, quota is 1000G and 950G has been consumed.',
    quotas: [{ resource: 'gigabytes', requested: 100, used: 950, limit: 1000 }],
  },
  {
    says: "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
    quotas: [{ resource: 'volumes', limit: 10 }],
  },
  {
    says: 'ShareLimitExceeded: Maximum number of shares allowed (50) either per project/user or share type quota is exceeded.',
    quotas: [{ resource: 'shares', limit: 50 }],
  },
  { says: 'Quota has been met for resources: Load Balancer', quotas: [{ resource: 'load_balancer' }] },
  {
    says: 'Quota has been met for resources: Health Monitor, Member',
    quotas: [{ resource: 'health_monitor' }, { resource: 'member' }],
  },
  { says: 'Security group rule already exists. Rule id is x.', quotas: [] },
  { says: 'there are too many cooks.', quotas: [] },
])('parses "$says"', ({ says, quotas }) => {
  expect(quotasOf(says)).toEqual(quotas);
});

test('parses a message crafted to be slow quickly', () => {
  const hostile = `quota exceeded for ${'a, '.repeat(100_000)}: requested ${'1,'.repeat(100_000)} too many ${' a'.repeat(100_000)}`;

  expect(quotasOf(hostile).length).toBeLessThanOrEqual(1);
});
