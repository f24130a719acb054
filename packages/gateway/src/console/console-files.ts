import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { acceptedEncoding } from '@fairway/apiserver/server/accepted-encoding';
import type { ApiRequest, ApiResponse } from '@fairway/apiserver/server/request';
import { z } from 'zod';
import { SECURITY_HEADERS } from './security-headers.ts';

const ConsoleIndex = z.object({
  files: z.array(
    z.object({
      /** Relative to the console's address, without a leading slash: `assets/index-Dy8CMsZu.js`. */
      path: z.string(),
      /** Media type. */
      type: z.string(),
      /** Whether the file is stored only as gzip and Brotli. */
      isCompressed: z.boolean(),
      /** Whether the file's name changes with its content. */
      isImmutable: z.boolean(),
    }),
  ),
  /** Scripts that a browser loads before it shows the list of clusters. */
  firstScripts: z.array(z.string()).readonly(),
});
/** The index that the console's build writes. */
export type ConsoleIndex = z.infer<typeof ConsoleIndex>;

/** Output directory of the console's build, both in the repository and in the package. */
export const CONSOLE_FOLDER = join(import.meta.dirname, '../../../console/dist');

export const CONSOLE_PATH = '/console/';
/** Served for all page addresses; the browser routes them. */
const PAGE_SIZE = 'index.html';
const NOT_BUILT_MESSAGE =
  'The console is not built: run npm run build:console, or use the packages or images of Fairway, which include it.\n';

const unzip = promisify(gunzip);

type ConsoleFile = ConsoleIndex['files'][number];

/** The console's files, by the names that its build has listed; no other file on disk can be requested. */
export class ConsoleFiles {
  readonly #folder: string;
  readonly #files: ReadonlyMap<string, ConsoleFile>;
  /** Files requested so far, in each encoding; together they use less memory than one list of clusters. */
  readonly #contents = new Map<string, Promise<{ readonly body: Buffer; readonly etag: string }>>();

  constructor(folder: string, files: readonly ConsoleFile[]) {
    this.#folder = folder;
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  /** Empty if the console is not built. */
  static open(folder = CONSOLE_FOLDER): ConsoleFiles {
    try {
      const index = ConsoleIndex.parse(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')));
      return new ConsoleFiles(folder, index.files);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return new ConsoleFiles(folder, []);
    }
  }

  get isBuilt(): boolean {
    return this.#files.size > 0;
  }

  /** A file, or the page for an address of one of its views. */
  async respond({ method, path, headers }: Pick<ApiRequest, 'method' | 'path' | 'headers'>): Promise<ApiResponse> {
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'Only GET and HEAD\n', { allow: 'GET, HEAD' });
    if (!this.isBuilt) return plain(503, NOT_BUILT_MESSAGE);
    const name = path.startsWith(CONSOLE_PATH) ? path.slice(CONSOLE_PATH.length) : '';
    const file = this.#files.get(name) ?? (isAsset(name) ? undefined : this.#files.get(PAGE_SIZE));
    if (file === undefined) return plain(404, 'Not found\n');
    const encoding = file.isCompressed ? acceptedEncoding(headers['accept-encoding'], ENCODINGS) : undefined;
    const { body, etag } = await this.#contentOf(file, encoding);
    const commonHeaders = {
      ...SECURITY_HEADERS,
      etag,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(file.isCompressed && { vary: 'accept-encoding' }),
    };
    if (headers['if-none-match'] === etag) return { status: 304, headers: commonHeaders, body: '' };
    const contentHeaders = {
      ...commonHeaders,
      'content-type': file.type,
      ...(encoding && { 'content-encoding': encoding }),
    };
    return { status: 200, headers: contentHeaders, body };
  }

  #contentOf({ path, isCompressed }: ConsoleFile, encoding: Encoding | undefined) {
    const stored = join(this.#folder, isCompressed ? `${path}.${encoding === 'br' ? 'br' : 'gz'}` : path);
    const key = `${path} ${encoding}`;
    const known = this.#contents.get(key) ?? read(stored, isCompressed && encoding === undefined);
    this.#contents.set(key, known);
    known.catch(() => this.#contents.delete(key));
    return known;
  }
}

async function read(path: string, unzips: boolean) {
  const stored = await readFile(path);
  const body = unzips ? await unzip(stored) : stored;
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/** The address of a view contains dots only in object names, under paths where there are no files. */
function isAsset(name: string): boolean {
  return name.startsWith('assets/') || /^[^/]+\.[a-z0-9]+$/.test(name);
}

const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

export function plain(status: number, body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers: { ...SECURITY_HEADERS, ...type, ...headers }, body };
}
