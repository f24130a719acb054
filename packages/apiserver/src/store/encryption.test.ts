import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createEncryptionKey,
  type EncryptionKey,
  encryptBuckets,
  parseEncryptionKeys,
  renderEncryptionKeys,
} from './encryption.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { type Store, StoreError } from './store.ts';

const [old, current] = [createEncryptionKey('2026-01'), createEncryptionKey('2026-06')];
const text = '{"data":{"password":"open sesame"}}';

describe('encryptBuckets', () => {
  const codec = encryptBuckets(['secrets'], [current, old]);

  it('encrypts and decrypts the values of its buckets', () => {
    const sealed = codec.seal('secrets', 'a/secrets/ns/x', text);

    expect(sealed).toMatch(/^fairway:enc:v1:2026-06:[A-Za-z0-9+/=]+$/);
    expect(Buffer.from(sealed.split(':')[4] ?? '', 'base64').includes('sesame')).toBe(false);
    expect(codec.open('secrets', 'a/secrets/ns/x', sealed)).toBe(text);
    expect(codec.seal('secrets', 'a/secrets/ns/x', text)).not.toBe(sealed);
  });

  it('leaves other buckets and plain values unchanged', () => {
    expect(codec.seal('pods', 'a/pods/ns/x', text)).toBe(text);
    expect(codec.open('secrets', 'a/secrets/ns/x', text)).toBe(text);
  });

  it.each<{
    reason: string;
    change: (sealed: string) => readonly [path: string, sealed: string];
    keys: EncryptionKey[];
  }>([
    { reason: 'moved to another location', change: (sealed) => ['a/secrets/ns/y', sealed], keys: [current] },
    {
      reason: 'changed by one bit',
      change: (sealed) => ['a/secrets/ns/x', sealed.replace(/.(?==*$)/, (last) => (last === 'A' ? 'Q' : 'A'))],
      keys: [current],
    },
    { reason: 'cut short', change: (sealed) => ['a/secrets/ns/x', sealed.slice(0, -24)], keys: [current] },
    {
      reason: 'encrypted with another key of the same name',
      change: (s) => ['a/secrets/ns/x', s],
      keys: [createEncryptionKey('2026-06')],
    },
    { reason: 'encrypted with a missing key', change: (sealed) => ['a/secrets/ns/x', sealed], keys: [old] },
  ])('rejects a value that was $reason', ({ change, keys }) => {
    const [path, sealed] = change(codec.seal('secrets', 'a/secrets/ns/x', text));

    expect(() => encryptBuckets(['secrets'], keys).open('secrets', path, sealed)).toThrow(StoreError);
  });

  it.each<{ bucket: string; stored: string; isOutdated: boolean; reason: string }>([
    { reason: 'the value is plain', bucket: 'secrets', stored: text, isOutdated: true },
    {
      reason: 'it was encrypted with a retired key',
      bucket: 'secrets',
      stored: encryptBuckets(['secrets'], [old]).seal('secrets', 'p', text),
      isOutdated: true,
    },
    {
      reason: 'it was encrypted with the current key',
      bucket: 'secrets',
      stored: codec.seal('secrets', 'p', text),
      isOutdated: false,
    },
    { reason: 'its bucket is not encrypted', bucket: 'pods', stored: text, isOutdated: false },
  ])('decides on re-encryption: $isOutdated, because $reason', ({ bucket, stored, isOutdated }) => {
    expect(codec.isOutdated(bucket, stored)).toBe(isOutdated);
  });
});

describe('a key file', () => {
  it('is read back as written', () => {
    expect(parseEncryptionKeys(renderEncryptionKeys([current, old]))).toEqual([current, old]);
  });

  it.each(['key', 'key c2hvcnQ=', `sp,ace ${current.key.toString('base64')}`])(
    'is rejected for the line %j',
    (line) => {
      expect(() => parseEncryptionKeys(`${line}\n`)).toThrow(/line 1 is no encryption key/);
    },
  );
});

describe('a database with encrypted buckets', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-encryption-'));
    path = join(folder, 'state.db');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const put = (store: Store, bucket: string) =>
    store.write({ bucket, key: 'ns/x', expected: store.get(bucket, 'ns/x'), encode: () => ({ text }) });

  function values(): Record<string, unknown> {
    const database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare('select bucket, value from object').all();
    database.close();
    return Object.fromEntries(rows.map(({ bucket, value }) => [String(bucket), value]));
  }

  it('returns decrypted values and stores them encrypted', async () => {
    const first = SqliteDatabase.open(path, { codec: encryptBuckets(['secrets'], [current]) });
    const { entry } = await put(first.store('a'), 'secrets');
    await put(first.store('a'), 'pods');
    await first.close();

    expect(entry.text).toBe(text);
    expect(values()).toEqual({ pods: text, secrets: expect.stringMatching(/^fairway:enc:v1:2026-06:/) });
    const second = SqliteDatabase.open(path, { codec: encryptBuckets(['secrets'], [current]) });
    expect(second.store('a').get('secrets', 'ns/x')?.text).toBe(text);
    await second.close();
  });

  it('encrypts plain values, and re-encrypts values encrypted with a retired key, without a new revision', async () => {
    const plain = SqliteDatabase.open(path);
    await put(plain.store('a'), 'secrets');
    await plain.close();

    for (const keys of [[old], [current, old], [current]]) {
      const database = SqliteDatabase.open(path, { codec: encryptBuckets(['secrets'], keys) });
      expect(database.store('a').get('secrets', 'ns/x')).toMatchObject({ text, revision: 1 });
      await database.close();
      expect(values()['secrets']).toMatch(`fairway:enc:v1:${keys[0]?.id}:`);
    }
  });

  it("names the value that can't be decrypted", async () => {
    const first = SqliteDatabase.open(path, { codec: encryptBuckets(['secrets'], [old]) });
    await put(first.store('a'), 'secrets');
    await first.close();

    const second = SqliteDatabase.open(path, { codec: encryptBuckets(['secrets'], [current]) });
    expect(() => second.store('a')).toThrow(/a secrets ns\/x is encrypted with key 2026-01/);
    await second.close();
  });
});
