import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import { constants, copyFile, link, mkdir, open, readdir, rename, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The runtime's file operations. Files that it reads are small. Operations that may be slow or wait for a disk are
 * asynchronous.
 */
export interface Files {
  read(path: string): string | undefined;
  /**
   * Replaces a file atomically and creates parent directories, accessible to its owner and at most one group with read
   * access. Durable when it resolves.
   */
  write(path: string, text: string, readers?: number): Promise<void>;
  /**
   * Creates a file like `write`. Resolves with false and changes nothing if it exists: another process got there first.
   */
  create(path: string, text: string): Promise<boolean>;
  remove(path: string): void;
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /**
   * Removes all content of a directory except one file; durable when it resolves. Does nothing if the directory does
   * not exist.
   */
  emptyFolder(path: string, kept: string): Promise<void>;
  /** Names of the subdirectories; empty if the directory does not exist. */
  folders(path: string): readonly string[];
  /** Size in bytes; 0 if the file does not exist. */
  size(path: string): number;
  /** The tail of a file, as text. */
  tail(path: string, bytes: number): string;
  /** Copies a file that a process keeps appending to, and truncates it. */
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
    const draft = draftOf(path);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(draft, { force: true });
    await writeDraft(draft, text, readers);
    await rename(draft, path);
    await syncFolder(dirname(path));
  },
  async create(path, text) {
    const draft = `${path}.${randomUUID()}.draft`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeDraft(draft, text);
    try {
      await link(draft, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      await rm(draft, { force: true });
      await syncFolder(dirname(path));
    }
  },
  remove: (path) => rmSync(path, { force: true }),
  async makeFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  async emptyFolder(path, kept) {
    if (!existsSync(path)) return;
    for (const name of await readdir(path)) {
      if (name !== kept) await rm(join(path, name), { recursive: true, force: true });
    }
    await syncFolder(path);
  },
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
    const draft = draftOf(copy);
    await rm(draft, { force: true });
    await copyFile(path, draft, constants.COPYFILE_EXCL);
    await rename(draft, copy);
    await truncate(path);
  },
};

/**
 * One draft for each process: a suspended process must not publish another's half-written file when it
 * resumes.
 */
function draftOf(path: string): string {
  return `${path}.${process.pid}.draft`;
}

/** The change is durable when it resolves. */
async function writeDraft(draft: string, text: string, readers?: number): Promise<void> {
  // Other users may be able to write to the directory: never follow symlinks there.
  await using file = await open(draft, 'wx', 0o600);
  if (readers !== undefined) {
    await file.chown(process.geteuid?.() ?? 0, readers);
    await file.chmod(0o640);
  }
  await file.writeFile(text);
  await file.sync();
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Makes directory entries survive a power loss. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** Makes a directory and its content survive a power loss. */
export async function syncTree(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    await (entry.isDirectory() ? syncTree(inside) : syncFolder(inside));
  }
  await syncFolder(path);
  await syncFolder(dirname(path));
}

/** Returns a function that resolves paths below a directory. */
export function pathResolver(folder: string): (path: string) => string {
  return (path) => join(folder, path);
}
