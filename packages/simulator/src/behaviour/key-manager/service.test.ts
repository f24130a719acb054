import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstListed, logIn, startTestCloud, type TestCloud, type TestUser } from '../../test-cloud.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

const V1 = '/key-manager/v1';

async function grantToDemo(name: string): Promise<TestUser> {
  const role = firstListed(await test.admin.call('GET', `/identity/v3/roles?name=${name}`), 'roles');
  const { projectId, userId } = test.demo;
  await test.admin.call('PUT', `/identity/v3/projects/${projectId}/users/${userId}/roles/${role.id}`);
  return logIn(test.origin, 'demo', 'demo');
}

describe('quotas', () => {
  it('are set by the service administrator, and enforced', async () => {
    const serviceAdmin = await grantToDemo('key-manager:service-admin');
    const path = `${V1}/project-quotas/${test.demo.projectId}`;

    expect((await test.admin.call('PUT', path, { project_quotas: {} })).status).toBe(403);
    expect((await serviceAdmin.call('GET', path)).body['description']).toBe('Project quotas not found.');
    expect((await serviceAdmin.call('PUT', path, { project_quotas: { secrets: 1, orders: 0 } })).status).toBe(204);
    expect((await serviceAdmin.call('GET', path)).body).toEqual({
      project_quotas: { secrets: 1, orders: 0, containers: null, consumers: null, cas: null },
    });
    expect((await test.demo.call('GET', `${V1}/quotas`)).body['quotas']).toMatchObject({ secrets: 1, containers: -1 });
    expect((await test.demo.call('POST', `${V1}/secrets`, {})).status).toBe(201);
    expect((await test.demo.call('POST', `${V1}/secrets`, {})).body).toEqual({
      code: 403,
      title: 'Forbidden',
      description: 'Secret creation issue seen - Creation not allowed because a quota has been reached.',
    });
    const order = { type: 'key', meta: { algorithm: 'aes', bit_length: 128 } };
    expect((await test.demo.call('POST', `${V1}/orders`, order)).status).toBe(403);
    expect((await serviceAdmin.call('GET', `${V1}/project-quotas`)).body['total']).toEqual(1);
    expect((await serviceAdmin.call('DELETE', path)).status).toBe(204);
    expect((await test.demo.call('POST', `${V1}/secrets`, {})).status).toBe(201);
  });

  it('can also be set through the control API', async () => {
    test.cloud.setQuota('other', { containers: 0 });

    expect((await test.other.call('POST', `${V1}/containers`, { type: 'generic' })).status).toBe(403);
  });
});

it('forgets a secret when it expires', async () => {
  const expiration = new Date(test.clock.now() + 60_000).toISOString();
  const created = await test.demo.call('POST', `${V1}/secrets`, { name: 'brief', expiration });
  const path = `${V1}/secrets/${(created.body['secret_ref'] as unknown as string).split('/').at(-1)}`;

  expect((await test.demo.call('GET', path)).status).toBe(200);
  await test.clock.advance(60_000);

  expect((await test.demo.call('GET', path)).status).toBe(404);
  expect((await test.demo.call('GET', `${V1}/secrets?name=brief`)).body['total']).toBe(0);
});

it('returns injected faults in its own format', async () => {
  test.cloud.faults.add({ service: 'key-manager', action: { kind: 'answer', status: 503, message: 'later' } });

  expect((await test.demo.call('GET', `${V1}/secrets`)).body).toEqual({
    code: 503,
    title: 'Service Unavailable',
    description: 'later',
  });
});
