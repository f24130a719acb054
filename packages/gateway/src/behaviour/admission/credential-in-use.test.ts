import { FINALIZER, PAUSED_ANNOTATION } from '@fairway/api/group';
import { type CloudCredential, cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { RESTORE_PAUSE } from '@fairway/api/pause';
import { aCluster } from '@fairway/api/testing/objects';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const where = { namespace: TEAM };

describe.each(FORMS)('%s gateway: deletion of a CloudCredential', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
  });
  afterAll(() => gateway.close());

  const credentials = (who: 'alice' | 'operator') => gateway.as(who).resource(cloudCredentials);
  const exists = async (name: string) =>
    (await credentials('alice').list(where)).items.some(({ metadata }) => metadata.name === name);
  const make = (name: string): Promise<CloudCredential> =>
    credentials('alice').create({
      apiVersion: apiVersionOf(cloudCredentials),
      kind: cloudCredentials.kind,
      metadata: { name, ...where },
      spec: { cloud: 'simulator', secretRef: { name }, reclaimPolicy: 'Retain' },
    });
  /** Creates it like a restored object, which was admitted elsewhere, so that the cloud is not queried. */
  const createRestoredCluster = (name: string, credentialName: string) => {
    const { metadata, ...cluster } = aCluster(
      { credentialName },
      { name, ...where, finalizers: [FINALIZER], annotations: { [PAUSED_ANNOTATION]: RESTORE_PAUSE } },
    );
    const object = { ...cluster, apiVersion: apiVersionOf(clusters), kind: clusters.kind, metadata };
    return gateway.as('operator').resource(clusters).create(object);
  };

  test('is refused while clusters use the credential, with their names in the error', async () => {
    await make('used');
    await createRestoredCluster('one', 'used');
    await createRestoredCluster('two', 'used');

    const refused = await refusal(credentials('alice').delete('used', where));

    expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.message).toContain(
      '2 clusters use it (team/one, team/two): give them another credential of the same project (spec.credentialName), or delete them first; a deletion cannot be undone',
    );
    expect((await credentials('alice').get('used', where)).metadata.deletionTimestamp).toBeUndefined();
  });

  test('is refused for an operator too', async () => {
    await make('held');
    await createRestoredCluster('three', 'held');

    expect(await refusal(credentials('operator').delete('held', where))).toMatchObject({ code: 403 });
  });

  test('is accepted if the credential is unused', async () => {
    await make('free');

    await credentials('alice').delete('free', where);

    expect(await exists('free')).toBe(false);
  });

  test('completes once the last terminating cluster that uses the credential is gone', async () => {
    await make('going');
    await createRestoredCluster('four', 'going');
    await gateway.gateway.client.resource(clusters).delete('four', where);

    await credentials('alice').delete('going', where);

    expect(await exists('going')).toBe(false);
  });
});
