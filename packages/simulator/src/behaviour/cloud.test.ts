import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCloud, type TestCloud } from '../test-cloud.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

describe('a server in a new network', () => {
  it('becomes ACTIVE with an address and is deleted completely', async () => {
    const { demo, clock } = test;
    const network = await demo.make('/network/v2.0/networks', { network: { name: 'n1' } });
    await demo.make('/network/v2.0/subnets', {
      subnet: { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/24' },
    });
    const flavors = (await demo.call('GET', '/compute/v2.1/flavors')).body['flavors'];
    const images = (await demo.call('GET', '/image/v2/images?name=Ubuntu%2022.04')).body['images'];
    const server = await demo.make('/compute/v2.1/servers', {
      server: {
        name: 's1',
        flavorRef: flavors?.[0]?.['id'],
        imageRef: images?.[0]?.['id'],
        networks: [{ uuid: network.id }],
      },
    });
    const path = `/compute/v2.1/servers/${server.id}`;
    const before = (await demo.call('GET', path)).body['server'];
    await clock.advance(1);
    const after = (await demo.call('GET', path)).body['server'];
    const deleted = await demo.call('DELETE', path);
    await clock.advance(1);

    expect(before).toMatchObject({ status: 'BUILD', 'OS-EXT-STS:task_state': 'scheduling' });
    expect(after).toMatchObject({ status: 'ACTIVE', addresses: { n1: [{ addr: '10.0.0.2', version: 4 }] } });
    expect(deleted.status).toBe(204);
    expect((await demo.call('GET', path)).status).toBe(404);
    expect((await demo.call('GET', '/network/v2.0/ports')).body).toEqual({ ports: [] });
  });
});
