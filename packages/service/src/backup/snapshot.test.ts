import { clusters } from '@fairway/api/kinds/cluster';
import { aCluster } from '@fairway/api/testing/objects';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest } from '@fairway/kube/client/transport';
import { ConfigMaps, Namespaces } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeSnapshot } from './snapshot.ts';
import { TestApi } from './testing/test-api.ts';

const { signal } = new AbortController();
let api: TestApi;
beforeEach(async () => {
  api = new TestApi();
  await api.create(Namespaces, { metadata: { name: 'team' }, spec: {} });
  for (const name of ['a', 'b', 'c']) await api.create(clusters, aCluster({}, { name, namespace: 'team' }));
});
afterEach(() => api.close());

/** A client with a callback before each request whose path matches. */
function client(matches: RegExp, before: (attempt: number) => Promise<unknown>): KubeClient {
  const inner = api.server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  let attempt = 0;
  const transport: Transport = {
    async request(request: TransportRequest) {
      if (matches.test(request.path)) await before(++attempt);
      return inner.request(request);
    },
    close: () => inner.close(),
  };
  return new KubeClient(transport);
}

function namesIn({ objects }: Awaited<ReturnType<typeof takeSnapshot>>, kind: string): (string | undefined)[] {
  return objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
}

test('a snapshot is complete, however small the chunks', async () => {
  const whole = await takeSnapshot(api.client, { signal });
  const chunked = await takeSnapshot(api.client, { signal, chunkSize: 1 });

  expect(namesIn(whole, 'Cluster')).toEqual(['a', 'b', 'c']);
  expect(chunked.objects).toEqual(whole.objects);
  expect(whole.resourceVersions).toMatchObject({ 'clusters.fairway.dev': expect.stringMatching(/^\d+$/) as string });
});

test('it is consistent: a change during the read is in it entirely or not at all', async () => {
  // A second cluster's parts come between the reading of clusters and that of ConfigMaps.
  const busy = client(/configmaps/, async (attempt) => {
    if (attempt > 2) return;
    await api.create(clusters, aCluster({}, { name: `new-${attempt}`, namespace: 'team' }));
    await api.create(ConfigMaps, { metadata: { name: `of-new-${attempt}`, namespace: 'team' } });
  });

  const snapshot = await takeSnapshot(busy, { signal });

  expect(namesIn(snapshot, 'Cluster')).toEqual(['a', 'b', 'c', 'new-1', 'new-2']);
  expect(namesIn(snapshot, 'ConfigMap')).toEqual(['of-new-1', 'of-new-2']);
});

test('an API that keeps changing is an error with advice', async () => {
  const busy = client(/configmaps/, (attempt) =>
    api.create(ConfigMaps, { metadata: { name: `c-${attempt}`, namespace: 'team' } }),
  );

  await expect(takeSnapshot(busy, { signal })).rejects.toThrow(/changed during each of 10 attempts/);
});

test('an API that serves only tenants is an error', async () => {
  const inner = api.server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  const gateway: Transport = {
    request: (request) => inner.request({ ...request, path: request.path.replace('configmaps', 'nothings') }),
    close: () => inner.close(),
  };

  await expect(takeSnapshot(new KubeClient(gateway), { signal })).rejects.toThrow('the API does not serve configmaps');
});

test('a list whose continue token expired is read again', async () => {
  let isForgotten = true;
  const inner = api.server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  const transport: Transport = {
    async request(request: TransportRequest) {
      const continued = /\/clusters\?.*continue=/.test(request.path);
      if (!continued || !isForgotten) return inner.request(request);
      isForgotten = false;
      await api.client.resource(clusters).delete('a', { namespace: 'team' });
      const answer = await inner.request(request);
      return {
        ...answer,
        status: 410,
        text: async () => JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired' }),
      };
    },
    close: () => inner.close(),
  };

  const snapshot = await takeSnapshot(new KubeClient(transport), { signal, chunkSize: 1 });

  expect(isForgotten).toBe(false);
  expect(namesIn(snapshot, 'Cluster')).toEqual(['b', 'c']);
});
