import { chmod, chown, lchown, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessUser } from './process-user.ts';
import { dataFolderName } from './snapshots/data-folders.ts';

/** Folders that a cluster's programs read, and Fairway alone writes. */
const READ = ['config', 'pki', 'bin'];
/** Where programs make files of their own beside those of Fairway, which they can't remove or replace. */
const SHARED = ['.', 'logs'];
/** Pid files: for Fairway alone, which ends whom they name. */
const OWN = ['run'];

/**
 * Gives a cluster's folder to its user as far as its programs need it, and closes it to everybody else. Fairway's own files
 * in it stay its own: what a program could replace, root would follow. Without a user all of it is this process's.
 */
export async function openFolderTo(
  user: ProcessUser | undefined,
  folder: string,
  generation: number | undefined,
): Promise<void> {
  for (const name of [...SHARED, ...READ, ...OWN]) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  if (user === undefined) return;
  const { gid } = user;
  for (const [names, mode] of [
    [READ, 0o750],
    [SHARED, 0o1770],
  ] as const) {
    for (const name of names) {
      const path = join(folder, name);
      // A mode before its group would be another group's for a moment.
      await chown(path, 0, gid);
      await chmod(path, mode);
    }
  }
  for (const name of ['config', 'pki']) {
    for (const file of await readdir(join(folder, name))) {
      await lchown(join(folder, name, file), 0, gid);
      await chmod(join(folder, name, file), 0o640);
    }
  }
  for (const file of await readdir(join(folder, 'logs'))) {
    if (file.startsWith('audit')) await giveFile(join(folder, 'logs', file), user);
  }
  await give(join(folder, dataFolderName(generation)), user);
}

/** Gives away a file that an API server wrote as root. Whoever may make names there may also make one of a file of somebody's. */
async function giveFile(path: string, { uid, gid }: ProcessUser): Promise<void> {
  const { uid: owner, nlink } = await lstat(path);
  if (owner !== uid && nlink === 1) await lchown(path, uid, gid);
}

/** Gives a folder with all that is in it away, itself last: one that is its user's was given away whole. */
export async function give(folder: string, user: ProcessUser): Promise<void> {
  const known = await lstat(folder).catch(() => undefined);
  if (known === undefined || known.uid === user.uid) return;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await give(path, user);
    else await lchown(path, user.uid, user.gid);
  }
  await lchown(folder, user.uid, user.gid);
}
