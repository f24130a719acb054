import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

describe('discovery', () => {
  it.each([
    ['/network/', 200, 'versions'],
    ['/network/v2.0/', 200, 'resources'],
    ['/identity/', 300, 'versions'],
    ['/identity/v3', 200, 'version'],
    ['/compute/', 200, 'versions'],
    ['/compute/v2.1/', 200, 'version'],
    ['/image/', 300, 'versions'],
    ['/placement/', 200, 'versions'],
  ])('needs no token: %s', async (path, status, key) => {
    const response = await call(test.origin, 'GET', path);

    expect(response.status).toBe(status);
    expect(response.body).toHaveProperty(key);
  });

  it('lists the extensions that clients look for', async () => {
    const response = await test.demo.call('GET', '/network/v2.0/extensions');
    const aliases = listed(response, 'extensions').map((extension) => extension['alias']);

    expect(aliases).toEqual(
      expect.arrayContaining([
        'router',
        'security-group',
        'standard-attr-tag',
        'quotas',
        'allowed-address-pairs',
        'port-security',
        'extraroute',
        'external-net',
        'availability_zone',
      ]),
    );
    expect((await test.demo.call('GET', '/network/v2.0/extensions/router')).status).toBe(200);
    expect((await test.demo.call('GET', '/network/v2.0/extensions/bgp')).status).toBe(404);
  });
});

describe('quotas', () => {
  it('are read by the project, changed and reset by administrators', async () => {
    const path = `/network/v2.0/quotas/${test.demo.projectId}`;
    const refused = await test.demo.call('PUT', path, { quota: { network: 7 } });
    await test.admin.call('PUT', path, { quota: { network: 7 } });
    const changed = await test.demo.call('GET', path);
    const details = await test.demo.call('GET', `${path}/details`);
    await test.admin.call('DELETE', path);
    const reset = await test.demo.call('GET', path);

    expect(refused.status).toBe(403);
    expect(changed.body['quota']?.['network']).toBe(7);
    expect(details.body['quota']?.['network']).toEqual({ limit: 7, used: 0, reserved: 0 });
    expect(reset.body['quota']?.['network']).toBe(200);
    expect((await test.other.call('GET', path)).status).toBe(403);
  });
});

it('returns 405 for a method that a path does not support', async () => {
  expect((await test.demo.call('PATCH', '/network/v2.0/networks')).status).toBe(405);
});

it('rejects a body that is not valid JSON', async () => {
  expect((await test.demo.call('POST', '/network/v2.0/networks', '{')).status).toBe(400);
});
