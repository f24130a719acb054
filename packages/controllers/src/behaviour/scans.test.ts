import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { Informer } from '@fairway/kube/client/informer';
import { afterEach, expect, test, vi } from 'vitest';
import { TestFairway } from '../testing/test-fairway.ts';

afterEach(() => vi.restoreAllMocks());

test('no event of a cluster, its pools or its machines causes a scan of a whole cache', async () => {
  await using fairway = await TestFairway.start();
  const { informers } = fairway.process.controllers;
  const listSpy = vi.spyOn(Informer.prototype, 'list');

  await fairway.readyCluster({ replicas: 1 });
  await fairway.patch(nodePools, 'general', { spec: { replicas: 2, template: { labels: { tier: 'front' } } } });
  await fairway.poolReady();
  await fairway.patch(nodePools, 'general', { spec: { replicas: 1 } });
  await fairway.poolReady();
  await fairway.delete(clusters, 'demo');
  await fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo');

  // Installations have few plans and releases. These are scanned, which shows that the spy works.
  const scansOf = (type: Parameters<typeof informers.informer>[0]) =>
    listSpy.mock.contexts.includes(informers.informer(type));
  const kinds = [clusters, nodePools, machines, cloudCredentials, kubernetesReleases];
  expect(kinds.filter(scansOf).map(({ plural }) => plural)).toEqual(['kubernetesreleases']);
});
