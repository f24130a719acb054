import { describe, expect, it } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { type Change, type Entry, StaleWriteError, type Store } from './store.ts';

function put(store: Store, key: string, expected?: Entry, bucket = 'pods'): Promise<Change> {
  return store.write({ bucket, key, expected, encode: (revision) => text(key, revision) });
}

function text(key: string, revision: number): { text: string } {
  return { text: JSON.stringify({ metadata: { name: key, resourceVersion: String(revision) } }) };
}

describe('MemoryStore', () => {
  it('uses a single revision counter for all buckets', async () => {
    const store = new MemoryStore();

    const first = await put(store, 'a/1');
    const second = await put(store, 'n', undefined, 'nodes');

    expect([first.entry.revision, second.entry.revision, store.revision]).toEqual([1, 2, 2]);
    expect(store.get('nodes', 'n')?.object().metadata.resourceVersion).toBe('2');
  });

  it('lists in key order, regardless of the order of writes', async () => {
    const store = new MemoryStore();
    for (const key of ['b/2', 'a/2', 'c/1', 'b/1', 'b-c/1']) await put(store, key);

    const keys = (prefix?: string) => store.list('pods', prefix).map((entry) => entry.key);

    expect(keys()).toEqual(['a/2', 'b-c/1', 'b/1', 'b/2', 'c/1']);
    expect(keys('b/')).toEqual(['b/1', 'b/2']);
    expect(keys('x/')).toEqual([]);
  });

  it('rejects a write whose expected entry is not the current one', async () => {
    const store = new MemoryStore();
    const { entry } = await put(store, 'a/1');
    await put(store, 'a/1', entry);

    await expect(put(store, 'a/1')).rejects.toThrow(StaleWriteError);
    await expect(put(store, 'a/1', entry)).rejects.toThrow(StaleWriteError);
    await expect(put(store, 'a/2', entry)).rejects.toThrow(StaleWriteError);
    expect(store.revision).toBe(2);
  });

  it('notifies subscribers of every change with the previous entry', async () => {
    const store = new MemoryStore();
    const seen: string[] = [];
    const stop = store.subscribe((changes) => {
      for (const { removed, entry, previous } of changes) {
        seen.push(`${removed ? 'remove' : 'put'} ${entry.key} ${entry.revision} after ${previous?.revision}`);
      }
    });

    const { entry } = await put(store, 'a/1');
    await store.write({ bucket: 'pods', key: 'a/1', expected: entry, remove: true, encode: (r) => text('a/1', r) });
    stop();
    await put(store, 'a/1');

    expect(seen).toEqual(['put a/1 1 after undefined', 'remove a/1 2 after 1']);
    expect(store.count('pods')).toBe(1);
  });
});
