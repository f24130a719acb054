import { readFileSync } from 'node:fs';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import type { Archive } from './archive.ts';
import { encodeBackup, openBackup, parseBackup } from './backup-file.ts';
import { newEncryption } from './cipher.ts';

const origin = { id: '123e4567-e89b-42d3-a456-426614174000', createdAt: '2026-01-01T00:00:00Z', fairway: '1.2.3' };
const PASSPHRASE = 'correct horse battery staple';
/** The lowest key-derivation cost that a file may use, to keep tests fast. */
const LOW_COST = { N: 2 ** 14, r: 8, p: 1 };

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a', namespace: 'team', uid: 'u-1' },
  data: { key: 'aHVudGVyMg==' },
} satisfies KubeObject & { data: object };
const archive: Archive = {
  contents: { server: 'https://127.0.0.1:8443', paused: true, resourceVersions: { clusters: '7' } },
  objects: [secret, { ...secret, metadata: { ...secret.metadata, name: 'b\nü', uid: 'u-2' } }],
};

const encrypted = await encodeBackup(archive, origin, PASSPHRASE, newEncryption(LOW_COST));
const plain = await encodeBackup(archive, origin, undefined);
const headerEnd = encrypted.indexOf(0x0a);

async function read(bytes: Buffer, passphrase?: string): Promise<Archive> {
  return openBackup('the.backup', parseBackup('the.backup', bytes), passphrase);
}

function withHeader(bytes: Buffer, change: (header: Record<string, unknown>) => object): Buffer {
  const end = bytes.indexOf(0x0a);
  const header = JSON.parse(bytes.subarray(0, end).toString()) as Record<string, unknown>;
  return Buffer.concat([Buffer.from(JSON.stringify(change(header))), bytes.subarray(end)]);
}

function flipBit(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

describe('a backup file', () => {
  test('round-trips with its passphrase', async () => {
    expect(await read(encrypted, PASSPHRASE)).toEqual(archive);
  });

  test('describes its format in the first line, and reveals nothing about its contents', () => {
    const header = JSON.parse(encrypted.subarray(0, headerEnd).toString()) as object;

    expect(header).toMatchObject({
      format: 'fairway-backup',
      version: 1,
      encryption: { cipher: 'aes-256-gcm', kdf: { name: 'scrypt', N: 16384 } },
      payload: { bytes: encrypted.length - headerEnd - 1 },
    });
    expect(encrypted.includes('hunter2') || encrypted.includes('aHVudGVyMg')).toBe(false);
  });

  test('is JSON lines in plain text', async () => {
    const lines = plain.toString().trimEnd().split('\n');

    expect(lines.slice(1).map((line): unknown => JSON.parse(line))).toEqual([
      { contents: archive.contents },
      ...archive.objects,
    ]);
    expect(await read(plain)).toEqual(archive);
  });

  test('never reuses a key', () => {
    const [one, other] = [newEncryption(LOW_COST), newEncryption(LOW_COST)];

    expect([one.kdf.salt, one.nonce]).not.toEqual([other.kdf.salt, other.nonce]);
  });

  test('accepts a passphrase in any Unicode normalization', async () => {
    const bytes = await encodeBackup(archive, origin, 'u\u0308ber den Wolken', newEncryption(LOW_COST));

    expect(await read(bytes, '\u00fcber den Wolken')).toEqual(archive);
  });
});

describe('a file is rejected', () => {
  const futureBackup = withHeader(encrypted, (header) => ({
    ...header,
    version: 2,
    fairway: '9.0.0',
    encryption: 'new',
  }));
  const expensiveBackup = withHeader(encrypted, (header) => {
    const { kdf, ...rest } = header['encryption'] as { kdf: object };
    return { ...header, encryption: { ...rest, kdf: { ...kdf, N: 2 ** 40 } } };
  });
  const cases: readonly { what: string; bytes: Buffer; passphrase?: string; message: RegExp }[] = [
    { what: 'another passphrase', bytes: encrypted, passphrase: 'wrong', message: /the passphrase is wrong/ },
    { what: 'no passphrase', bytes: encrypted, message: /the passphrase is wrong/ },
    {
      what: 'cut off',
      bytes: encrypted.subarray(0, -1),
      passphrase: PASSPHRASE,
      message: /truncated: it has \d+ of \d+ bytes/,
    },
    {
      what: 'cut off after its first line',
      bytes: encrypted.subarray(0, headerEnd + 1),
      passphrase: PASSPHRASE,
      message: /truncated: it has 0 of/,
    },
    {
      what: 'additional bytes',
      bytes: Buffer.concat([encrypted, plain]),
      passphrase: PASSPHRASE,
      message: /damaged/,
    },
    { what: 'damaged', bytes: flipBit(encrypted, encrypted.length - 40), passphrase: PASSPHRASE, message: /damaged/ },
    {
      what: 'a modified first line',
      bytes: withHeader(encrypted, (header) => ({ ...header, createdAt: '2027-01-01T00:00:00Z' })),
      passphrase: PASSPHRASE,
      message: /the file was modified/,
    },
    {
      what: 'a newer format',
      bytes: futureBackup,
      passphrase: PASSPHRASE,
      message: /format 2; this version of Fairway reads format 1/,
    },
    {
      what: 'excessive memory requirements',
      bytes: expensiveBackup,
      passphrase: PASSPHRASE,
      message: /invalid header/,
    },
    { what: 'another kind of file', bytes: readFileSync(import.meta.filename), message: /not a Fairway backup/ },
    { what: 'an empty file', bytes: Buffer.alloc(0), message: /not a Fairway backup/ },
    { what: 'noise', bytes: Buffer.alloc(10_000, 'x'), message: /not a Fairway backup/ },
  ];
  test.each(cases)('$what', async ({ bytes, passphrase, message }) => {
    await expect(async () => read(bytes, passphrase)).rejects.toThrow(message);
  });

  test('if one of its lines is not an object', async () => {
    const [object] = archive.objects;
    const { kind: _kind, ...brokenBackup } = object as KubeObject;
    const bytes = await encodeBackup({ ...archive, objects: [brokenBackup] }, origin, undefined);

    await expect(read(bytes)).rejects.toThrow(/line 2 of its contents[\s\S]*kind/);
  });
});
