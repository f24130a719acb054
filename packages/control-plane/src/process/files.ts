import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { constants, copyFile, mkdir, open, readdir, rename, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What the runtime does with files. Those that it reads are small; what may take long or waits for a disk is asynchronous. */
export interface Files {
  read(path: string): string | undefined;
  /** Replaces a file as a whole, with the folders above it, for its owner and at most one group of readers; durable when it resolves. */
  write(path: string, text: string, readers?: number): Promise<void>;
  remove(path: string): void;
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Names of the folders in a folder; none where there is no such folder. */
  folders(path: string): readonly string[];
  /** Bytes; 0 where there is no such file. */
  size(path: string): number;
  /** The last bytes of a file, as text. */
  tail(path: string, bytes: number): string;
  /** Copies a file that a process goes on appending to, and empties it. */
  rotate(path: string, copy: string): Promise<void>;
}

export const diskFiles: Files = {
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async write(path, text, readers) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.draft`;
    await rm(draft, { force: true });
    {
      // Of a folder that others may write to: never through a link that somebody has put there.
      await using file = await open(draft, 'wx', 0o600);
      if (readers !== undefined) {
        await file.chown(process.geteuid?.() ?? 0, readers);
        await file.chmod(0o640);
      }
      await file.writeFile(text);
      await file.sync();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
  },
  remove: (path) => rmSync(path, { force: true }),
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  folders(path) {
    if (!existsSync(path)) return [];
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  },
  size: (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
  tail(path, bytes) {
    const size = this.size(path);
    if (size === 0) return '';
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(Math.min(bytes, size));
      const length = readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8', 0, length);
    } finally {
      closeSync(file);
    }
  },
  async rotate(path, copy) {
    const draft = `${copy}.draft`;
    await rm(draft, { force: true });
    await copyFile(path, draft, constants.COPYFILE_EXCL);
    await rename(draft, copy);
    await truncate(path);
  },
};

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Makes names in a folder last through a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** Makes a folder with all that is in it last through a loss of power. */
export async function syncTree(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    await (entry.isDirectory() ? syncTree(inside) : syncFolder(inside));
  }
  await syncFolder(path);
  await syncFolder(dirname(path));
}

/** The same paths below a folder. */
export function pathsIn(folder: string): (path: string) => string {
  return (path) => join(folder, path);
}
