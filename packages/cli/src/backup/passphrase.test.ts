import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPassphrase, requireNewPassphrase } from './passphrase.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fairway-passphrase-'));
  await writeFile(join(cwd, 'file'), 'from the file\r\n');
});
afterAll(() => rm(cwd, { recursive: true }));

const VARIABLE = { FAIRWAY_BACKUP_PASSPHRASE: 'from the environment' };

test.each([
  { env: {}, file: undefined, read: undefined, reason: 'no passphrase' },
  {
    env: { FAIRWAY_BACKUP_PASSPHRASE: '' },
    file: undefined,
    read: undefined,
    reason: 'an empty passphrase counts as unset',
  },
  { env: VARIABLE, file: undefined, read: 'from the environment', reason: 'the variable' },
  {
    env: VARIABLE,
    file: 'file',
    read: 'from the file',
    reason: 'the option takes precedence over the variable, and the line end is removed',
  },
])('$read: $reason', async ({ env, file, read }) => {
  expect(await readPassphrase({ env, cwd }, file)).toBe(read);
});

test('a missing file is an error, not an unencrypted backup', async () => {
  await expect(readPassphrase({ env: VARIABLE, cwd }, 'other')).rejects.toThrow(/--passphrase-file: ENOENT/);
});

test.each([
  { given: undefined, message: /--passphrase-file|no passphrase was given/ },
  { given: 'eleven char', message: /has 11 characters; it needs at least 12/ },
])('rejects $given as the passphrase for a new backup', ({ given, message }) => {
  expect(() => requireNewPassphrase(given)).toThrow(message);
});
