import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { systemClock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { InformerReader } from '@fairway/kube/client/informer-reader';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newCacheSync } from '../../management/cache-sync.ts';
import { ManagementCluster } from '../../testing/management-cluster.ts';

let cluster: ManagementCluster;
let stop: AbortController;
let informers: InformerSet;
beforeEach(async () => {
  cluster = await ManagementCluster.start();
  stop = new AbortController();
  informers = new InformerSet(cluster.client);
});
afterEach(async () => {
  stop.abort();
  await informers.stopped();
  await cluster.close();
});

test('waits until the cache has a namespace that was just created', async () => {
  const reader = new InformerReader(informers, [Namespaces, cloudCredentials]);
  informers.start(stop.signal);
  await informers.whenSynced();
  const metadata = { name: 'new', annotations: { 'fairway.dev/cloud': 'c' } };
  await cluster.client.resource(Namespaces).create({ metadata, spec: {} });
  await newCacheSync({ reader, client: cluster.client, clock: systemClock })('new', undefined);

  expect(reader.get(Namespaces, '', 'new')?.metadata.annotations).toMatchObject(metadata.annotations);
});

test('does not wait for missing objects', async () => {
  const reader = new InformerReader(informers, [Namespaces, cloudCredentials]);
  const clock = new FakeClock();
  await newCacheSync({ reader, client: cluster.client, clock })('nowhere', 'nothing');

  expect(clock.pendingTimers).toBe(0);
});

test('waits at most 2 s for a stuck watch', async () => {
  await cluster.client.resource(Namespaces).create({ metadata: { name: 'new' }, spec: {} });
  // The watch never starts.
  const reader = new InformerReader(informers, [Namespaces, cloudCredentials]);
  const clock = new FakeClock();
  let isOver = false;
  const wait = newCacheSync({ reader, client: cluster.client, clock })('new', undefined).then(() => {
    isOver = true;
  });
  await clock.advance(1_990);
  expect(isOver).toBe(false);
  await clock.advance(20);
  await wait;

  expect(isOver).toBe(true);
});
