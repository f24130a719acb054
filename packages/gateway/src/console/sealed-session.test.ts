import { CompactEncrypt } from 'jose';
import { expect, it } from 'vitest';
import { type ConsoleSession, seal, unseal } from './sealed-session.ts';
import { newSessionKeys, type SessionKeys, sessionKeys } from './session-keys.ts';

const SESSION: ConsoleSession = { kind: 'keystone', token: 'gAAAAABsecret', user: 'alice', endsAtMs: 1_000 };
const keysOf = (): SessionKeys => sessionKeys(newSessionKeys(0), 0);

it('can be opened until it expires', async () => {
  const keys = keysOf();
  const sealed = await seal(SESSION, keys);

  expect(sealed).not.toContain('secret');
  expect(await unseal(sealed, keys, 999)).toEqual(SESSION);
  expect(await unseal(sealed, keys, 1_000)).toBeUndefined();
});

it('can be opened with a previous key', async () => {
  const [old, next] = [keysOf(), keysOf()];
  const sealed = await seal(SESSION, old);

  expect(await unseal(sealed, { active: next.active, previousKeys: [old.active] }, 0)).toEqual(SESSION);
  expect(await unseal(sealed, next, 0)).toBeUndefined();
});

it('is different each time', async () => {
  const keys = keysOf();

  expect(await seal(SESSION, keys)).not.toBe(await seal(SESSION, keys));
});

it('is invalid after any part of it has changed', async () => {
  const keys = keysOf();
  const parts = (await seal(SESSION, keys)).split('.');
  expect(parts).toHaveLength(5);
  for (const [index, part] of parts.entries()) {
    const changed = parts.with(index, part === '' ? 'QUFB' : `${part[0] === 'A' ? 'B' : 'A'}${part.slice(1)}`);
    expect(await unseal(changed.join('.'), keys, 0)).toBeUndefined();
  }
});

it.each(['', 'x', 'a.b.c', '....', 'x'.repeat(100_000)])('%.20s is invalid', async (text) => {
  expect(await unseal(text, keysOf(), 0)).toBeUndefined();
});

it('cannot be opened with an algorithm other than the one that sealed it', async () => {
  const keys = keysOf();
  const forged = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(SESSION)))
    .setProtectedHeader({ alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', kid: keys.active.id })
    .setKeyManagementParameters({ p2c: 1_000 })
    .encrypt(new TextEncoder().encode('guess'));

  expect(await unseal(forged, keys, 0)).toBeUndefined();
});

it('refuses a token that is too long for a browser', async () => {
  await expect(seal({ ...SESSION, token: 'x'.repeat(4_000) }, keysOf())).rejects.toMatchObject({ code: 413 });
});
