import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import type { Clock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pauseSource } from './pause-source.ts';
import { TestApi } from './testing/test-api.ts';

const { signal } = new AbortController();
const PAUSED = {
  conditions: [
    { type: 'Paused', status: 'True', reason: 'Paused', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
};

let api: TestApi;
beforeEach(async () => {
  api = new TestApi();
  await api.create(Namespaces, { metadata: { name: 'team' }, spec: {} });
  await api.create(clusters, aCluster());
  await api.create(nodePools, aNodePool());
});
afterEach(() => api.close());

/** A clock that lets a controller act on each sleep, which returns immediately. */
function scriptedClock(controllers: readonly (() => Promise<void>)[]): Clock {
  const clock = new FakeClock();
  const steps = controllers.values();
  return {
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    sleep: async (ms) => {
      await steps.next().value?.();
      await clock.advance(ms);
    },
  };
}

async function acknowledgePause<T extends KubeObject>(type: ResourceType<T>, name: string): Promise<void> {
  await api.setStatus(type, await api.client.resource(type).get(name, { namespace: 'team' }), PAUSED);
}

async function cluster(name = 'demo'): Promise<Cluster> {
  return api.client.resource(clusters).get(name, { namespace: 'team' });
}

test('resolves once every object has acknowledged the pause', async () => {
  const receivedPaths: string[] = [];
  const clock = scriptedClock([
    async () => {
      receivedPaths.push((await cluster()).metadata.annotations?.['fairway.dev/paused'] ?? '');
      await acknowledgePause(clusters, 'demo');
    },
    async () => {
      receivedPaths.push('the pool has not spoken yet');
      await acknowledgePause(nodePools, 'general');
    },
  ]);

  await pauseSource(api.client, { clock, signal, timeoutMs: 10_000 });

  expect(receivedPaths).toEqual(['backup', 'the pool has not spoken yet']);
});

test('also pauses a cluster created in the meantime', async () => {
  const clock = scriptedClock([
    async () => {
      await acknowledgePause(clusters, 'demo');
      await acknowledgePause(nodePools, 'general');
      await api.create(clusters, aCluster({}, { name: 'late' }));
    },
    () => acknowledgePause(clusters, 'late'),
  ]);

  await pauseSource(api.client, { clock, signal, timeoutMs: 10_000 });

  expect((await cluster('late')).metadata.annotations).toMatchObject({ 'fairway.dev/paused': 'backup' });
});

test('keeps a pause set by a user', async () => {
  const value = { metadata: { annotations: { 'fairway.dev/paused': 'by hand' } } };
  await api.client.resource(clusters).patch('demo', { type: 'merge', value }, { namespace: 'team' });
  const clock = scriptedClock([() => acknowledgePause(clusters, 'demo'), () => acknowledgePause(nodePools, 'general')]);

  await pauseSource(api.client, { clock, signal, timeoutMs: 10_000 });

  expect((await cluster()).metadata.annotations).toMatchObject({ 'fairway.dev/paused': 'by hand' });
});

test('names the object that has not acknowledged the pause, and suggests checking whether Fairway is running', async () => {
  await acknowledgePause(clusters, 'demo');

  await expect(pauseSource(api.client, { clock: scriptedClock([]), signal, timeoutMs: 2_000 })).rejects.toMatchObject({
    message: 'nodepools.fairway.dev team/general was not reported as paused within 2 s',
    advice: expect.stringContaining('check that it is running') as string,
  });
});
