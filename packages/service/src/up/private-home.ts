import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown if a home can't be made private: it or a file in it belongs to another user, or it is a shared directory. */
export class SharedHomeError extends Error {
  override readonly name = 'SharedHomeError';
}

const OTHERS_MODE_MASK = 0o077;
const OTHERS_WRITE_MASK = 0o022;
const STICKY_BIT = 0o1000;

export interface HomeFolders {
  readonly path: string;
  readonly pki: string;
}

/**
 * Makes an existing home accessible only to its owner, with the files and directories directly in it and in its `pki`,
 * whatever mode they were created with. Deeper levels then become unreachable for other users. Throws a SharedHomeError
 * if this process may not do that.
 *
 * @param self user ID of this process; undefined on systems without user IDs.
 */
export function restrictHomeAccess({ path, pki }: HomeFolders, self: number | undefined = process.geteuid?.()): void {
  if (!existsSync(path) || self === undefined) return;
  const folder = statSync(path);
  const below = `use another folder with --home, such as ${join(path, 'fairway')}`;
  refuseForeignOwner(path, folder, self, below);
  if ((folder.mode & STICKY_BIT) !== 0) {
    throw new SharedHomeError(`${path} is a folder shared by all users, but Fairway stores secrets there: ${below}`);
  }
  if (!existsSync(pki) && readdirSync(path).length > 0) {
    // This user's directory has other contents, so its mode must not change; files that Fairway creates in it are
    // private regardless.
    if ((folder.mode & OTHERS_WRITE_MASK) === 0) return;
    throw new SharedHomeError(
      `users other than the owner can write to ${path}, but Fairway stores secrets there: ${below}`,
    );
  }
  close(path, folder);
  for (const inner of [path, pki].filter((each) => existsSync(each))) {
    for (const name of readdirSync(inner)) {
      const entry = join(inner, name);
      // The file was deleted in the meantime: it was a lock of another replica, or a temporary file.
      const stats = lstatSync(entry, { throwIfNoEntry: false });
      // A symlink's target has its own owner and mode.
      if (stats === undefined || stats.isSymbolicLink()) continue;
      refuseForeignOwner(entry, stats, self, `restore its owner with: chown -R ${self} ${path}`);
      close(entry, stats);
    }
  }
}

function refuseForeignOwner(path: string, { uid }: Stats, self: number, advice: string): void {
  if (uid === self) return;
  throw new SharedHomeError(`${path} belongs to user ${uid}, but fairway runs as user ${self}: ${advice}`);
}

function close(path: string, { mode }: Stats): void {
  if ((mode & OTHERS_MODE_MASK) !== 0) chmodSync(path, mode & ~OTHERS_MODE_MASK & 0o7777);
}
