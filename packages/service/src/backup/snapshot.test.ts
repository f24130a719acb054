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

test('takes a complete snapshot, however small the chunks', async () => {
  const fullSnapshot = await takeSnapshot(api.client, { signal });
  const chunkedSnapshot = await takeSnapshot(api.client, { signal, chunkSize: 1 });

  expect(namesIn(fullSnapshot, 'Cluster')).toEqual(['a', 'b', 'c']);
  expect(chunkedSnapshot.objects).toEqual(fullSnapshot.objects);
  expect(fullSnapshot.resourceVersions).toMatchObject({
    'clusters.fairway.dev': expect.stringMatching(/^\d+$/) as string,
  });
});

test('takes a consistent snapshot: it includes a change made during the read either completely or not at all', async () => {
  // A second cluster's objects are created between the reads of clusters and ConfigMaps.
  const busyApi = client(/configmaps/, async (attempt) => {
    if (attempt > 2) return;
    await api.create(clusters, aCluster({}, { name: `new-${attempt}`, namespace: 'team' }));
    await api.create(ConfigMaps, { metadata: { name: `of-new-${attempt}`, namespace: 'team' } });
  });

  const snapshot = await takeSnapshot(busyApi, { signal });

  expect(namesIn(snapshot, 'Cluster')).toEqual(['a', 'b', 'c', 'new-1', 'new-2']);
  expect(namesIn(snapshot, 'ConfigMap')).toEqual(['of-new-1', 'of-new-2']);
});

test('fails if the API keeps changing, and suggests what to do', async () => {
  const busyApi = client(/configmaps/, (attempt) =>
    api.create(ConfigMaps, { metadata: { name: `c-${attempt}`, namespace: 'team' } }),
  );

  await expect(takeSnapshot(busyApi, { signal })).rejects.toThrow(/changed during each of 10 attempts/);
});

test('fails for an API that serves only tenants', async () => {
  const inner = api.server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  const gateway: Transport = {
    request: (request) => inner.request({ ...request, path: request.path.replace('configmaps', 'nothings') }),
    close: () => inner.close(),
  };

  await expect(takeSnapshot(new KubeClient(gateway), { signal })).rejects.toThrow('the API does not serve configmaps');
});

test('reads a list again if its continue token has expired', async () => {
  let isTokenExpired = true;
  const inner = api.server.transport({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  const transport: Transport = {
    async request(request: TransportRequest) {
      const continuedSnapshot = /\/clusters\?.*continue=/.test(request.path);
      if (!continuedSnapshot || !isTokenExpired) return inner.request(request);
      isTokenExpired = false;
      await api.client.resource(clusters).delete('a', { namespace: 'team' });
      const response = await inner.request(request);
      return {
        ...response,
        status: 410,
        text: async () => JSON.stringify({ kind: 'Status', code: 410, reason: 'Expired' }),
      };
    },
    close: () => inner.close(),
  };

  const snapshot = await takeSnapshot(new KubeClient(transport), { signal, chunkSize: 1 });

  expect(isTokenExpired).toBe(false);
  expect(namesIn(snapshot, 'Cluster')).toEqual(['b', 'c']);
});
