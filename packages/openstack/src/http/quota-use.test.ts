import { expect, test } from 'vitest';
import { quotasOf } from './quota-use.ts';

test.each([
  {
    expectedMessage: 'Quota exceeded for cores: Requested 2, but already used 20 of 20 cores',
    quotas: [{ resource: 'cores', requested: 2, used: 20, limit: 20 }],
  },
  {
    expectedMessage:
      'Quota exceeded for cores, ram: Requested 2, 8192, but already used 20, 4096 of 20, 8192 cores, ram',
    quotas: [
      { resource: 'cores', requested: 2, used: 20, limit: 20 },
      { resource: 'ram', requested: 8192, used: 4096, limit: 8192 },
    ],
  },
  {
    expectedMessage: 'Quota exceeded for instances: Requested 1-3, but already used 10 of 10 instances',
    quotas: [{ resource: 'instances', requested: 1, used: 10, limit: 10 }],
  },
  {
    expectedMessage: "Quota exceeded for resources: ['port', 'security_group_rule'].",
    quotas: [{ resource: 'port' }, { resource: 'security_group_rule' }],
  },
  { expectedMessage: 'Maximum number of ports exceeded', quotas: [{ resource: 'port' }] },
  { expectedMessage: 'Quota exceeded, too many server groups.', quotas: [{ resource: 'server_group' }] },
  { expectedMessage: 'Quota exceeded, too many servers in group', quotas: [{ resource: 'server' }] },
  {
    expectedMessage:
      'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. Requested 100G, quota is 1000G and 950G has been consumed.',
    quotas: [{ resource: 'gigabytes', requested: 100, used: 950, limit: 1000 }],
  },
  {
    expectedMessage: "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.",
    quotas: [{ resource: 'volumes', limit: 10 }],
  },
  {
    expectedMessage:
      'ShareLimitExceeded: Maximum number of shares allowed (50) either per project/user or share type quota is exceeded.',
    quotas: [{ resource: 'shares', limit: 50 }],
  },
  { expectedMessage: 'Quota has been met for resources: Load Balancer', quotas: [{ resource: 'load_balancer' }] },
  {
    expectedMessage: 'Quota has been met for resources: Health Monitor, Member',
    quotas: [{ resource: 'health_monitor' }, { resource: 'member' }],
  },
  { expectedMessage: 'Security group rule already exists. Rule id is x.', quotas: [] },
  { expectedMessage: 'there are too many cooks.', quotas: [] },
])('parses "$expectedMessage"', ({ expectedMessage, quotas }) => {
  expect(quotasOf(expectedMessage)).toEqual(quotas);
});

test('quickly parses a message that was crafted to be slow', () => {
  const hostile = `quota exceeded for ${'a, '.repeat(100_000)}: requested ${'1,'.repeat(100_000)} too many ${' a'.repeat(100_000)}`;

  expect(quotasOf(hostile).length).toBeLessThanOrEqual(1);
});
