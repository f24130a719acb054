import { expect, test } from 'vitest';
import { CloudPaces, Paces } from './paces.ts';

test('keeps the paces of different changes and varieties apart', () => {
  const paces = new Paces();
  paces.of('punctual build', 'amphora').learn(58_000, 61_000);

  expect(paces.of('punctual build', 'amphora').nextPollMs(0)).toBeGreaterThan(3_000);
  expect(paces.of('punctual build', 'ovn').nextPollMs(0)).toBe(1_000);
  expect(paces.of('punctual deletion', 'amphora').nextPollMs(0)).toBe(1_000);
});

test('shares the paces that one project learns about a cloud with other projects, by kind of resource', () => {
  const cloud = new CloudPaces();
  cloud.of('loadBalancers').of('punctual build').learn(58_000, 61_000);

  expect(cloud.of('loadBalancers').of('punctual build').nextPollMs(0)).toBeGreaterThan(3_000);
  expect(cloud.of('servers').of('punctual build').nextPollMs(0)).toBe(1_000);
});
