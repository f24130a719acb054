import { copyFileSync, existsSync, fstatSync, mkdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SqliteDatabase } from '../../store/sqlite-database.ts';
import { type Entry, type Store, StoreError } from '../../store/store.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-log-'));
  path = join(folder, 'state.db');
});

afterEach(() => rm(folder, { recursive: true }));

const FILES = ['state.db', 'state.db-wal'] as const;

/** The file behind a descriptor. */
function nameOf(file: number): string {
  return FILES.find((name) => statSync(join(folder, name)).ino === fstatSync(file).ino) ?? 'another';
}

/** A disk that flushes on command. */
class SlowDisk {
  readonly waiting: PromiseWithResolvers<void>[] = [];

  readonly flush = (): Promise<void> => {
    const flush = Promise.withResolvers<void>();
    this.waiting.push(flush);
    return flush.promise;
  };

  async finish(): Promise<void> {
    (await this.#next()).resolve();
  }

  async fail(): Promise<void> {
    (await this.#next()).reject(new Error('EIO: i/o error, fdatasync'));
  }

  #next(): Promise<PromiseWithResolvers<void>> {
    return vi.waitUntil(() => this.waiting.shift());
  }
}

function put(store: Store, key: string, { expected, value = '' }: { expected?: Entry; value?: string } = {}) {
  const encode = () => ({ text: JSON.stringify({ metadata: { name: key, text: value } }) });
  return store.write({ bucket: 'pods', key, expected, encode });
}

const keysOf = (entries: readonly Entry[]) => entries.map(({ key }) => key);

describe('a database whose disk is busy', () => {
  it('gathers writes for the next flush', async () => {
    const disk = new SlowDisk();
    const database = SqliteDatabase.open(path, { flush: disk.flush });
    const store = database.store('a');
    const batches: string[][] = [];
    store.subscribe((changes) => batches.push(changes.map(({ entry }) => entry.key)));

    const first = put(store, '1');
    await expect.poll(() => disk.waiting.length).toBe(1);
    const laterWrites = [put(store, '2'), put(database.store('b'), '1'), put(store, '3')];
    expect([store.revision, batches]).toEqual([0, []]);
    await disk.finish();
    await first;
    expect([store.revision, batches]).toEqual([1, [['1']]]);
    await disk.finish();
    await Promise.all(laterWrites);

    expect([store.revision, batches]).toEqual([3, [['1'], ['2', '3']]]);
    await database.close();
  });

  it('shows durable writes to readers, and accepted writes to writers', async () => {
    const disk = new SlowDisk();
    const database = SqliteDatabase.open(path, { flush: disk.flush });
    const store = database.store('a');
    const written = [put(store, 'a/1'), put(store, 'a/3')];
    await disk.finish();
    await Promise.all(written);
    const previous = store.get('pods', 'a/1');

    const pending = [
      put(store, 'a/1', previous && { expected: previous }),
      put(store, 'a/2'),
      store.write({
        bucket: 'pods',
        key: 'a/3',
        expected: store.get('pods', 'a/3'),
        remove: true,
        encode: () => ({ text: '{}' }),
      }),
    ];
    expect([keysOf(store.list('pods')), keysOf(store.listDurable('pods'))]).toEqual([
      ['a/1', 'a/2'],
      ['a/1', 'a/3'],
    ]);
    expect([store.get('pods', 'a/1')?.revision, store.getDurable('pods', 'a/1')?.revision]).toEqual([3, 1]);
    expect(keysOf(store.listDurable('pods', 'b/'))).toEqual([]);
    await disk.finish();
    await Promise.all(pending);

    expect(store.listDurable('pods')).toEqual(store.list('pods'));
    await database.close();
  });

  it('waits for accepted writes, not for later ones', async () => {
    const disk = new SlowDisk();
    const database = SqliteDatabase.open(path, { flush: disk.flush });
    const store = database.store('a');
    const first = put(store, '1');
    const settled = store.settled();
    await expect.poll(() => disk.waiting.length).toBe(1);
    const second = put(store, '2');
    await disk.finish();
    await settled;

    expect([store.revision, store.settled() === undefined]).toEqual([1, false]);
    await disk.finish();
    await Promise.all([first, second]);
    expect(store.settled()).toBeUndefined();
    await database.close();
  });

  it('does not flush heartbeats', async () => {
    const disk = new SlowDisk();
    const database = SqliteDatabase.open(path, { flush: disk.flush });
    const encode = () => ({ text: '{}' });
    const lease = { bucket: 'leases.coordination.k8s.io', key: 'a/node-1', expected: undefined, encode };
    const { entry } = await database.store('a').write(lease);

    expect([entry.revision, disk.waiting.length]).toEqual([1, 0]);
    await database.close();
  });
});

describe('a failed flush', () => {
  it('rolls back the write and stops all writing, because the state of the disk is unknown', async () => {
    const disk = new SlowDisk();
    const database = SqliteDatabase.open(path, { flush: disk.flush });
    const store = database.store('a');
    const first = put(store, '1');
    await disk.finish();
    const { entry } = await first;

    const refused = [put(store, '1', { expected: entry }), put(store, '2')];
    const outcome = Promise.allSettled(refused);
    await disk.fail();

    const message = 'cannot be written to until Fairway is started again: flushing it failed: EIO: i/o error';
    for (const result of await outcome) {
      expect(result.status === 'rejected' && String(result.reason)).toContain(message);
    }
    expect([store.get('pods', '1'), store.listDurable('pods'), store.revision]).toEqual([entry, [entry], 1]);
    await expect(put(store, '3')).rejects.toThrow(StoreError);
    expect(() => database.copyKeyspace('b', store)).toThrow(message);
    await database.close();
  });

  it('also stops all writing if the process waits for the flush', async () => {
    let isBroken = false;
    const flushSync = () => {
      if (isBroken) throw new Error('EIO: i/o error, fdatasync');
    };
    const database = SqliteDatabase.open(path, { flushSync });
    const store = database.store('a');
    await put(store, '1');
    isBroken = true;
    expect(() => database.copyKeyspace('b', store)).toThrow('until Fairway is started again: flushing it failed: EIO');
    // The kernel reports a lost page only once.
    isBroken = false;

    await expect(put(store, '2')).rejects.toThrow('until Fairway is started again');
    expect(() => database.store('c')).toThrow('until Fairway is started again');
    await database.close();
  });
});

describe('a database closed twice', () => {
  it('is closed once, after all writes', async () => {
    const database = SqliteDatabase.open(path);
    const write = put(database.store('a'), '1');
    await Promise.all([database.close(), database.close(), write]);

    const reopened = SqliteDatabase.open(path);
    expect(keysOf(reopened.store('a').list('pods'))).toEqual(['1']);
    await reopened.close();
  });
});

describe('a log that has grown long', () => {
  it('is copied into the file, which is flushed before the next write', async () => {
    const flushed: string[] = [];
    const flush = (file: number) => {
      flushed.push(nameOf(file));
      return Promise.resolve();
    };
    const database = SqliteDatabase.open(path, { flush });
    const store = database.store('a');
    let entry: Entry | undefined;
    for (let round = 0; round < 40; round++) {
      // A different value each time: SQLite does not rewrite an unchanged page.
      const value = String(round % 10).repeat(1_500_000);
      ({ entry } = await put(store, '1', { value, ...(entry && { expected: entry }) }));
    }

    const turns = flushed.join(' ').match(/state\.db-wal state\.db-wal state\.db(?!-)/g) ?? [];
    expect(turns.length).toBeGreaterThan(1);
    expect((await stat(`${path}-wal`)).size).toBeLessThan(34_000_000);
    await database.close();
    const reopened = SqliteDatabase.open(path);
    expect(reopened.store('a').get('pods', '1')?.text).toBe(entry?.text);
    await reopened.close();
  });
});

describe('a database after a power failure', () => {
  it('never reuses a revision of a lost Lease that a watch may have seen', async () => {
    const disk = (name: string) => join(folder, name);
    const fail = (from: string, to: string) => {
      for (const name of FILES) copyFileSync(join(from, name), join(to, name));
    };
    const lease = { bucket: 'leases.coordination.k8s.io', encode: () => ({ text: '{}' }), expected: undefined };
    for (const name of ['first', 'second', 'third']) mkdirSync(disk(name));
    /** Runs `work` on one disk, and leaves the last flushed state on the other. */
    const boot = async (from: string, to: string, work: (store: Store) => Promise<number>) => {
      const flush = () => Promise.resolve(fail(disk(from), disk(to)));
      const database = SqliteDatabase.open(join(disk(from), 'state.db'), { flush });
      const workResult = await work(database.store('a'));
      await database.close();
      return workResult;
    };
    const renew = async (store: Store, key: string) => (await store.write({ ...lease, key })).entry.revision;

    const first = await boot('first', 'second', async (store) => {
      await put(store, '1');
      return renew(store, 'lost');
    });
    const second = await boot('second', 'third', async (store) => {
      expect([store.revision, store.count(lease.bucket)]).toEqual([1, 0]);
      expect(await renew(store, 'kept')).toBeGreaterThan(first);
      return renew(store, 'lost');
    });
    const third = SqliteDatabase.open(join(disk('third'), 'state.db'));
    expect(keysOf(third.store('a').list(lease.bucket))).toEqual(['kept']);
    const { entry } = await put(third.store('a'), '2');
    expect(entry.revision).toBeGreaterThan(second);
    await third.close();

    const closed = SqliteDatabase.open(join(disk('third'), 'state.db'));
    expect((await put(closed.store('a'), '3')).entry.revision).toBe(entry.revision + 1);
    await closed.close();
  });

  it('has an intact file even if a keyspace was dropped just before the log was copied', async () => {
    const flushed = join(folder, 'flushed');
    const after = join(folder, 'after');
    for (const each of [flushed, after]) mkdirSync(each);
    const keep = (file: number) => copyFileSync(join(folder, nameOf(file)), join(flushed, nameOf(file)));
    let writes = 0;
    let writesBefore = 0;
    let wasDropped = false;
    const flush = async (file: number) => {
      keep(file);
      const isBeforeCopy = nameOf(file) === 'state.db-wal' && writes === writesBefore;
      writesBefore = writes;
      if (isBeforeCopy && !wasDropped && writes > 12) {
        wasDropped = true;
        await database.dropKeyspace('b');
      } else if (wasDropped && nameOf(file) === 'state.db' && !existsSync(join(after, 'state.db'))) {
        copyFileSync(join(folder, 'state.db'), join(after, 'state.db'));
        copyFileSync(join(flushed, 'state.db-wal'), join(after, 'state.db-wal'));
      }
    };
    const database = SqliteDatabase.open(path, { flush, flushSync: keep, maxLogPages: 100 });
    const large = 'x'.repeat(300_000);
    for (; !existsSync(join(after, 'state.db')); writes++) {
      await put(database.store(writes < 5 ? 'b' : 'a'), String(writes), { value: large });
    }
    await database.close();

    const file = new DatabaseSync(join(after, 'state.db'));
    expect(file.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    file.close();
  });

  /** For each file, the disk contains either its last flushed content or its current content. */
  it.each([
    { reason: 'only flushed data', unflushed: [] },
    { reason: 'the file as written', unflushed: ['state.db'] },
    { reason: 'the log as written', unflushed: ['state.db-wal'] },
    { reason: 'everything as written', unflushed: FILES },
  ] as const)('has lost no acknowledged write if the disk holds $reason', async ({ unflushed }) => {
    const flushed = join(folder, 'flushed');
    mkdirSync(flushed);
    const acknowledged = new Map<string, number>();
    let failures = 0;

    const simulatePowerFailure = async () => {
      const after = join(folder, `after-${failures++}`);
      mkdirSync(after);
      for (const name of FILES) {
        const isWritten = (unflushed as readonly string[]).includes(name);
        copyFileSync(join(isWritten ? folder : flushed, name), join(after, name));
      }
      const database = SqliteDatabase.open(join(after, 'state.db'));
      const store = database.store('a');
      for (const [key, revision] of acknowledged) {
        expect(store.get('pods', key)?.revision).toBeGreaterThanOrEqual(revision);
      }
      await database.close();
      await rm(after, { recursive: true });
    };
    const flush = async (file: number) => {
      await simulatePowerFailure();
      const name = nameOf(file);
      copyFileSync(join(folder, name), join(flushed, name));
      await simulatePowerFailure();
    };

    const database = SqliteDatabase.open(path, { flush, maxLogPages: 30 });
    const store = database.store('a');
    for (const name of FILES) copyFileSync(join(folder, name), join(flushed, name));
    for (let round = 0; round < 25; round++) {
      const keys = [`ns/${round % 7}`, `ns/${(round * 3) % 11}`].filter((key, at, all) => all.indexOf(key) === at);
      const writes = keys.map((key) => {
        const expected = store.get('pods', key);
        return put(store, key, { value: String(round).repeat(3_000), ...(expected && { expected }) });
      });
      for (const { entry } of await Promise.all(writes)) acknowledged.set(entry.key, entry.revision);
    }
    await simulatePowerFailure();

    expect(failures).toBeGreaterThan(60);
    await database.close();
  });
});
