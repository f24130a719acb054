import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Home, identifyProcess } from './home.ts';

/** A start that has not succeeded yet. */
interface StartAttempt {
  /**
   * Deletes the files that were written to the home. Must be called while the home is locked, once nothing writes to
   * it.
   */
  clear(): void;
  /** Removes the directories that were created. Must be called after the lock is released. */
  removeFolders(): void;
  /** After this call, the other two methods do nothing. */
  succeed(): void;
}

/**
 * Begins a start on a home. A failed start leaves no files in a directory that is not yet a home. The home stays
 * unchanged if Fairway has run on it, another process uses it, or a management cluster refers to it by its ID.
 */
export function beginStart(home: Home): StartAttempt {
  const newFolders = missingFolders(home.path);
  const existingEntries = new Set(newFolders.length > 0 ? [] : readdirSync(home.path));
  let isNew = !existsSync(home.database) && !existsSync(home.id);
  return {
    clear() {
      const otherPids = home.holders(identifyProcess).filter((pid) => pid !== process.pid);
      isNew &&= otherPids.length === 0 && !existsSync(home.id);
      if (!isNew) return;
      const locks = new Set(['lock', `lock-${process.pid}`]);
      for (const name of readdirSync(home.path)) {
        if (!existingEntries.has(name) && !locks.has(name))
          rmSync(join(home.path, name), { recursive: true, force: true });
      }
    },
    removeFolders() {
      if (!isNew) return;
      for (const folder of newFolders) if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
    },
    succeed() {
      isNew = false;
    },
  };
}

/** The directory and its missing parents, deepest first. */
function missingFolders(path: string): string[] {
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}
