import { API_VERSION } from '@fairway/api/group';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, type Person, TEAM, TestGateway, UNKNOWN_CLOUD_TEAM } from '../../testing/test-gateway.ts';

describe.each(FORMS)('cloudprofiles/quotas at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    for (const namespace of [TEAM, UNKNOWN_CLOUD_TEAM]) {
      const { kind } = cloudProfiles;
      const metadata = { name: 'default', namespace };
      await gateway.gateway.client
        .resource(cloudProfiles)
        .create({ apiVersion: API_VERSION, kind, metadata, spec: { cloud: 'simulator' } });
    }
  });
  afterAll(() => gateway.close());

  function requestQuotas(person: Person, { namespace = TEAM, profile = 'default' } = {}) {
    const path = `/apis/${API_VERSION}/namespaces/${namespace}/cloudprofiles/${profile}/quotas`;
    return gateway.call(person, 'POST', path, { apiVersion: API_VERSION, kind: 'QuotasRequest' });
  }

  // The request only reads, so a reader may send it.
  test.each(['alice', 'rita'] as const)('returns the project’s quotas to %s', async (person) => {
    const { status, body } = await requestQuotas(person);

    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'QuotasRequest',
      metadata: { name: 'default', namespace: TEAM },
      status: {
        time: expect.stringMatching(/Z$/),
        quotas: expect.arrayContaining([{ name: 'instances', limit: expect.any(Number), used: expect.any(Number) }]),
      },
    });
  });

  test.each<{ reason: string; person: Person; profile?: string; code: number }>([
    { reason: 'a stranger', person: 'nobody', code: 403 },
    { reason: 'a missing profile', person: 'alice', profile: 'nothing', code: 404 },
  ])('refuses $reason: $code', async ({ person, profile, code }) => {
    expect((await requestQuotas(person, profile === undefined ? {} : { profile })).status).toBe(code);
  });

  test('returns nothing for a project without a cloud', async () => {
    const { status, body } = await requestQuotas('alice', { namespace: UNKNOWN_CLOUD_TEAM });

    expect({ status, answer: (body as { status?: object }).status }).toEqual({ status: 201, answer: {} });
  });
});
