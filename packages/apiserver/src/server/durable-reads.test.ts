import { describe, expect, it } from 'vitest';
import { Keyspace } from '../store/keyspace.ts';
import { StoreError } from '../store/store.ts';
import { TestServer } from './test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

/** A server whose writes wait until the test commits them, with `a` in the store. */
async function heldServer() {
  const store = new Keyspace('held', 0, () => {});
  const server = new TestServer({ store });
  async function committed<T>(request: Promise<T>): Promise<T> {
    await accepted(store, 1);
    store.commit();
    return request;
  }
  await committed(server.namespace());
  await committed(server.call('POST', maps, { metadata: { name: 'a' }, data: { color: 'red' } }));
  return { server, store };
}

async function accepted(store: Keyspace, count: number): Promise<void> {
  await expect.poll(() => store.pendingChanges.length).toBe(count);
}

describe('reads while writes wait for the disk', () => {
  it('return the durable state, at its version, without waiting', async () => {
    const { server, store } = await heldServer();
    const writes = [
      server.call(
        'PATCH',
        `${maps}/a`,
        { data: { color: 'blue' } },
        { 'content-type': 'application/merge-patch+json' },
      ),
      server.call('POST', maps, { metadata: { name: 'b' } }),
    ];
    await accepted(store, 2);

    const { body: shown } = await server.call('GET', `${maps}/a`);
    const { status } = await server.call('GET', `${maps}/b`);
    const { body: list } = await server.list(maps);

    expect([shown.data?.['color'], status, list.items.length, list.metadata.resourceVersion]).toEqual([
      'red',
      404,
      1,
      '2',
    ]);
    store.commit();
    expect((await Promise.all(writes)).map((reply) => reply.status)).toEqual([200, 201]);
    expect((await server.call('GET', `${maps}/a`)).body.data?.['color']).toBe('blue');
  });

  it('are followed by each change once: a watch begins with the durable state', async () => {
    const { server, store } = await heldServer();
    const write = server.call('POST', maps, { metadata: { name: 'b' } });
    await accepted(store, 1);

    const watch = await server.watch(maps);
    const resumed = await server.watch(`${maps}?resourceVersion=2`);
    store.commit();
    await write;
    const removal = server.call('DELETE', `${maps}/b`);
    await accepted(store, 1);
    store.commit();
    await removal;

    expect(await watch.take(3)).toEqual(['ADDED a', 'ADDED b', 'DELETED b']);
    expect(await resumed.take(2)).toEqual(['ADDED b', 'DELETED b']);
    watch.stop();
    resumed.stop();
  });

  it('return the previous state if the writes fail', async () => {
    const { server, store } = await heldServer();
    const removal = server.call('DELETE', `${maps}/a`);
    await accepted(store, 1);
    expect((await server.call('GET', `${maps}/a`)).status).toBe(200);

    store.abort(new StoreError('the disk is full'));

    expect((await removal).status).toBe(500);
    expect((await server.call('GET', `${maps}/a`)).body.metadata.resourceVersion).toBe('2');
  });
});

describe('a no-op write', () => {
  it('gets its response once the state that it read is durable', async () => {
    const { server, store } = await heldServer();
    const change = { data: { color: 'blue' } };
    const patch = () => server.call('PATCH', `${maps}/a`, change, { 'content-type': 'application/merge-patch+json' });
    const first = patch();
    await accepted(store, 1);
    let hasResponded = false;
    const second = patch().finally(() => {
      hasResponded = true;
    });
    await server.call('GET', `${maps}/a`);
    expect(hasResponded).toBe(false);
    store.commit();

    expect([(await first).status, (await second).status, store.revision]).toEqual([200, 200, 3]);
  });
});

describe('a rejected write', () => {
  const removal = (server: TestServer) => server.call('DELETE', `${maps}/a`);
  const creation = (server: TestServer) => server.call('POST', maps, { metadata: { name: 'b' } });
  const update = (server: TestServer) =>
    server.call('PUT', `${maps}/a`, { metadata: { name: 'a', resourceVersion: '2' }, data: { color: 'blue' } });

  it.each([
    { reason: 'the object was deleted', first: removal, second: removal, status: 404 },
    { reason: 'the object already exists', first: creation, second: creation, status: 409 },
    { reason: 'the object was changed', first: update, second: update, status: 409 },
  ])('gets its response once the reason is durable: $reason', async ({ first, second, status }) => {
    const { server, store } = await heldServer();
    const accepting = first(server);
    await accepted(store, 1);
    let hasResponded = false;
    const refused = second(server).finally(() => {
      hasResponded = true;
    });
    // Once a later request has been processed, so has the write.
    for (let turn = 0; turn < 5; turn++) await server.call('GET', `${maps}/a`);
    expect(hasResponded).toBe(false);
    store.commit();

    expect([(await accepting).status < 300, (await refused).status]).toEqual([true, status]);
  });
});
