import { chmod, chown, lchown, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMIT_POLICIES_FOLDER } from './folder-layout.ts';
import type { ProcessUser } from './process-user.ts';
import { dataFolderName } from './snapshots/data-folders.ts';

/** Directories that a cluster's programs may read but only Fairway may write to. */
const READABLE_FOLDERS = ['config', 'pki', 'bin', LIMIT_POLICIES_FOLDER];
/** Directories in which programs create files next to Fairway's own, which they can neither remove nor replace. */
const SHARED_FOLDERS = ['.', 'logs'];
/** Pid files, accessible only to Fairway, because it signals the processes listed there. */
const PRIVATE_FOLDERS = ['run'];

/**
 * Gives a cluster's user the access to its directory that its programs need, and denies access to all others. Fairway's
 * own files in it keep their owner: root must not follow a path that a program could replace. Without a user, this
 * process owns the whole directory.
 */
export async function grantFolderAccess(
  user: ProcessUser | undefined,
  folder: string,
  generation: number | undefined,
): Promise<void> {
  for (const name of [...SHARED_FOLDERS, ...READABLE_FOLDERS, ...PRIVATE_FOLDERS])
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  if (user === undefined) return;
  const { gid } = user;
  for (const [names, mode] of [
    [READABLE_FOLDERS, 0o750],
    [SHARED_FOLDERS, 0o1770],
  ] as const) {
    for (const name of names) {
      const path = join(folder, name);
      // If the mode were set before the group, the previous group would have access for a moment.
      await chown(path, 0, gid);
      await chmod(path, mode);
    }
  }
  for (const name of ['config', 'pki', LIMIT_POLICIES_FOLDER]) {
    for (const file of await readdir(join(folder, name))) {
      await lchown(join(folder, name, file), 0, gid);
      await chmod(join(folder, name, file), 0o640);
    }
  }
  for (const file of await readdir(join(folder, 'logs'))) {
    if (/^(?:tenant-)?audit/.test(file)) await changeFileOwner(join(folder, 'logs', file), user);
  }
  await changeOwner(join(folder, dataFolderName(generation)), user);
}

/**
 * Changes the owner of a file that an API server wrote as root. Any user who can create names there could also hard-link another
 * user's file.
 */
async function changeFileOwner(path: string, { uid, gid }: ProcessUser): Promise<void> {
  const { uid: owner, nlink } = await lstat(path);
  if (owner !== uid && nlink === 1) await lchown(path, uid, gid);
}

/**
 * Changes the owner of a directory and its content, the directory last: if the user owns the directory, everything in
 * it has been processed.
 */
export async function changeOwner(folder: string, user: ProcessUser): Promise<void> {
  const known = await lstat(folder).catch(() => undefined);
  if (known === undefined || known.uid === user.uid) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await changeOwner(path, user);
    else await lchown(path, user.uid, user.gid);
  }
  await lchown(folder, user.uid, user.gid);
}
