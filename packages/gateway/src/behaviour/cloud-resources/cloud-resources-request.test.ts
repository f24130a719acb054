import { API_VERSION } from '@fairway/api/group';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, type Person, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const PATH = `/apis/${API_VERSION}/namespaces/${TEAM}/clusters`;

describe.each(FORMS)('clusters/cloudresources at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
  });
  afterAll(() => gateway.close());

  function requestResources(person: Person, cluster = 'demo') {
    gateway.listCloudResources = async ({ metadata }) => ({
      time: '2026-11-23T12:00:00Z',
      loadBalancers: [],
      volumes: [{ id: `of-${metadata.name}`, sizeGiB: 1, status: 'in-use', machines: [] }],
    });
    const body = { apiVersion: API_VERSION, kind: 'CloudResourcesRequest' };
    return gateway.call(person, 'POST', `${PATH}/${cluster}/cloudresources`, body);
  }

  // The request only reads, so a reader may send it.
  test.each(['alice', 'rita'] as const)('returns the status to %s', async (person) => {
    const { status, body } = await requestResources(person);

    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'CloudResourcesRequest',
      metadata: { name: 'demo', namespace: TEAM },
      status: { volumes: [{ id: 'of-demo' }] },
    });
  });

  test.each<{ reason: string; person: Person; cluster?: string; code: number }>([
    { reason: 'a stranger', person: 'nobody', code: 403 },
    { reason: 'a missing cluster', person: 'alice', cluster: 'nobody', code: 404 },
  ])('refuses $reason: $code', async ({ person, cluster, code }) => {
    expect((await requestResources(person, cluster)).status).toBe(code);
  });

  test('fails before the controllers run', async () => {
    gateway.listCloudResources = undefined;
    const body = { apiVersion: API_VERSION, kind: 'CloudResourcesRequest' };

    expect(await gateway.call('alice', 'POST', `${PATH}/demo/cloudresources`, body)).toMatchObject({ status: 503 });
  });
});
