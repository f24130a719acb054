import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError } from '@fairway/service/command-error';
import type { CliContext } from '../command/context.ts';

export const PASSPHRASE_VARIABLE = 'FAIRWAY_BACKUP_PASSPHRASE';
/** Minimum length for new backups: the file may be kept for years. */
export const MIN_PASSPHRASE_LENGTH = 12;

/** The passphrase from the file or the environment, without a file's trailing newline; undefined if neither is set. */
export async function readPassphrase(
  { env, cwd }: Pick<CliContext, 'env' | 'cwd'>,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return env[PASSPHRASE_VARIABLE] || undefined;
  try {
    return (await readFile(resolve(cwd, file), 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw usageError(`--passphrase-file: ${(error as Error).message}`, undefined, error);
  }
}

/** Returns the passphrase for a new backup. Throws a CommandError if it is missing or too short. */
export function requireNewPassphrase(passphrase: string | undefined): string {
  if (passphrase === undefined) {
    throw usageError(
      'a backup contains the keys of all clusters and must be encrypted, but no passphrase was given',
      `name a file that contains one with --passphrase-file, or set ${PASSPHRASE_VARIABLE}`,
    );
  }
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw usageError(
      `the passphrase has ${passphrase.length} characters; it needs at least ${MIN_PASSPHRASE_LENGTH}`,
      'generate one with "openssl rand -base64 24 > FILE"',
    );
  }
  return passphrase;
}
