import { describe, expect, it } from 'vitest';
import { TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

async function serverWithNamespace(): Promise<TestServer> {
  const server = new TestServer();
  await server.namespace();
  return server;
}

describe('list', () => {
  it('pages through a consistent snapshot', async () => {
    const server = await serverWithNamespace();
    for (const name of ['a', 'b', 'c']) await server.call('POST', maps, { metadata: { name } });

    const { body: first } = await server.list(`${maps}?limit=2`);
    await server.call('DELETE', `${maps}/c`);
    await server.call('POST', maps, { metadata: { name: 'd' } });
    const { body: second } = await server.list(`${maps}?limit=2&continue=${first.metadata.continue}`);

    expect(first.metadata.remainingItemCount).toBe(1);
    expect(second.items.map((item) => item.metadata.name)).toEqual(['c']);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  it('responds with 410 for a page of a version that no longer exists, and returns a token to continue with the current state', async () => {
    const server = new TestServer({ watchCacheSize: 2 });
    await server.namespace();
    for (const name of ['a', 'b', 'c']) await server.call('POST', maps, { metadata: { name } });
    const { body: first } = await server.list(`${maps}?limit=1`);
    await server.call('DELETE', `${maps}/b`);
    for (const name of ['d', 'e']) await server.call('POST', maps, { metadata: { name } });

    const expired = await server.call('GET', `${maps}?limit=2&continue=${first.metadata.continue}`);
    const token = (expired.body as { metadata?: { continue?: string } }).metadata?.continue;
    const { body: second } = await server.list(`${maps}?limit=2&continue=${token}`);
    const { body: third } = await server.list(`${maps}?limit=2&continue=${second.metadata.continue}`);

    expect(expired.body).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/inconsistent list/),
    });
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
    expect(third.items.map(({ metadata }) => metadata.name)).toEqual(['e']);
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    expect(third.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
  });

  it('responds with 504 for a future version', async () => {
    const server = await serverWithNamespace();

    const { status, body } = await server.call('GET', `${maps}?resourceVersion=1000`);

    expect(status).toBe(504);
    expect(body).toMatchObject({ reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } });
  });
});

describe('watch', () => {
  it('begins with existing objects, then sends changes', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', maps, { metadata: { name: 'a' } });
    const watch = await server.watch(maps);

    const { body: created } = await server.call('POST', maps, { metadata: { name: 'b' } });
    await server.call('PUT', `${maps}/b`, { ...created, data: { x: 'y' } });
    await server.call('DELETE', `${maps}/b`);

    expect(await watch.take(4)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED b']);
    watch.stop();
  });

  it('resumes after a version', async () => {
    const server = await serverWithNamespace();
    const { body: list } = await server.list(maps);
    for (const name of ['a', 'b']) await server.call('POST', maps, { metadata: { name } });

    const watch = await server.watch(`${maps}?resourceVersion=${list.metadata.resourceVersion}`);

    expect(await watch.take(2)).toEqual(['ADDED a', 'ADDED b']);
    watch.stop();
  });

  it('responds with 410 for a compacted version', async () => {
    const server = new TestServer({ watchCacheSize: 2 });
    await server.namespace();
    for (const name of ['a', 'b', 'c']) await server.call('POST', maps, { metadata: { name } });

    const watch = await server.watch(`${maps}?resourceVersion=1`);

    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(await watch.next()).toBeUndefined();
  });

  it('reports an object that leaves the selection as deleted', async () => {
    const server = await serverWithNamespace();
    const { body: created } = await server.call('POST', maps, { metadata: { name: 'a', labels: { app: 'web' } } });
    const watch = await server.watch(`${maps}?labelSelector=app%3Dweb`);

    const { body: moved } = await server.call('PUT', `${maps}/a`, {
      ...created,
      metadata: { ...created.metadata, labels: { app: 'db' } },
    });

    expect(await watch.take(1)).toEqual(['ADDED a']);
    expect(await watch.next()).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { app: 'web' }, resourceVersion: moved.metadata.resourceVersion } },
    });
    watch.stop();
  });

  it('sends bookmarks every minute and at its end', async () => {
    const server = await serverWithNamespace();
    const watch = await server.watch(`${maps}?allowWatchBookmarks=true&timeoutSeconds=90`);

    await server.clock.advance(90_000);

    const bookmark = { type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: '1' } } };
    expect(await watch.next()).toMatchObject(bookmark);
    expect(await watch.next()).toMatchObject(bookmark);
    expect(await watch.next()).toBeUndefined();
    expect(server.clock.pendingTimers).toBe(0);
  });

  it('streams a list and marks its end', async () => {
    const server = await serverWithNamespace();
    await server.call('POST', maps, { metadata: { name: 'a' } });

    const watch = await server.watch(
      `${maps}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );

    expect(await watch.take(1)).toEqual(['ADDED a']);
    expect(await watch.next()).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '2', annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    watch.stop();
  });

  it("is rejected with 429 beyond a user's limit, until another watch ends", async () => {
    const server = new TestServer({ limits: { maxWatchesPerUser: 1 } });
    const alice = server.server.transport({ username: 'alice', groups: [] });
    const begin = () => alice.request({ method: 'GET', path: `${maps}?watch=1`, signal: first.signal });
    const first = new AbortController();
    await begin();
    const refused = await begin();
    first.abort();
    const again = await alice.request({ method: 'GET', path: `${maps}?watch=1&timeoutSeconds=1` });
    const master = await server.watch(maps);

    expect([refused.status, refused.headers['retry-after'], again.status]).toEqual([429, '1', 200]);
    expect(JSON.parse(await refused.text())).toMatchObject({ reason: 'TooManyRequests' });
    master.stop();
    await server.server.close();
  });

  it.each([
    { limits: { maxWatchBacklogEvents: 3 }, size: 10, reason: 'on events' },
    { limits: { maxWatchBacklogBytes: 4_000 }, size: 1_000, reason: 'on bytes' },
  ])('ends when its backlog exceeds the limit $reason', async ({ limits, size }) => {
    const server = new TestServer({ limits });
    await server.namespace();
    const watch = await server.watch(maps);
    // As many events as the transport itself buffers, and a few more.
    const written = 256 + 4;
    for (let index = 0; index < written; index++) {
      await server.call('POST', maps, { metadata: { name: `m-${index}` }, data: { x: 'x'.repeat(size) } });
    }
    const seen = await watch.take(written);

    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThanOrEqual(256);
    expect(Object.fromEntries(server.server.traffic.rejections)).toEqual({ watchBacklog: 1 });
    expect(server.server.traffic.inUse('watches')).toBe(0);
  });

  it('resumes after its reader has been slow, without missing or repeating a change', async () => {
    const server = await serverWithNamespace();
    const { body: list } = await server.list(maps);
    const names = Array.from({ length: 600 }, (_, index) => `m-${index}`);
    for (const name of names.slice(0, 300)) await server.call('POST', maps, { metadata: { name } });
    const watch = await server.watch(`${maps}?resourceVersion=${list.metadata.resourceVersion}`);
    for (const name of names.slice(300)) await server.call('POST', maps, { metadata: { name } });

    expect(await watch.take(600)).toEqual(names.map((name) => `ADDED ${name}`));
    watch.stop();
  });
});
