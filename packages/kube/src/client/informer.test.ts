import { FakeClock } from '@fairway/base/clock-fake';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError } from '../object/api-error.ts';
import type { KubeObject, ResourceType } from '../object/meta.ts';
import { ScriptedApi } from '../testing/scripted-api.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { KubeClient } from './kube-client.ts';
import { TransportError } from './transport.ts';

interface Widget extends KubeObject {
  color?: string;
}

const widgets: ResourceType<Widget> = { group: '', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function follow(api: ScriptedApi, options: InformerOptions<Widget> = {}) {
  const clock = new FakeClock();
  const informer = new Informer(new KubeClient(api).resource(widgets), { clock, random: () => 0.5, ...options });
  const seen: string[] = [];
  informer.addHandler({
    onAdd: ({ metadata }) => seen.push(`add ${metadata.name}`),
    onUpdate: (_old, { metadata }) => seen.push(`update ${metadata.name}`),
    onDelete: ({ metadata }) => seen.push(`delete ${metadata.name}`),
  });
  const stop = new AbortController();
  stops.push(stop);
  informer.start(stop.signal);
  return { informer, clock, seen, stop, settle: () => clock.advance(0) };
}

function watchVersions(api: ScriptedApi): string[] {
  const queries = api.requests.map(({ path }) => new URL(path, 'http://api').searchParams);
  return queries.filter((query) => query.has('watch')).map((query) => `${query.get('resourceVersion')}`);
}

function lists(api: ScriptedApi): number {
  return api.requests.filter(({ path }) => !path.includes('watch=')).length;
}

describe('an informer', () => {
  test('lists in pages, then watches from the list’s version', async () => {
    const api = new ScriptedApi();
    for (const name of ['a', 'b', 'c']) api.put(name);

    const { informer, seen, settle } = follow(api, { pageSize: 2 });
    await settle();

    expect(informer.hasSynced).toBe(true);
    expect(seen).toEqual(['add a', 'add b', 'add c']);
    expect(lists(api)).toBe(2);
    expect(watchVersions(api)).toEqual(['103']);
  });

  test('shows no page until all pages have arrived', async () => {
    const api = new ScriptedApi();
    for (const name of ['a', 'b', 'c']) api.put(name);

    const { informer, clock, settle } = follow(api, { pageSize: 2 });
    api.failNext(new TransportError('refused'));
    await settle();
    expect(informer.size).toBe(0);

    await clock.advance(1_000);
    expect(informer.size).toBe(3);
  });

  test('delivers adds, updates and deletes in order', async () => {
    const api = new ScriptedApi();
    const { seen, settle } = follow(api);
    await settle();

    api.put('a');
    api.put('a', { color: 'red' });
    api.remove('a');
    await settle();

    expect(seen).toEqual(['add a', 'update a', 'delete a']);
  });

  test.each(['reset', 'end'] as const)('resumes where the stream stopped (%s)', async (how) => {
    const api = new ScriptedApi();
    const { seen, clock, settle } = follow(api);
    await settle();
    api.put('a');
    await settle();

    api.breakWatches(how);
    api.put('b');
    await clock.advance(2_000);

    expect(seen).toEqual(['add a', 'add b']);
    expect(watchVersions(api)).toEqual(['100', '101']);
    expect(lists(api)).toBe(1);
  });

  test('resumes from a bookmark', async () => {
    const api = new ScriptedApi();
    const { clock, settle } = follow(api);
    await settle();
    for (let i = 0; i < 5; i++) api.put('elsewhere');
    api.bookmark();
    await settle();

    api.compact();
    api.breakWatches();
    await clock.advance(2_000);

    expect(watchVersions(api)).toEqual(['100', '105']);
    expect(lists(api)).toBe(1);
  });

  test('relists after 410 and delivers only the difference', async () => {
    const api = new ScriptedApi();
    for (const name of ['stays', 'changes', 'goes', 'returns']) api.put(name);
    const { informer, seen, clock, settle } = follow(api);
    await settle();
    seen.length = 0;

    api.failNext(new TransportError('down'));
    api.breakWatches();
    api.put('changes', { color: 'blue' });
    api.remove('goes');
    api.remove('returns');
    api.put('returns');
    api.put('new');
    api.compact();
    await clock.advance(5_000);

    expect(seen.sort()).toEqual(['add new', 'add returns', 'delete goes', 'delete returns', 'update changes']);
    expect(
      informer
        .list()
        .map(({ metadata }) => `${metadata.name}`)
        .sort(),
    ).toEqual(api.names());
    expect(api.watches).toBe(1);
  });

  test('handles an ERROR event according to its status', async () => {
    const api = new ScriptedApi();
    const { clock, settle } = follow(api);
    await settle();
    expect(lists(api)).toBe(1);

    api.failNext(new ApiError(500, 'InternalError', 'etcd is unavailable'));
    api.failNext(
      new ApiError(504, 'Timeout', 'Too large resource version', { causes: [{ reason: 'ResourceVersionTooLarge' }] }),
    );
    api.breakWatches();
    await clock.advance(10_000);

    expect(lists(api)).toBe(2);
  });

  test('restarts a list when its continue token has expired', async () => {
    const api = new ScriptedApi();
    for (const name of ['a', 'b', 'c']) api.put(name);
    const { informer, clock, settle } = follow(api, { pageSize: 2 });
    api.failNext(new TransportError('first page lost'));
    await settle();
    api.failNext(new ApiError(410, 'Expired', 'continue token'));
    await clock.advance(5_000);

    expect(informer.hasSynced).toBe(true);
    expect(informer.size).toBe(3);
  });

  test('backs off with full jitter after failures and resets after a success', async () => {
    const api = new ScriptedApi();
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) api.failNext(new TransportError('refused'));
    const { clock, informer, settle } = follow(api, { random: () => 0.5 });
    await settle();

    while (!informer.hasSynced) {
      const delayMs = clock.nextDueMs ?? 0;
      delays.push(delayMs);
      await clock.advance(delayMs);
    }

    expect(delays).toEqual([400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]);
    expect(informer.lastError).toBeUndefined();
  });

  test('abandons a watch that the server should have ended long ago', async () => {
    const api = new ScriptedApi();
    const { clock, settle } = follow(api, { random: () => 0 });
    await settle();

    await clock.advance(329_000);
    expect(watchVersions(api)).toHaveLength(1);
    await clock.advance(2_000);
    expect(watchVersions(api)).toHaveLength(2);
    expect(api.watches).toBe(1);
  });

  test('drops managed fields and trims objects before caching them', async () => {
    const api = new ScriptedApi();
    api.put('a', { color: 'red', spec: { large: true } });
    const { informer, settle } = follow(api, {
      trim: ({ apiVersion, kind, metadata }) => ({ apiVersion: `${apiVersion}`, kind: `${kind}`, metadata }),
    });
    await settle();

    expect(informer.get('ns/a')).toEqual({
      apiVersion: 'v1',
      kind: 'Widget',
      metadata: { name: 'a', namespace: 'ns', uid: 'uid-1', resourceVersion: '101' },
    });
  });

  test('keeps its indexes consistent', async () => {
    const api = new ScriptedApi();
    api.put('a', { color: 'red' });
    api.put('b', { color: 'red' });
    const { informer, settle } = follow(api, { indexes: { color: ({ color }) => (color ? [color] : []) } });
    await settle();
    const names = (color: string) => informer.byIndex('color', color).map(({ metadata }) => metadata.name);
    expect(names('red')).toEqual(['a', 'b']);

    api.put('a', { color: 'blue' });
    api.remove('b');
    await settle();

    expect(names('red')).toEqual([]);
    expect(names('blue')).toEqual(['a']);
    informer.addIndex('initial', ({ metadata }) => [`${metadata.name}`.slice(0, 1)]);
    expect(informer.byIndex('initial', 'a')).toHaveLength(1);
  });

  test('delivers the cached objects to a handler added later', async () => {
    const api = new ScriptedApi();
    api.put('a');
    const { informer, settle } = follow(api);
    await settle();
    const added: string[] = [];

    const unsubscribe = informer.addHandler({ onAdd: ({ metadata }) => added.push(`${metadata.name}`) });
    api.put('b');
    await settle();
    unsubscribe();
    api.put('c');
    await settle();

    expect(added).toEqual(['a', 'b']);
  });

  test('survives a handler that throws', async () => {
    const api = new ScriptedApi();
    const { informer, settle } = follow(api);
    informer.addHandler({
      onAdd: () => {
        throw new Error('bug');
      },
    });
    api.put('a');
    api.put('b');
    await settle();

    expect(informer.size).toBe(2);
  });

  test('leaves no timers or handlers when it stops', async () => {
    const api = new ScriptedApi();
    const { informer, clock, stop, settle } = follow(api);
    await settle();

    stop.abort();
    await informer.stopped;

    expect(clock.pendingTimers).toBe(0);
    expect(api.watches).toBe(0);
  });
});
