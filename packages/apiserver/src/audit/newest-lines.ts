import { constants } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** An audit log that another program writes and rotates, using kube-apiserver's names for rotated files. */
export interface LogLocation {
  readonly folder: string;
  /** `audit.log`; rotated files are named `audit-2026-01-31T10-20-30.456.log`. */
  readonly file: string;
  /** User IDs of permitted owners: files owned by other users are not read. */
  readonly owners: readonly number[];
}

/** Where to continue: with the lines in a file that begin before `end`, then the lines in older files. */
export interface LinePosition {
  /** Identifies a file after rotation: its inode, which can be reused, and its creation time. */
  readonly file: string;
  /** In bytes. */
  readonly end: number;
}

export interface ScannedLines {
  /** Undefined if there is nothing older. */
  readonly next: LinePosition | undefined;
  /** Skipped lines that are too long, and files that are not such a log. */
  readonly skipped: number;
}

/** Maximum number of bytes per scan or line; the result says where to continue. */
export const MAX_SCAN_BYTES = 4 * 1024 * 1024;
/**
 * The longest line that an API server may write. kube-apiserver drops longer events. Request headers take up to 1 MiB,
 * and each character may become six in JSON; a long URI must not hide a request.
 */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Maximum number of lines per scan: 4 MiB contain about 8,000 events, but could contain millions of empty lines. */
export const MAX_SCAN_LINES = 20_000;
const BLOCK_BYTES = 64 * 1024;
/** Maximum number of file names examined, because the log's writer could create any number of files. */
const MAX_NAMES = 1_000;
const MAX_FILES = 32;
const NEWLINE = 0x0a;
/** Does not follow symbolic links or block on pipes. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MISSING_LOG_CODES: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES']);

/**
 * Visits the lines of a log, newest first, until none are left, 4 MiB (or one longer line) or 20,000 lines have been
 * read, or `take` returns false; the line that `take` refused is then the first one in the next scan.
 *
 * **Guarantees.** The writer of the log may be hostile: links, pipes and files owned by other users are not read, and
 * neither long lines nor many files cost more than the limits above. The log may be rotated during a scan: no line is
 * missed, but some may be visited twice.
 */
export async function scanNewestLines(
  location: LogLocation,
  from: LinePosition | undefined,
  take: (line: string) => boolean,
): Promise<ScannedLines> {
  await using files = new LogFiles(location);
  const scan = { left: MAX_SCAN_BYTES, linesLeft: MAX_SCAN_LINES, skipped: 0, take };
  let resume = from;
  for await (const file of files) {
    if (resume !== undefined && resume.file !== file.id) continue;
    const end = resume === undefined ? file.size : Math.min(resume.end, file.size);
    resume = undefined;
    const stoppedAt = await scanFile(file, end, scan);
    if (stoppedAt !== undefined) {
      return { next: { file: file.id, end: stoppedAt }, skipped: scan.skipped + files.skipped };
    }
  }
  return { next: undefined, skipped: scan.skipped + files.skipped };
}

interface Scan {
  /** Bytes. */
  left: number;
  linesLeft: number;
  skipped: number;
  readonly take: (line: string) => boolean;
}

interface LogFile {
  readonly handle: FileHandle;
  readonly id: string;
  readonly size: number;
}

/** The files of a log, newest first, each kept open while it is read. */
class LogFiles implements AsyncDisposable {
  skipped = 0;
  readonly #location: LogLocation;
  #open: FileHandle | undefined;

  constructor(location: LogLocation) {
    this.#location = location;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LogFile> {
    const seen = new Set<string>();
    // The current file is opened before listing the others: if it is rotated in between, it is recognised in the list.
    const current = await this.#next(this.#location.file);
    if (current) {
      seen.add(current.id);
      yield current;
    }
    for (const name of await rotatedNames(this.#location)) {
      const file = await this.#next(name);
      if (file === undefined || seen.has(file.id)) continue;
      seen.add(file.id);
      yield file;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#open;
    this.#open = undefined;
    await file?.close();
  }

  async #next(name: string): Promise<LogFile | undefined> {
    await this[Symbol.asyncDispose]();
    const path = join(this.#location.folder, name);
    const handle = await open(path, READ_FLAGS).catch((error: NodeJS.ErrnoException) => {
      if (!MISSING_LOG_CODES.has(error.code)) throw error;
      if (error.code !== 'ENOENT') this.skipped++;
      return undefined;
    });
    if (handle === undefined) return undefined;
    this.#open = handle;
    const stats = await handle.stat({ bigint: true });
    const isLog = stats.isFile() && stats.nlink === 1n && this.#location.owners.includes(Number(stats.uid));
    if (isLog) return { handle, id: `${stats.ino}.${stats.birthtimeNs}`, size: Number(stats.size) };
    this.skipped++;
    return undefined;
  }
}

async function rotatedNames({ folder, file }: LogLocation): Promise<string[]> {
  const suffix = extname(file);
  const stem = `${file.slice(0, file.length - suffix.length)}-`;
  const names: { readonly name: string; readonly time: string; readonly count: number }[] = [];
  let inspected = 0;
  const entries = await opendir(folder).catch(() => undefined);
  if (entries === undefined) return [];
  for await (const { name } of entries) {
    if (++inspected > MAX_NAMES) break;
    if (!name.startsWith(stem) || !name.endsWith(suffix)) continue;
    const middle = name.slice(stem.length, name.length - suffix.length);
    const [, time, count = '0'] = /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3})(?:-(\d{1,9}))?$/.exec(middle) ?? [];
    if (time !== undefined) names.push({ name, time, count: Number(count) });
  }
  names.sort((a, b) => (a.time === b.time ? b.count - a.count : a.time < b.time ? 1 : -1));
  return names.slice(0, MAX_FILES).map(({ name }) => name);
}

/** Position at which the scan stopped; undefined at the beginning of the file. */
async function scanFile(file: LogFile, end: number, scan: Scan): Promise<number | undefined> {
  /** The parts of the line that contains `start`, last part first. */
  let rest: Buffer[] = [];
  let length = 0;
  let start = end;
  // A line without a newline is still being written, or the token pointed into the middle of a line.
  let hasEnd = false;
  let isLong = false;
  while (start > 0) {
    const size = Math.min(BLOCK_BYTES, start);
    const isComplete = hasEnd && !isLong;
    // Each scan would start over with a line longer than the remaining budget.
    const isFirst = isComplete && scan.linesLeft === MAX_SCAN_LINES;
    if (scan.left < size && !isFirst) return isComplete ? start + length + 1 : start;
    const block = await readBlock(file.handle, start - size, size);
    scan.left -= size;
    start -= size;
    let upTo = size;
    for (let at = block.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)) {
      length += upTo - at - 1;
      rest.push(block.subarray(at + 1, upTo));
      if (hasEnd && !isLong && !visit(rest, scan)) return start + at + 1 + length + 1;
      hasEnd = true;
      isLong = false;
      rest = [];
      length = 0;
      upTo = at;
    }
    length += upTo;
    if (hasEnd && !isLong && length > MAX_LINE_BYTES) {
      scan.skipped++;
      isLong = true;
    }
    if (hasEnd && !isLong) rest.push(block.subarray(0, upTo));
    else rest = [];
  }
  if (hasEnd && !isLong && !visit(rest, scan)) return length + 1;
  return undefined;
}

/** @param parts the parts of the line, last part first. */
function visit(parts: readonly Buffer[], scan: Scan): boolean {
  if (scan.linesLeft === 0) return false;
  scan.linesLeft--;
  const line = parts.length === 1 ? parts[0] : Buffer.concat(parts.toReversed());
  return line === undefined || line.length === 0 || scan.take(line.toString('utf8'));
}

/** A file that has been truncated in the meantime yields zeros, which do not form an event. */
async function readBlock(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const block = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(block, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return block;
}
