import { API_VERSION, FINALIZER } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, type Person, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

describe.each(FORMS)('%s gateway: the controllers’ finalizer', (form) => {
  let gateway: TestGateway;
  const hold = { type: 'merge' as const, value: { metadata: { finalizers: [FINALIZER, 'example.com/mine'] } } };

  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo');
    await gateway.createPool('general');
    await gateway
      .as('alice')
      .resource(cloudCredentials)
      .create({
        apiVersion: apiVersionOf(cloudCredentials),
        kind: cloudCredentials.kind,
        metadata: { name: 'own', namespace: TEAM },
        spec: { cloud: 'simulator', secretRef: { name: 'own' }, reclaimPolicy: 'Retain' },
      });
    // Uses the controllers' identity.
    const { client } = gateway.gateway;
    await client.resource(clusters).patch('demo', hold, { namespace: TEAM });
    await client.resource(nodePools).patch('general', hold, { namespace: TEAM });
    await client.resource(cloudCredentials).patch('own', hold, { namespace: TEAM });
  });
  afterAll(() => gateway.close());

  const path = (plural: string, name: string) => `/apis/${API_VERSION}/namespaces/${TEAM}/${plural}/${name}`;
  const refused = {
    status: 422,
    body: { reason: 'Invalid', details: { causes: [{ field: 'metadata.finalizers' }] } },
  };

  test.each<{ who: Person; plural: string; name: string }>([
    { who: 'alice', plural: 'clusters', name: 'demo' },
    { who: 'alice', plural: 'nodepools', name: 'general' },
    { who: 'alice', plural: 'cloudcredentials', name: 'own' },
    { who: 'operator', plural: 'clusters', name: 'demo' },
  ])('stays on $plural, whatever $who patches', async ({ who, plural, name }) => {
    const before = gateway.cloudCallCount;

    expect(await gateway.call(who, 'PATCH', path(plural, name), { metadata: { finalizers: null } })).toMatchObject(
      refused,
    );
    expect(
      await gateway.call(who, 'PATCH', path(plural, name), { metadata: { finalizers: ['example.com/mine'] } }),
    ).toMatchObject(refused);
    expect(gateway.cloudCallCount).toBe(before);
  });

  test('stays on a cluster that is replaced by a manifest without it, even if its spec changes too', async () => {
    const client = gateway.as('alice').resource(clusters);
    const { metadata, ...cluster } = await client.get('demo', { namespace: TEAM });
    const { finalizers: _finalizers, ...rest } = metadata;

    const error = await refusal(client.update({ ...cluster, metadata: rest }));

    expect(error).toMatchObject({ code: 422, message: expect.stringContaining(`${FINALIZER} must stay in the list`) });
  });

  test('stays on a cluster that is being deleted, while other finalizers can be removed', async () => {
    const client = gateway.as('alice').resource(nodePools);
    await client.delete('general', { namespace: TEAM });

    const value = { metadata: { finalizers: [FINALIZER] } };
    const finalized = await client.patch('general', { type: 'merge', value }, { namespace: TEAM });
    const stripped = await gateway.call('alice', 'PATCH', path('nodepools', 'general'), {
      metadata: { finalizers: null },
    });

    expect(finalized.metadata).toMatchObject({ finalizers: [FINALIZER], deletionTimestamp: expect.any(String) });
    expect(stripped).toMatchObject(refused);
  });

  test('cannot be set by other users', async () => {
    await gateway.createPool('fresh');

    expect(
      await gateway.call('alice', 'PATCH', path('nodepools', 'fresh'), { metadata: { finalizers: [FINALIZER] } }),
    ).toMatchObject(refused);
  });
});
