import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** What the runtime does with files; all are small, but for the data of etcd, which it only removes. */
export interface Files {
  read(path: string): string | undefined;
  /** Replaces a file as a whole, for its owner alone, with the folders above it; durable when it returns. */
  write(path: string, text: string): void;
  remove(path: string): void;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  /** Names of the folders in a folder; none where there is no such folder. */
  folders(path: string): readonly string[];
  /** Bytes; 0 where there is no such file. */
  size(path: string): number;
  /** The last bytes of a file, as text. */
  tail(path: string, bytes: number): string;
  /** Copies a file that a process goes on appending to, and empties it. */
  rotate(path: string, copy: string): void;
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
  write(path, text) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.draft`;
    const file = openSync(draft, 'w', 0o600);
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    syncFolder(dirname(path));
  },
  remove: (path) => rmSync(path, { force: true }),
  makeFolder(path) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  },
  removeFolder: (path) => rmSync(path, { recursive: true, force: true }),
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
  rotate(path, copy) {
    copyFileSync(path, copy);
    truncateSync(path, 0);
  },
};

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Makes names in a folder last through a loss of power. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Makes a folder with all that is in it last through a loss of power. */
export function syncTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) syncTree(inside);
    else syncFolder(inside);
  }
  syncFolder(path);
  syncFolder(dirname(path));
}

/** The same paths below a folder. */
export function pathsIn(folder: string): (path: string) => string {
  return (path) => join(folder, path);
}
