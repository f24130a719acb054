import { projectQuotas } from '@fairway/api/kinds/project-quota';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestMagnum } from '../../testing/test-magnum.ts';

describe('quotas, statistics and services', () => {
  let magnum: TestMagnum;
  beforeAll(async () => {
    magnum = await TestMagnum.start();
    for (const name of ['one', 'two']) await create(name);
  });
  afterAll(() => magnum?.close());

  function create(name: string) {
    const body = { name, cluster_template_id: 'k8s-1.34-free', flavor_id: 'b3-8', node_count: 2 };
    return magnum.call('alice', 'POST', '/v1/clusters', body);
  }

  test('a quota set by an administrator is enforced, returned, changed and deleted', async () => {
    const path = '/v1/quotas/project-team/Cluster';
    expect((await magnum.call('alice', 'GET', path)).body).toMatchObject({
      project_id: 'project-team',
      hard_limit: -1,
    });
    const quotaBody = { project_id: 'project-team', resource: 'Cluster', hard_limit: 2 };
    expect((await magnum.call('alice', 'POST', '/v1/quotas', quotaBody)).status).toBe(403);
    expect(await magnum.call('admin', 'POST', '/v1/quotas', quotaBody)).toMatchObject({ status: 201, body: quotaBody });
    expect((await magnum.call('admin', 'POST', '/v1/quotas', quotaBody)).status).toBe(409);

    expect((await create('third')).body.errors[0]).toMatchObject({
      status: 403,
      detail: expect.stringMatching(/^Resource limit exceeded: /),
    });
    expect((await magnum.call('alice', 'GET', path)).body.hard_limit).toBe(2);
    expect((await magnum.call('olga', 'GET', path)).status).toBe(403);
    expect((await magnum.call('admin', 'PATCH', path, { hard_limit: 3 })).status).toBe(202);
    expect((await create('third')).status).toBe(202);
    expect((await magnum.call('admin', 'GET', '/v1/quotas?all_tenants=True')).body.quotas).toMatchObject([
      { hard_limit: 3 },
    ]);
    expect((await magnum.call('admin', 'DELETE', path)).status).toBe(204);
    expect((await magnum.call('admin', 'DELETE', path)).status).toBe(404);
  });

  test('a quota that the operator has set in a ProjectQuota is returned', async () => {
    const quotas = magnum.gateway.gateway.client.resource(projectQuotas);
    const where = { namespace: TEAM };
    await quotas.create({ metadata: { name: 'project', ...where }, spec: { clusters: 7 } });
    const { body } = await magnum.call('alice', 'GET', '/v1/quotas/project-team/Cluster');
    await quotas.delete('project', where);

    expect(body.hard_limit).toBe(7);
  });

  test('statistics cover the user’s own project, or all projects for administrators', async () => {
    const before = (await magnum.call('alice', 'GET', '/v1/stats')).body;
    expect(before.nodes).toBe(2 * before.clusters);
    expect((await magnum.call('olga', 'GET', '/v1/stats')).body).toEqual({ clusters: 0, nodes: 0 });
    expect((await magnum.call('olga', 'GET', '/v1/stats?project_id=project-team')).status).toBe(403);
    expect((await magnum.call('admin', 'GET', '/v1/stats?project_id=project-team')).body).toEqual(before);
    expect((await magnum.call('alice', 'GET', '/v1/stats?type=pods')).status).toBe(400);
  });

  test('only administrators can list services', async () => {
    expect((await magnum.call('alice', 'GET', '/v1/mservices')).status).toBe(403);
    expect((await magnum.call('admin', 'GET', '/v1/mservices')).body.mservices).toMatchObject([
      { binary: 'magnum-conductor', state: 'up' },
    ]);
  });

  test('federations are not supported', async () => {
    expect((await magnum.call('alice', 'GET', '/v1/federations')).body).toEqual({ federations: [] });
    expect((await magnum.call('alice', 'GET', '/v1/federations/f')).status).toBe(404);
    expect((await magnum.call('alice', 'POST', '/v1/federations', {})).body.errors[0].detail).toBe(
      'Federations are not supported.',
    );
  });

  test('a rotation of the operator’s credential is refused', async () => {
    const response = await magnum.call('alice', 'PATCH', '/v1/credentials/one');
    expect(response.body.errors[0]).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/operator's credential/),
    });
    expect((await magnum.call('alice', 'PATCH', '/v1/credentials/one', undefined, '1.11')).status).toBe(406);
  });
});
