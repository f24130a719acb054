import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TestGateway } from '../../testing/test-gateway.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe.each(FORMS)('%s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
  });
  afterAll(() => gateway.close());

  test.each(['alice', 'nobody'] as const)(
    'returns an empty list of definitions, which kubectl requests, for %s',
    async (who) => {
      const rawResponse = await gateway.as(who).raw({ method: 'GET', path: `${PATH}?limit=500` });

      expect(JSON.parse(await rawResponse.text())).toMatchObject({ kind: 'CustomResourceDefinitionList', items: [] });
    },
  );

  test.each([
    { method: 'GET', path: `${PATH}?watch=true`, reason: 'a list is not a watch' },
    { method: 'GET', path: `${PATH}/clusters.fairway.dev`, reason: 'no definition exists' },
    { method: 'POST', path: PATH, reason: 'no definition can be created' },
    { method: 'GET', path: '/apis/apiextensions.k8s.io/v1', reason: 'the group is not in discovery' },
  ] as const)('does not serve $method $path: $reason', async ({ method, path }) => {
    const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};

    expect((await refusal(gateway.as('alice').raw({ method, path, ...body }))).code).toBeOneOf([403, 404]);
  });
});
