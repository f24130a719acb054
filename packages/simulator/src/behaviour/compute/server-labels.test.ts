import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { LATEST, makeNetwork, makeServer } from '../../test-resources.ts';

let test: TestCloud;
let path: string;
beforeAll(async () => {
  test = await startTestCloud();
  const { network } = await makeNetwork(test.demo);
  const { id } = await makeServer(test.demo, { networks: [{ uuid: network.id }], metadata: { a: '1' } });
  await test.clock.advance(1);
  path = `/compute/v2.1/servers/${id}`;
});
afterAll(() => test.cloud.close());

describe('server tags', () => {
  it('are set, added, checked and removed', async () => {
    const call = (method: string, suffix: string, body?: object) =>
      test.demo.call(method, `${path}/tags${suffix}`, body, LATEST);
    const set = await call('PUT', '', { tags: ['b', 'a'] });
    const statuses = [
      (await call('PUT', '/c')).status,
      (await call('PUT', '/c')).status,
      (await call('GET', '/c')).status,
      (await call('DELETE', '/c')).status,
      (await call('GET', '/c')).status,
      (await call('DELETE', '')).status,
    ];

    expect(set.body).toEqual({ tags: ['a', 'b'] });
    expect(statuses).toEqual([201, 204, 204, 204, 404, 204]);
    expect((await call('GET', '')).body).toEqual({ tags: [] });
  });

  it('are not available before 2.26', async () => {
    expect((await test.demo.call('GET', `${path}/tags`)).status).toBe(404);
  });
});

describe('metadata', () => {
  it('is merged, replaced and removed', async () => {
    const merged = await test.demo.call('POST', `${path}/metadata`, { metadata: { b: '2' } });
    const item = await test.demo.call('PUT', `${path}/metadata/c`, { meta: { c: '3' } });
    const mismatch = await test.demo.call('PUT', `${path}/metadata/c`, { meta: { d: '3' } });
    const removed = await test.demo.call('DELETE', `${path}/metadata/a`);
    const left = await test.demo.call('GET', `${path}/metadata`);
    const replaced = await test.demo.call('PUT', `${path}/metadata`, { metadata: {} });

    expect(merged.body).toEqual({ metadata: { a: '1', b: '2' } });
    expect([item.status, mismatch.status, removed.status]).toEqual([200, 400, 204]);
    expect(left.body).toEqual({ metadata: { b: '2', c: '3' } });
    expect(replaced.body).toEqual({ metadata: {} });
  });
});

describe('interfaces', () => {
  it('are attached and detached while the server runs', async () => {
    const { network } = await makeNetwork(test.demo, { name: 'second', cidr: '10.9.0.0/24' });
    const attached = await test.demo.call('POST', `${path}/os-interface`, {
      interfaceAttachment: { net_id: network.id },
    });
    const port = attached.body['interfaceAttachment']?.['port_id'] as unknown as string;
    const addresses = (await test.demo.call('GET', path)).body['server']?.['addresses'];
    const detached = await test.demo.call('DELETE', `${path}/os-interface/${port}`);
    const left = await test.demo.call('GET', `${path}/os-interface`);

    expect(attached.body['interfaceAttachment']).toMatchObject({ net_id: network.id, port_state: 'ACTIVE' });
    expect(Object.keys(addresses ?? {})).toEqual(['net', 'second']);
    expect(detached.status).toBe(202);
    expect(left.body['interfaceAttachments']).toHaveLength(1);
    expect((await test.demo.call('GET', `/network/v2.0/ports/${port}`)).status).toBe(404);
  });
});
