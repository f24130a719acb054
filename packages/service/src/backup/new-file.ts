import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError, usageError } from '../command-error.ts';

/**
 * Writes a file atomically, readable only by its owner, and never overwrites an existing file. Throws a CommandError if
 * the file already exists or can't be created.
 */
export async function writeNewFile(path: string, bytes: Buffer, unique: string): Promise<void> {
  const draft = `${path}.${unique}.draft`;
  try {
    const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike a rename, a link does not replace an existing file.
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw usageError(`${path} already exists`, 'specify another file with -o');
    throw new CommandError(`${path} cannot be written: ${message}`, { cause: error });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
