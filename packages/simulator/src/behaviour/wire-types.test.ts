import { FloatingIp, Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import { SecurityGroup } from '@fairway/openstack/types/security-group';
import { SERVER_STATUSES, Server, ServerFault } from '@fairway/openstack/types/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KNOWN_STATUSES } from '../compute/server-status.ts';
import { firstListed, startTestCloud, type TestCloud } from '../test-cloud.ts';
import { externalNetworkId, LATEST, makeNetwork, makeRouter, makeServer, showServer } from '../test-resources.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
  const { network, subnet } = await makeNetwork(test.demo);
  await makeRouter(test.demo, subnet.id);
  await makeServer(test.demo, { networks: [{ uuid: network.id }] });
  await test.clock.advance(1);
  const floating_network_id = await externalNetworkId(test.demo);
  await test.demo.make('/network/v2.0/floatingips', { floatingip: { floating_network_id } });
});
afterAll(() => test.cloud.close());

it.each([
  ['/network/v2.0/networks', 'networks', Network],
  ['/network/v2.0/subnets', 'subnets', Subnet],
  ['/network/v2.0/ports', 'ports', Port],
  ['/network/v2.0/routers', 'routers', Router],
  ['/network/v2.0/floatingips', 'floatingips', FloatingIp],
  ['/network/v2.0/security-groups', 'security_groups', SecurityGroup],
  ['/compute/v2.1/servers/detail', 'servers', Server],
])('%s responds as the client expects from a real cloud', async (path, key, schema) => {
  const sent = firstListed(await test.demo.call('GET', path, undefined, LATEST), key);

  expect(schema.parse(sent)).toMatchObject({ id: sent.id });
});

it('sends error responses that the client understands', async () => {
  test.cloud.faults.add({ action: { kind: 'serverError', message: 'no' } });
  const { id } = await makeServer(test.demo);
  await test.clock.advance(1);

  const { fault } = await showServer(test.demo, id);

  expect(ServerFault.parse(fault)).toMatchObject({ code: 500, message: 'no' });
});

it('has the same statuses as the client', () => {
  expect([...KNOWN_STATUSES].sort()).toEqual([...SERVER_STATUSES].sort());
});
