import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { ResourceType } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

describe.each(FORMS)('%s gateway: catalogue', (form) => {
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
  ])('does not let an operator delete a $type.singular in use', async ({ type, name }) => {
    const refused = await refusal(gateway.as('operator').resource(type).delete(name));

    expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(refused.message).toContain('cluster team/demo uses it: delete them first; a deletion cannot be undone');
  });

  test.each<{ type: ResourceType; name: string }>([
    { type: plans, name: 'standard' },
    { type: kubernetesReleases, name: '1.31' },
  ])('lets an operator delete an unused $type.singular', async ({ type, name }) => {
    await gateway.as('operator').resource(type).delete(name);

    await expect(gateway.as('operator').resource(type).get(name)).rejects.toMatchObject({ code: 404 });
  });

  test('lets an operator remove a patch version from its release only if no cluster runs it', async () => {
    const releases = gateway.as('operator').resource(kubernetesReleases);
    const { spec } = await releases.get('1.35');
    const withoutPatch = (version: string) => ({
      spec: { patches: spec.patches.filter((patch) => patch.version !== version) },
    });

    const refused = await refusal(releases.patch('1.35', { type: 'merge', value: withoutPatch('1.35.2') }));
    expect(refused).toMatchObject({ code: 422 });
    expect(refused.message).toContain('spec.patches: Forbidden: 1.35.2 cannot be removed');
    const updatedRelease = await releases.patch('1.35', { type: 'merge', value: withoutPatch('1.35.1') });
    expect(updatedRelease.spec.patches.map(({ version }) => version)).not.toContain('1.35.1');
  });
});
