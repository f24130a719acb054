import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { masterKey, saltOf, seal, unseal } from './sealing.ts';

const master = randomBytes(32);
const MAX_BYTES = 1000;

test('seals equal contents to equal bytes, and different contents to unrelated bytes', async () => {
  const [one, again, other, elsewhere] = await Promise.all([
    seal(master, 'a', Buffer.from('content')),
    seal(master, 'a', Buffer.from('content')),
    seal(master, 'a', Buffer.from('other')),
    seal(master, 'b', Buffer.from('content')),
  ]);

  expect(one.equals(again)).toBe(true);
  expect(one.subarray(0, 32).equals(other.subarray(0, 32))).toBe(false);
  expect(one.subarray(0, 32).equals(elsewhere.subarray(0, 32))).toBe(false);
  expect((await unseal(master, 'a', one, MAX_BYTES)).toString()).toBe('content');
});

test.each([
  { reason: 'in the hash', at: 3 },
  { reason: 'in the content', at: 40 },
  { reason: 'in the tag', at: -1 },
])('detects a changed byte $reason', async ({ at }) => {
  const sealed = await seal(master, 'a', Buffer.from('content'));
  const index = at < 0 ? sealed.length + at : at;
  sealed.writeUInt8(sealed.readUInt8(index) ^ 1, index);

  await expect(unseal(master, 'a', sealed, MAX_BYTES)).rejects.toThrow('a cannot be decrypted');
});

test('refuses oversized and truncated contents', async () => {
  const bomb = await seal(master, 'a', Buffer.alloc(10_000_000));

  await expect(unseal(master, 'a', bomb, MAX_BYTES)).rejects.toThrow('a cannot be decrypted');
  await expect(unseal(master, 'a', Buffer.alloc(40), MAX_BYTES)).rejects.toThrow('truncated');
});

test('derives the key from the passphrase with its store’s salt', async () => {
  const key = await masterKey('correct horse', saltOf('bucket/prefix/'));

  expect(key.length).toBe(32);
  expect(saltOf('bucket/a/').equals(saltOf('bucket/b/'))).toBe(false);
});
