import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstListed, logInWith, passwordRequest, startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { makeNetwork, makeServer, serverFields } from '../../test-resources.ts';

let test: TestCloud;
let paths: Readonly<Record<string, string>>;
beforeAll(async () => {
  test = await startTestCloud();
  const { network } = await makeNetwork(test.demo);
  const server = await makeServer(test.demo);
  const group = await test.demo.make('/compute/v2.1/os-server-groups', {
    server_group: { name: 'g', policies: ['affinity'] },
  });
  paths = {
    network: `/network/v2.0/networks/${network.id}`,
    server: `/compute/v2.1/servers/${server.id}`,
    group: `/compute/v2.1/os-server-groups/${group.id}`,
    project: `/identity/v3/projects/${test.demo.projectId}`,
  };
});
afterAll(() => test.cloud.close());

describe('a reader', () => {
  it.each(['network', 'server', 'group', 'project'])('sees the %s of the project', async (name) => {
    expect((await test.reader.call('GET', paths[name] ?? '')).status).toBe(200);
  });

  it.each<[string, string, string, object | undefined]>([
    ['POST', 'networks', '/network/v2.0/networks', { network: {} }],
    ['POST', 'servers', '/compute/v2.1/servers', { server: serverFields({ networks: [] }) }],
    [
      'POST',
      'server groups',
      '/compute/v2.1/os-server-groups',
      { server_group: { name: 'x', policies: ['affinity'] } },
    ],
    ['POST', 'projects', '/identity/v3/projects', { project: { name: 'x' } }],
  ])('may not %s %s', async (method, _what, path, body) => {
    expect((await test.reader.call(method, path, body)).status).toBe(403);
  });

  it.each<[string, string, object | undefined]>([
    ['PUT', 'network', { network: { name: 'x' } }],
    ['DELETE', 'network', undefined],
    ['PUT', 'server', { server: { name: 'x' } }],
    ['DELETE', 'server', undefined],
    ['DELETE', 'group', undefined],
  ])('may not %s the %s', async (method, name, body) => {
    expect((await test.reader.call(method, paths[name] ?? '', body)).status).toBe(403);
  });

  it('gets the error message of each service', async () => {
    const network = await test.reader.call('POST', '/network/v2.0/networks', { network: {} });
    const server = await test.reader.call('DELETE', paths['server'] ?? '');
    const user = await test.reader.call('GET', '/identity/v3/users');

    expect(network.body).toEqual({
      NeutronError: { type: 'PolicyNotAuthorized', message: 'rule:create_network is disallowed by policy', detail: '' },
    });
    expect(server.body).toEqual({
      forbidden: { code: 403, message: "Policy doesn't allow os_compute_api:servers:delete to be performed." },
    });
    expect(user.body).toEqual({
      error: {
        code: 403,
        message: 'You are not authorized to perform the requested action: identity:list_users.',
        title: 'Forbidden',
      },
    });
  });
});

describe('another project', () => {
  it.each(['network', 'server', 'group'])('cannot see the %s', async (name) => {
    for (const method of ['GET', 'DELETE']) {
      expect((await test.other.call(method, paths[name] ?? '')).status).toBe(404);
    }
  });

  it.each([
    ['/compute/v2.1/servers', 'servers'],
    ['/compute/v2.1/servers/detail', 'servers'],
    ['/compute/v2.1/os-server-groups', 'server_groups'],
    ['/network/v2.0/networks?router:external=false', 'networks'],
    ['/network/v2.0/subnets', 'subnets'],
  ])('gets an empty list from %s', async (path, key) => {
    expect((await test.other.call('GET', path)).body[key]).toEqual([]);
  });

  it('may not list all projects', async () => {
    expect((await test.other.call('GET', '/compute/v2.1/servers?all_tenants=1')).status).toBe(403);
    expect((await test.other.call('GET', paths['project'] ?? '')).status).toBe(403);
  });

  it('may not create objects for others', async () => {
    const body = { network: { project_id: test.demo.projectId } };

    expect((await test.other.call('POST', '/network/v2.0/networks', body)).status).toBe(400);
  });
});

describe('an administrator', () => {
  it('sees the objects of all projects on request', async () => {
    const own = await test.admin.call('GET', '/compute/v2.1/servers');
    const all = await test.admin.call('GET', '/compute/v2.1/servers?all_tenants=1');
    const one = await test.admin.call('GET', `/compute/v2.1/servers?all_tenants=1&project_id=${test.other.projectId}`);

    expect(own.body['servers']).toEqual([]);
    expect(all.body['servers']).toHaveLength(1);
    expect(one.body['servers']).toEqual([]);
    expect((await test.admin.call('GET', paths['network'] ?? '')).status).toBe(200);
  });

  it('manages projects, users and roles', async () => {
    const { admin, origin } = test;
    const project = await admin.make('/identity/v3/projects', { project: { name: 'new' } });
    const user = await admin.make('/identity/v3/users', { user: { name: 'nina', password: 'pw' } });
    const role = firstListed(await admin.call('GET', '/identity/v3/roles?name=reader'), 'roles');
    const grant = `/identity/v3/projects/${project.id}/users/${user.id}/roles/${role.id}`;

    expect((await admin.call('PUT', grant)).status).toBe(204);
    expect((await admin.call('HEAD', grant)).status).toBe(204);
    const nina = await logInWith(origin, passwordRequest('nina', 'pw', { project: { id: project.id } }));
    const assignments = await admin.call('GET', `/identity/v3/role_assignments?user.id=${user.id}&include_names`);
    expect(assignments.body['role_assignments']).toMatchObject([
      { role: { name: 'reader' }, user: { name: 'nina' }, scope: { project: { name: 'new' } } },
    ]);
    expect((await nina.call('GET', '/identity/v3/auth/projects')).body['projects']).toMatchObject([{ name: 'new' }]);
    expect((await admin.call('DELETE', `/identity/v3/projects/${project.id}`)).status).toBe(204);
    expect((await nina.call('GET', '/network/v2.0/networks')).status).toBe(401);
  });
});
