import { afterAll, beforeAll, expect, test } from 'vitest';
import { listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud({
    subnetPools: [
      { id: '2f1c3a52-6f0b-4d7e-9a53-0c7c0d2a1b01', name: 'v4', prefixes: ['10.64.0.0/12'], ipVersion: 4 },
      { id: '2f1c3a52-6f0b-4d7e-9a53-0c7c0d2a1b02', name: 'v6', prefixes: ['2001:db8::/48'], ipVersion: 6 },
    ],
  });
});
afterAll(() => cloud.cloud.close());

test.each([
  { query: '', names: ['v4', 'v6'] },
  { query: '?ip_version=6', names: ['v6'] },
  { query: '?limit=1&sort_key=name&sort_dir=desc', names: ['v6'] },
])('subnet pools listed with "$query": $names', async ({ query, names }) => {
  const response = await cloud.demo.call('GET', `/network/v2.0/subnetpools${query}`);

  expect(response.status).toBe(200);
  expect(listed(response, 'subnetpools').map(({ name }) => name)).toEqual(names);
});
