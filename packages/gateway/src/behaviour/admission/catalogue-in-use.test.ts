import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { ResourceType } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

describe.each(FORMS)('%s gateway: the catalogue', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('demo', { version: '1.35.2' });
    const status = { version: '1.35.2' };
    await gateway.gateway.client
      .resource(clusters)
      .patch('demo', { type: 'merge', value: { status } }, { namespace: TEAM, subresource: 'status' });
  });
  afterAll(() => gateway.close());

  test.each<{ type: ResourceType; name: string }>([
    { type: plans, name: 'free' },
    { type: kubernetesReleases, name: '1.35' },
  ])('an operator cannot delete a $type.singular in use', async ({ type, name }) => {
    const refused = await refusal(gateway.as('operator').resource(type).delete(name));

    expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.message).toContain('cluster team/demo uses it: delete them first; a deletion cannot be undone');
  });

  test.each<{ type: ResourceType; name: string }>([
    { type: plans, name: 'standard' },
    { type: kubernetesReleases, name: '1.31' },
  ])('an unused $type.singular can be deleted', async ({ type, name }) => {
    await gateway.as('operator').resource(type).delete(name);

    await expect(gateway.as('operator').resource(type).get(name)).rejects.toMatchObject({ code: 404 });
  });

  test('a patch version that a cluster runs cannot be removed from its release, any other can', async () => {
    const releases = gateway.as('operator').resource(kubernetesReleases);
    const { spec } = await releases.get('1.35');
    const without = (version: string) => ({
      spec: { patches: spec.patches.filter((patch) => patch.version !== version) },
    });

    const refused = await refusal(releases.patch('1.35', { type: 'merge', value: without('1.35.2') }));
    expect(refused).toMatchObject({ code: 422 });
    expect(refused.message).toContain('spec.patches: Forbidden: 1.35.2 cannot be removed');
    const left = await releases.patch('1.35', { type: 'merge', value: without('1.35.1') });
    expect(left.spec.patches.map(({ version }) => version)).not.toContain('1.35.1');
  });
});
