import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '@fairway/service/command-error';
import { z } from 'zod';
import { ProcessRef } from './process-ref.ts';

/** The stored result of a sign-in. */
export const CachedToken = z.object({
  authUrl: z.string(),
  cloud: z.string(),
  token: z.string(),
  /** Epoch milliseconds, like `renewAtMs`. */
  expiresAtMs: z.number(),
  /** From this time on, the token is due for replacement. */
  renewAtMs: z.number(),
  user: z.string(),
  project: z.string(),
  projectId: z.string(),
  /** The most recent processes that were given the token. */
  askers: z.array(ProcessRef),
});
export type CachedToken = z.infer<typeof CachedToken>;

/** Why the last sign-in failed, for processes that waited for it. */
const SignInFailure = z.object({ message: z.string(), advice: z.string().optional(), atMs: z.number() });
export type SignInFailure = z.infer<typeof SignInFailure>;

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Longer than any process waits for a sign-in. */
const STALE_FILE_AGE_MS = 60 * 60_000;

/** Tokens on disk, readable only by their owner. Files are replaced atomically. */
export class TokenCache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates the directory. Throws a CommandError if other users have access to it. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: PRIVATE_FOLDER });
    const { uid, mode } = await lstat(this.folder).then((stats) => {
      if (stats.isDirectory()) return stats;
      throw this.#unsafeFolderError('is not a folder');
    });
    if (uid !== process.getuid?.()) throw this.#unsafeFolderError('belongs to another user');
    if ((mode & 0o777) !== PRIVATE_FOLDER) await chmod(this.folder, PRIVATE_FOLDER);
  }

  /** Undefined if there is no token, or if others could have written it. */
  async read(key: string): Promise<CachedToken | undefined> {
    return this.#read(`${key}.json`, CachedToken);
  }

  write(key: string, cached: CachedToken): Promise<void> {
    return this.#write(`${key}.json`, cached);
  }

  lastFailure(key: string): Promise<SignInFailure | undefined> {
    return this.#read(`${key}.refusal`, SignInFailure);
  }

  recordFailure(key: string, lastFailure: SignInFailure): Promise<void> {
    return this.#write(`${key}.refusal`, lastFailure);
  }

  async remove(key: string): Promise<void> {
    await Promise.all(['json', 'refusal'].map((kind) => rm(join(this.folder, `${key}.${kind}`), { force: true })));
  }

  /** Removes expired tokens and files left behind by killed processes. */
  async sweep(nowMs: number): Promise<void> {
    for (const key of await this.keys()) {
      const cached = await this.read(key);
      if (cached !== undefined && cached.expiresAtMs <= nowMs) await this.remove(key);
    }
    for (const name of await readdir(this.folder)) {
      if (!/\.[0-9a-f]{12}(\.new|\.ended)?$/.test(name)) continue;
      const path = join(this.folder, name);
      const { mtimeMs = nowMs } = (await lstat(path).catch(() => undefined)) ?? {};
      if (nowMs - mtimeMs > STALE_FILE_AGE_MS) await rm(path, { force: true });
    }
  }

  async keys(): Promise<readonly string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  }

  lockOf(key: string): string {
    return join(this.folder, `${key}.lock`);
  }

  async #read<T>(name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const path = join(this.folder, name);
    try {
      const stats = await lstat(path);
      const isPrivate = stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
      return isPrivate ? schema.parse(JSON.parse(await readFile(path, 'utf8'))) : undefined;
    } catch {
      // An incomplete file is treated as missing.
      return undefined;
    }
  }

  async #write(name: string, content: object): Promise<void> {
    const path = join(this.folder, name);
    const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.new`;
    try {
      await writeFile(temporaryPath, JSON.stringify(content), { mode: PRIVATE_FILE, flag: 'wx' });
      await rename(temporaryPath, path);
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
  }

  #unsafeFolderError(problem: string): CommandError {
    return new CommandError(`${this.folder} ${problem}: tokens are not stored there`, {
      advice: 'set XDG_CACHE_HOME to a folder of your own',
    });
  }
}

export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'fairway', 'tokens');
}
