import { IN_USE_FINALIZER } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import { TestFairway } from '../testing/test-fairway.ts';

interface Entry extends KubeObject {
  readonly status?: { readonly conditions?: readonly { type: string; reason: string; message: string }[] };
}

const CASES = [
  { type: plans as ResourceType<Entry>, name: 'free' },
  { type: kubernetesReleases as ResourceType<Entry>, name: '1.35' },
];

/** Admission is off, as on a management cluster without a gateway. */
describe.each(CASES)('a deleted $type.singular', ({ type, name }) => {
  const until = (fairway: TestFairway, check: (entry: Entry | undefined) => unknown) =>
    eventually(fairway.client.resource(type), { fieldSelector: `metadata.name=${name}` }, ([entry]) =>
      Boolean(check(entry)),
    );
  const isHeld = (entry: Entry | undefined) => entry?.metadata.finalizers?.includes(IN_USE_FINALIZER);

  test('remains and reports its users until the last cluster is deleted', async () => {
    await using fairway = await TestFairway.start();
    await until(fairway, isHeld);
    await fairway.createCluster({ version: '1.35' });
    await fairway.clusterReady();

    await fairway.client.resource(type).delete(name);
    const [entry] = await until(fairway, (one) => one?.status?.conditions?.[0]?.reason === 'ResourceInUse');
    expect(entry?.status?.conditions?.[0]?.message).toContain('cluster team/demo uses it');

    await fairway.delete(clusters, 'demo');
    await until(fairway, (one) => one === undefined);
  });

  test('is deleted immediately if it has no users', async () => {
    await using fairway = await TestFairway.start();
    await until(fairway, isHeld);

    await fairway.client.resource(type).delete(name);

    await until(fairway, (one) => one === undefined);
    expect(await fairway.client.resource(clusters).list()).toMatchObject({ items: [] });
  });
});
