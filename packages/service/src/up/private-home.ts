import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown where a home can't be kept from others: it, or a file in it, is another user's, or it is a folder that all share. */
export class SharedHomeError extends Error {
  override readonly name = 'SharedHomeError';
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

export interface HomeFolders {
  readonly path: string;
  readonly pki: string;
}

/**
 * Closes a home that exists to everybody but its owner, with the files and folders that lie in it directly and in its `pki`: whatever mode they
 * were made with, by an older release or by hand. What lies deeper can't be reached then. Throws a SharedHomeError where that is not ours to do.
 *
 * @param self user id of this process; undefined where there are none.
 */
export function closeHome({ path, pki }: HomeFolders, self: number | undefined = process.geteuid?.()): void {
  if (!existsSync(path) || self === undefined) return;
  const folder = statSync(path);
  const below = `choose another folder with --home, such as ${join(path, 'fairway')}`;
  refuseForeign(path, folder, self, below);
  if ((folder.mode & STICKY) !== 0) {
    throw new SharedHomeError(`${path} is a folder shared by all users, and Fairway keeps secrets there: ${below}`);
  }
  if (!existsSync(pki) && readdirSync(path).length > 0) {
    // Somebody's folder of other things, whose mode is not for us to change; what Fairway makes in it is closed by itself.
    if ((folder.mode & OTHERS_WRITE) === 0) return;
    throw new SharedHomeError(
      `users other than the owner may write to ${path}, and Fairway keeps secrets there: ${below}`,
    );
  }
  close(path, folder);
  for (const inner of [path, pki].filter((each) => existsSync(each))) {
    for (const name of readdirSync(inner)) {
      const entry = join(inner, name);
      // Gone again: a lock of another replica, or a draft.
      const stats = lstatSync(entry, { throwIfNoEntry: false });
      // A link's target has an owner and a mode of its own.
      if (stats === undefined || stats.isSymbolicLink()) continue;
      refuseForeign(entry, stats, self, `give it back with: chown -R ${self} ${path}`);
      close(entry, stats);
    }
  }
}

function refuseForeign(path: string, { uid }: Stats, self: number, advice: string): void {
  if (uid === self) return;
  throw new SharedHomeError(`${path} belongs to user ${uid}, and fairway runs as user ${self}: ${advice}`);
}

function close(path: string, { mode }: Stats): void {
  if ((mode & OTHERS) !== 0) chmodSync(path, mode & ~OTHERS & 0o7777);
}
