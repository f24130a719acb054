import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from './failure.ts';
import { ResourceStore } from './resource-store.ts';
import type { StoredObject } from './resources.ts';
import type { WatchEvent, WatchRequest } from './watch-channel.ts';

interface TestObject extends StoredObject {
  readonly size?: number;
}

function newTestObject(name: string, resourceVersion = '1', size = 0): TestObject {
  return { metadata: { name, namespace: 'team', resourceVersion, managedFields: [{}] }, size };
}

/** A fake API with one scripted response for each request. */
class FakeApi {
  readonly requestedPaths: string[] = [];
  readonly pausesMs: number[] = [];
  readonly pages: (object | Failure)[] = [];
  readonly watches: ((WatchEvent<TestObject>[] | Failure | (() => void))[] | 'open')[] = [];
  /** Resolves when no scripted responses are left. */
  readonly idle = Promise.withResolvers<void>();

  store(): ResourceStore<TestObject> {
    return new ResourceStore<TestObject>({
      path: '/things',
      random: () => 1,
      schedule: (work) => work(),
      list: <R>(path: string) => this.#respond(path) as Promise<R>,
      watch: (watching) => this.#watch(watching),
      pause: (ms) => {
        this.pausesMs.push(ms);
        return Promise.resolve();
      },
    });
  }

  async #respond(path: string): Promise<object> {
    this.requestedPaths.push(path);
    const page = this.pages.shift();
    if (page === undefined) return this.#emptyStream();
    if (page instanceof Failure) throw page;
    return page;
  }

  async *#watch({ resourceVersion }: WatchRequest): AsyncGenerator<WatchEvent<TestObject>[]> {
    this.requestedPaths.push(`watch ${resourceVersion}`);
    const batches = this.watches.shift();
    if (batches === undefined || batches === 'open') return this.#emptyStream();
    for (const batch of batches) {
      if (batch instanceof Failure) throw batch;
      if (typeof batch === 'function') batch();
      else yield batch;
    }
  }

  #emptyStream(): Promise<never> {
    this.idle.resolve();
    return new Promise(() => {});
  }
}

let api: FakeApi;
beforeEach(() => {
  api = new FakeApi();
});

async function followed(): Promise<ResourceStore<TestObject>> {
  const store = api.store();
  store.start();
  await api.idle.promise;
  return store;
}

const page = (items: readonly TestObject[], resourceVersion: string, next?: string) => ({
  metadata: { resourceVersion, ...(next && { continue: next }) },
  items,
});
const names = (store: ResourceStore<TestObject>) => store.get().items.map(({ metadata }) => metadata.name);

describe('a collection', () => {
  it('is listed in pages, then watched', async () => {
    api.pages.push(page([newTestObject('a')], '5', 'more'), page([newTestObject('b')], '6'));
    const store = await followed();

    expect(api.requestedPaths).toEqual(['/things?limit=500', '/things?limit=500&continue=more', 'watch 6']);
    expect(names(store)).toEqual(['a', 'b']);
    expect(store.get()).toMatchObject({ isComplete: true, failure: undefined });
  });

  it('shows the first page before the rest have arrived', async () => {
    api.pages.push(page([newTestObject('a')], '5', 'more'));
    const store = await followed();

    expect(names(store)).toEqual(['a']);
    expect(store.get().isComplete).toBe(false);
  });

  it('tracks added, changed and deleted objects', async () => {
    api.pages.push(page([newTestObject('a'), newTestObject('b')], '5'));
    api.watches.push([
      [{ type: 'ADDED', object: newTestObject('c', '6') }],
      [
        { type: 'MODIFIED', object: newTestObject('a', '7', 3) },
        { type: 'DELETED', object: newTestObject('b', '8') },
      ],
    ]);
    const store = await followed();

    expect(names(store)).toEqual(['a', 'c']);
    expect(store.get().byKey.get('team/a')?.size).toBe(3);
  });

  it('drops managedFields', async () => {
    api.pages.push(page([newTestObject('a')], '5'));
    const store = await followed();

    expect(store.get().items[0]?.metadata).not.toHaveProperty('managedFields');
  });

  it('resumes a watch where it ended, including after a bookmark', async () => {
    api.pages.push(page([], '5'));
    api.watches.push(
      [[{ type: 'ADDED', object: newTestObject('a', '6') }]],
      [[{ type: 'BOOKMARK', object: { metadata: { resourceVersion: '90' } } }]],
    );
    await followed();

    expect(api.requestedPaths).toEqual(['/things?limit=500', 'watch 5', 'watch 6', 'watch 90']);
  });

  it('stays displayed while the user must sign in again, so that forms are not lost', async () => {
    api.pages.push(page([newTestObject('a')], '5'));
    api.watches.push([new Failure(401, 'Unauthorized')]);
    const store = await followed();

    expect(names(store)).toEqual(['a']);
    expect(store.get()).toMatchObject({ isComplete: true, failure: { code: 401 } });
    expect(api.pausesMs).toEqual([30_000]);
  });

  it('is listed again if the version is too old, and keeps the snapshot until then', async () => {
    api.pages.push(page([newTestObject('a')], '5'));
    api.watches.push([[{ type: 'ERROR', object: { code: 410, message: 'too old' } }]]);
    const store = await followed();

    expect(api.requestedPaths).toEqual(['/things?limit=500', 'watch 5', '/things?limit=500']);
    expect(names(store)).toEqual(['a']);
    expect(store.get().failure).toBeUndefined();
  });

  it('removes deleted objects when it is listed again', async () => {
    api.pages.push(page([newTestObject('a'), newTestObject('b')], '5'), page([newTestObject('b')], '9'));
    api.watches.push([new Failure(410, 'gone')]);
    const store = await followed();

    expect(names(store)).toEqual(['b']);
  });

  it('waits longer each time while the server is unreachable, and shows the known objects', async () => {
    api.pages.push(page([newTestObject('a')], '5'));
    api.watches.push([new Failure(0, 'refused')], [new Failure(503, 'stopping')], [new Failure(0, 'refused')]);
    const store = await followed();

    expect(api.pausesMs).toEqual([500, 1_000, 2_000]);
    expect(api.requestedPaths.slice(1)).toEqual(['watch 5', 'watch 5', 'watch 5', 'watch 5']);
    expect(names(store)).toEqual(['a']);
    expect(store.get().failure?.code).toBe(0);
  });

  it('waits only briefly after a healthy watch breaks, as happens behind a proxy with a one-minute timeout', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const minute = () => void vi.advanceTimersByTime(60_000);
    api.pages.push(page([newTestObject('a')], '5'));
    for (let index = 0; index < 4; index++) api.watches.push([minute, new Failure(0, 'cut')]);
    await followed();
    vi.useRealTimers();

    expect(api.pausesMs).toEqual([500, 500, 500, 500]);
  });

  it('waits at least for the server’s Retry-After', async () => {
    api.pages.push(new Failure(429, 'busy', { retryAfterMs: 7_000 }));
    await followed();

    expect(api.pausesMs).toEqual([7_250]);
  });

  it('clears the failure when the server responds', async () => {
    api.pages.push(page([], '5'));
    api.watches.push(
      [new Failure(0, 'refused')],
      [[{ type: 'BOOKMARK', object: { metadata: { resourceVersion: '6' } } }]],
    );
    const store = await followed();

    expect(store.get().failure).toBeUndefined();
  });

  it('removes objects that the user may no longer read', async () => {
    api.pages.push(page([newTestObject('a')], '5'));
    api.watches.push([new Failure(403, 'forbidden')]);
    const store = await followed();

    expect(names(store)).toEqual([]);
    expect(store.get()).toMatchObject({ isComplete: false, failure: { code: 403 } });
    expect(api.pausesMs).toEqual([30_000]);
  });

  it('notifies listeners once per frame', async () => {
    let notifications = 0;
    const work: (() => void)[] = [];
    const events = Array.from({ length: 1_000 }, (_, index) => ({
      type: 'ADDED' as const,
      object: newTestObject(`n${index}`, String(index)),
    }));
    const idle = Promise.withResolvers<void>();
    const store = new ResourceStore<TestObject>({
      path: '/things',
      schedule: (each) => void work.push(each),
      list: <R>() => Promise.resolve(page([], '5') as R),
      async *watch() {
        for (const event of events) yield [event];
        idle.resolve();
        await new Promise(() => {});
      },
    });
    store.subscribe(() => notifications++);
    store.start();
    await idle.promise;
    for (const each of work) each();

    expect(notifications).toBe(1);
    expect(store.get().items).toHaveLength(1_000);
  });
});
