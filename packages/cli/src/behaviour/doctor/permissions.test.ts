import { systemClock } from '@fairway/base/clock';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { createCloud } from '@fairway/simulator/cloud';
import { describe, expect, test } from 'vitest';
import { observePermissions } from '../../doctor/permissions.ts';

const PERMISSIONS = ['servers', 'server groups', 'networks', 'routers', 'floating IPs', 'application credentials'];

async function start() {
  const cloud = createCloud({ clock: systemClock, random: Math.random });
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  const yaml = cloud.cloudsYaml();
  const config = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? yaml : undefined),
  });
  const connections: CloudConnection[] = [];
  const as = (entry: string) => {
    const options = { config: config.get(entry), clock: systemClock, random: Math.random, readFile: () => '' };
    const connection = new CloudConnection(options);
    connections.push(connection);
    return connection;
  };
  return {
    cloud,
    as,
    async [Symbol.asyncDispose]() {
      for (const connection of connections) await connection.close();
      await cloud.close();
    },
  };
}

/** Lists the resources of every type that the probes try to create, as a member sees them. */
async function contents({ compute, network, identity }: ReturnType<CloudConnection['client']>) {
  const [servers, groups, networks, routers, floatingIps] = await Promise.all([
    Array.fromAsync(compute.servers.list()),
    Array.fromAsync(compute.serverGroups.list()),
    Array.fromAsync(network.networks.list()),
    Array.fromAsync(network.routers.list()),
    Array.fromAsync(network.floatingIps.list()),
  ]);
  const own = [
    ...servers,
    ...groups,
    ...networks,
    ...routers,
    ...floatingIps,
    ...(await identity.applicationCredentials()),
  ];
  return own.map(({ id }) => id).sort();
}

describe('the permissions of a user', () => {
  test.each([
    { entry: 'simulator', allowed: PERMISSIONS, refused: [] },
    { entry: 'simulator-reader', allowed: ['application credentials'], refused: PERMISSIONS.slice(0, -1) },
  ])('are detected for $entry without creating anything', async ({ entry, allowed, refused }) => {
    await using simulator = await start();
    const client = simulator.as(entry).client();
    const member = simulator.as('simulator').client();
    const before = [await contents(member), await contents(client)];

    const permissions = await observePermissions(client);

    const names = (answer: string) => permissions.filter((each) => each.allowed === answer).map(({ what }) => what);
    expect(names('yes')).toEqual(allowed);
    expect(names('no')).toEqual(refused);
    expect([await contents(member), await contents(client)]).toEqual(before);
  });

  test('exclude application credentials if the credential is restricted', async () => {
    await using simulator = await start();
    const owner = simulator.as('simulator');
    const { id, secret } = await owner.client().identity.createApplicationCredential({ name: 'restricted' });

    const permissions = await observePermissions(owner.client({ kind: 'applicationCredential', id, secret }));

    expect(permissions.find(({ what }) => what === 'application credentials')?.allowed).toBe('no');
    expect(permissions.find(({ what }) => what === 'servers')?.allowed).toBe('yes');
  });

  test.each([409, 400, 404])(
    'are unknown for a service that responds with %i for a different reason',
    async (status) => {
      await using simulator = await start();
      const client = simulator.as('simulator').client();
      const action = { kind: 'answer', status } as const;
      simulator.cloud.faults.add({ service: 'compute', method: 'POST', times: null, action });

      const permissions = await observePermissions(client);

      expect(permissions.find(({ what }) => what === 'servers')?.allowed).toBe('unknown');
    },
  );

  test('are unknown for a service that does not respond', async () => {
    await using simulator = await start();
    const client = simulator.as('simulator').client();
    simulator.cloud.faults.add({
      service: 'network',
      method: 'POST',
      times: null,
      action: { kind: 'answer', status: 409 },
    });

    const permissions = await observePermissions(client);

    expect(permissions.filter(({ allowed }) => allowed === 'unknown').map(({ what }) => what)).toEqual([
      'networks',
      'routers',
      'floating IPs',
    ]);
  });
});
