import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import type { LineWriter } from './audit-log.ts';

export interface RotatingFileOptions {
  readonly path: string;
  /** The file size, in bytes, at which the log is rotated. */
  readonly maxBytes: number;
  /** How many rotated files are kept; at least 1. */
  readonly maxBackups: number;
  readonly clock: Clock;
}

const OWNER_ONLY = 0o600;
const GROUP_AND_OTHERS = 0o077;

/**
 * A log file, accessible only to its owner, that is rotated when full: `audit.log` becomes
 * `audit-2026-01-31T10-20-30.456.log`, as kube-apiserver names it, and the oldest files are deleted. Several processes
 * may append to one file; each reopens it after another has rotated it.
 */
export class RotatingFile implements LineWriter {
  readonly #options: RotatingFileOptions;
  #file: FileHandle | undefined;
  /** The last line is incomplete because the disk was full. */
  #hasPartialLine = false;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  /** Rejects with the system error if the file can't be written. */
  async open(): Promise<void> {
    await this.#current();
  }

  async write(lines: Uint8Array): Promise<void> {
    let { file, bytes, isRegular } = await this.#current();
    if (isRegular && bytes > 0 && bytes + lines.length > this.#options.maxBytes) {
      await this.#rotate();
      ({ file, bytes, isRegular } = await this.#current());
    }
    const whole = this.#hasPartialLine ? Buffer.concat([Buffer.from('\n'), lines]) : lines;
    let done = 0;
    try {
      while (done < whole.length) done += (await file.write(whole, done)).bytesWritten;
    } catch (error) {
      if (done > 0) await this.#removePartialWrite(file, bytes, done);
      throw error;
    }
    this.#hasPartialLine = false;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #current(): Promise<{ file: FileHandle; bytes: number; isRegular: boolean }> {
    const { path } = this.#options;
    if (this.#file !== undefined) {
      const [openFile, fileAtPath] = await Promise.all([this.#file.stat(), stat(path).catch(() => undefined)]);
      if (fileAtPath?.ino === openFile.ino && fileAtPath.dev === openFile.dev) {
        return { file: this.#file, bytes: openFile.size, isRegular: openFile.isFile() };
      }
      await this.close();
    }
    const file = await open(path, 'a', OWNER_ONLY);
    this.#file = file;
    const stats = await file.stat();
    if (stats.isFile() && (stats.mode & GROUP_AND_OTHERS) !== 0) await file.chmod(OWNER_ONLY);
    return { file, bytes: stats.size, isRegular: stats.isFile() };
  }

  async #rotate(): Promise<void> {
    const { path, maxBackups, clock } = this.#options;
    const folder = dirname(path);
    await this.close();
    const time = new Date(clock.now()).toISOString().slice(0, -1).replaceAll(':', '-');
    const backups = (await readdir(folder)).flatMap((name) => this.#backup(name) ?? []);
    const taken = backups.filter((backup) => backup.time === time).map(({ count }) => count);
    const count = taken.length === 0 ? 0 : Math.max(...taken) + 1;
    const name = `${this.#stem}-${time}${count === 0 ? '' : `-${count}`}${extname(path)}`;
    await rename(path, join(folder, name));
    const kept = [...backups, { name, time, count }].sort(compareByAge);
    for (const { name: old } of kept.slice(0, Math.max(kept.length - maxBackups, 0))) {
      // Another process may have rotated it first.
      await unlink(join(folder, old)).catch(() => undefined);
    }
  }

  #backup(name: string): Backup | undefined {
    const suffix = extname(this.#options.path);
    if (!name.startsWith(`${this.#stem}-`) || !name.endsWith(suffix)) return undefined;
    const middle = name.slice(this.#stem.length + 1, name.length - suffix.length);
    const [, time, count = '0'] = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(?:-(\d+))?$/.exec(middle) ?? [];
    return time === undefined ? undefined : { name, time, count: Number(count) };
  }

  get #stem(): string {
    const { path } = this.#options;
    return basename(path, extname(path));
  }

  /** Truncates a partially written line, unless another process has appended to the file since. */
  async #removePartialWrite(file: FileHandle, bytesBefore: number, done: number): Promise<void> {
    this.#hasPartialLine = true;
    try {
      const { size } = await file.stat();
      if (size !== bytesBefore + done) return;
      await file.truncate(bytesBefore);
      this.#hasPartialLine = false;
    } catch {
      // The next write starts with a newline.
    }
  }
}

interface Backup {
  readonly name: string;
  readonly time: string;
  /** Distinguishes files rotated in the same millisecond. */
  readonly count: number;
}

function compareByAge(a: Backup, b: Backup): number {
  return a.time === b.time ? a.count - b.count : a.time < b.time ? -1 : 1;
}
