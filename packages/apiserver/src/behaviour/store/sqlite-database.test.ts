import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteDatabase } from '../../store/sqlite-database.ts';
import { type Entry, type Store, StoreError } from '../../store/store.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-store-'));
  path = join(folder, 'state.db');
});

afterEach(() => rm(folder, { recursive: true }));

function put(store: Store, key: string, expected?: Entry) {
  const encode = (revision: number) => ({ text: JSON.stringify({ metadata: { name: key, revision } }) });
  return store.write({ bucket: 'pods', key, expected, encode });
}

function putLarge(store: Store, key: string, mib: number) {
  const encode = () => ({ text: JSON.stringify({ text: 'x'.repeat(mib * 1024 * 1024) }) });
  return store.write({ bucket: 'pods', key, expected: undefined, encode });
}

async function remove(store: Store, key: string) {
  const expected = store.get('pods', key);
  return store.write({ bucket: 'pods', key, expected, remove: true, encode: () => ({ text: expected?.text ?? '' }) });
}

describe('SqliteDatabase', () => {
  it('returns written objects with their revision, per keyspace', async () => {
    const first = SqliteDatabase.open(path);
    await put(first.store('a'), 'ns/1');
    await put(first.store('a'), 'ns/2');
    await remove(first.store('a'), 'ns/2');
    await put(first.store('b'), 'ns/3');
    await first.close();

    const second = SqliteDatabase.open(path);
    const [a, b] = [second.store('a'), second.store('b')];

    expect(second.keyspaces).toEqual(['a', 'b']);
    expect(a.list('pods').map((entry) => [entry.key, entry.revision])).toEqual([['ns/1', 1]]);
    expect([a.revision, b.revision]).toEqual([3, 1]);
    expect((await put(a, 'ns/2')).entry.revision).toBe(4);
    await second.close();
  });

  it('is accessible to its owner only, with its journals', async () => {
    const database = SqliteDatabase.open(path);
    await put(database.store('a'), 'ns/1');
    const names = await readdir(folder);
    const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    await database.close();

    expect(names).toContain('state.db-wal');
    expect(modes).toEqual(names.map(() => 0o600));
  });

  it('commits the writes of one turn together, in order', async () => {
    const database = SqliteDatabase.open(path);
    const store = database.store('a');
    const batches: string[][] = [];
    store.subscribe((changes) => batches.push(changes.map(({ entry }) => entry.key)));

    const writes = [put(store, '1'), put(store, '2'), put(store, '3')];
    expect([store.revision, store.get('pods', '2')?.revision]).toEqual([0, 2]);
    await store.settled();
    await Promise.all(writes);

    expect(batches).toEqual([['1', '2', '3']]);
    expect([store.revision, store.settled()]).toEqual([3, undefined]);
    await database.close();
  });

  it('commits large writes of one turn one after another, and yields in between', async () => {
    const database = SqliteDatabase.open(path);
    const store = database.store('a');
    const other = database.store('b');
    const seen: string[] = [];
    for (const each of [store, other]) {
      each.subscribe((changes) => {
        seen.push(changes.map(({ entry }) => entry.key).join());
        setImmediate(() => seen.push('turn'));
      });
    }
    const large = (key: string) =>
      store.write({ bucket: 'pods', key, expected: undefined, encode: () => ({ text: `"${'x'.repeat(3_000_000)}"` }) });
    const writes = [large('1'), large('2'), large('3'), put(other, '4')];
    await writes[0];
    expect([store.revision, store.get('pods', '3')?.revision, store.settled() === undefined]).toEqual([2, 3, false]);
    await Promise.all(writes);

    expect(seen.slice(0, 3)).toEqual(['1,2', 'turn', '3']);
    expect([store.revision, store.settled(), other.revision]).toEqual([3, undefined, 1]);
    await database.close();
    const reopened = SqliteDatabase.open(path);
    expect([reopened.store('a').count('pods'), reopened.store('a').revision]).toEqual([3, 3]);
    await reopened.close();
  });

  it('loads a large keyspace in steps, once for all callers, and yields in between', async () => {
    const first = SqliteDatabase.open(path);
    const keys = Array.from({ length: 12 }, (_, at) => `ns/${String(at).padStart(2, '0')}`);
    for (const key of keys) await putLarge(first.store('a'), key, 1);
    await first.close();

    const second = SqliteDatabase.open(path);
    let turns = 0;
    let isOpen = false;
    const count = () => {
      turns += 1;
      if (!isOpen) setImmediate(count);
    };
    setImmediate(count);
    const [store, same] = await Promise.all([second.openStore('a'), second.openStore('a')]);
    isOpen = true;

    expect(turns).toBeGreaterThanOrEqual(2);
    expect(same).toBe(store);
    expect(store.list('pods').map(({ key }) => key)).toEqual(keys);
    expect((await put(store, 'ns/99')).entry.revision).toBe(13);
    await second.close();
  });

  it('returns the whole keyspace to all callers that open it during loading, and can then drop it', async () => {
    const first = SqliteDatabase.open(path);
    for (const key of ['1', '2', '3']) await putLarge(first.store('a'), key, 3);
    await first.close();

    const second = SqliteDatabase.open(path);
    const opening = second.openStore('a');
    const store = second.store('a');
    expect(await opening).toBe(store);
    expect(store.count('pods')).toBe(3);
    await second.dropKeyspace('a');

    expect(second.keyspaces).toEqual([]);
    await second.close();
  });

  it('drops only the given keyspace', async () => {
    const database = SqliteDatabase.open(path);
    await put(database.store('a'), '1');
    await put(database.store('b'), '1');

    await database.dropKeyspace('a');

    expect(database.keyspaces).toEqual(['b']);
    expect([database.store('a').count('pods'), database.store('b').count('pods')]).toEqual([0, 1]);
    await database.close();
  });

  it('rolls back a write that fails on disk', async () => {
    const database = SqliteDatabase.open(path);
    const store = database.store('a');
    const { entry } = await put(store, '1');

    // SQLite accepts text with a lone surrogate, but not a value that is not text.
    const refused = store.write({
      bucket: 'pods',
      key: '1',
      expected: entry,
      encode: () => ({ text: [] as unknown as string }),
    });

    await expect(refused).rejects.toThrow(StoreError);
    expect(store.get('pods', '1')).toBe(entry);
    expect(store.revision).toBe(1);
    await put(store, '2');
    await database.close();
  });

  it('reports why it cannot use a file', async () => {
    await writeFile(path, 'this is no database, but long enough to be looked at as one'.repeat(20));
    expect(() => SqliteDatabase.open(path)).toThrow(`database ${path} is damaged`);

    const newer = join(folder, 'newer.db');
    await SqliteDatabase.open(newer).close();
    const edit = new DatabaseSync(newer);
    edit.exec('pragma user_version = 99');
    edit.close();
    expect(() => SqliteDatabase.open(newer)).toThrow('was written by a newer version (schema 99');

    const foreign = join(folder, 'foreign.db');
    const other = new DatabaseSync(foreign);
    other.exec('create table t (x)');
    other.close();
    expect(() => SqliteDatabase.open(foreign)).toThrow('is an SQLite database of another program');
  });

  it('allows one process at a time', async () => {
    const database = SqliteDatabase.open(path);
    await put(database.store('a'), '1');

    expect(() => SqliteDatabase.open(path)).toThrow(`database ${path} is in use by another process`);
    await database.close();
  });

  it('loses no acknowledged write if its process is killed', async () => {
    const last = { a: 0, b: 0 };
    for (let round = 0; round < 5; round++) {
      const acknowledged = await killWhileWriting(200 + round * 137);
      const database = SqliteDatabase.open(path);
      for (const name of ['a', 'b'] as const) {
        const store = database.store(name);
        const newest = Math.max(
          ...acknowledged.filter((line) => line.keyspace === name).map(({ revision }) => revision),
        );
        expect(store.revision).toBeGreaterThanOrEqual(newest);
        expect(store.revision).toBeGreaterThan(last[name]);
        last[name] = store.revision;
      }
      expect(lostWrites(database, acknowledged)).toEqual([]);
      await database.close();
    }
  });

  interface AcknowledgedWrite {
    readonly keyspace: string;
    readonly key: string;
    readonly removed: boolean;
    readonly revision: number;
  }

  /** Acknowledged writes that are neither stored nor replaced by a later write that was in progress. */
  function lostWrites(database: SqliteDatabase, acknowledged: readonly AcknowledgedWrite[]): AcknowledgedWrite[] {
    const latest = new Map<string, AcknowledgedWrite>();
    for (const line of acknowledged) latest.set(`${line.keyspace} ${line.key}`, line);
    const newestAcknowledged = (name: string) =>
      Math.max(...acknowledged.filter(({ keyspace }) => keyspace === name).map(({ revision }) => revision));
    return [...latest.values()].filter(({ keyspace, key, removed, revision }) => {
      const store = database.store(keyspace);
      const found = store.get('pods', key)?.revision;
      if (found === (removed ? undefined : revision)) return false;
      // A write after the last acknowledged one may have replaced it.
      return found === undefined
        ? store.revision === newestAcknowledged(keyspace)
        : found <= newestAcknowledged(keyspace);
    });
  }

  async function killWhileWriting(lines: number): Promise<AcknowledgedWrite[]> {
    const script = new URL('../../store/crash-writer-fixture.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const acknowledged: AcknowledgedWrite[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const match = /^(\S+) (-?)(\S+) (\d+)$/.exec(line);
      if (match === null) continue;
      const [, keyspace = '', minus, key = '', revision] = match;
      acknowledged.push({ keyspace, key, removed: minus === '-', revision: Number(revision) });
      if (acknowledged.length === lines) child.kill('SIGKILL');
    }
    return acknowledged;
  }
});
