import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError } from '@fairway/service/command-error';
import { z } from 'zod';
import { ProcessRef } from './asker.ts';

/** What is kept of a sign-in. */
export const KeptToken = z.object({
  authUrl: z.string(),
  cloud: z.string(),
  token: z.string(),
  /** Epoch milliseconds, as below. */
  expiresAtMs: z.number(),
  /** From then on it is replaced. */
  renewAtMs: z.number(),
  user: z.string(),
  project: z.string(),
  projectId: z.string(),
  /** The processes that have it, the last ones. */
  askers: z.array(ProcessRef),
});
export type KeptToken = z.infer<typeof KeptToken>;

/** Why the last sign-in failed, for those who waited for it. */
const Refusal = z.object({ message: z.string(), advice: z.string().optional(), atMs: z.number() });
export type Refusal = z.infer<typeof Refusal>;

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Longer than anybody waits for a sign-in. */
const LEFT_BEHIND_MS = 60 * 60_000;

/** Tokens on disk, which nobody but their owner can read. Files are replaced whole. */
export class TokenCache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder. Throws a CommandError if it is not this user's alone. */
  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: PRIVATE_FOLDER });
    const { uid, mode } = await lstat(this.folder).then((stats) => {
      if (stats.isDirectory()) return stats;
      throw this.#unsafe('is not a folder');
    });
    if (uid !== process.getuid?.()) throw this.#unsafe('belongs to another user');
    if ((mode & 0o777) !== PRIVATE_FOLDER) await chmod(this.folder, PRIVATE_FOLDER);
  }

  /** Undefined if there is none, or one that others could have written. */
  async read(key: string): Promise<KeptToken | undefined> {
    return this.#read(`${key}.json`, KeptToken);
  }

  write(key: string, kept: KeptToken): Promise<void> {
    return this.#write(`${key}.json`, kept);
  }

  refusal(key: string): Promise<Refusal | undefined> {
    return this.#read(`${key}.refusal`, Refusal);
  }

  noteRefusal(key: string, refusal: Refusal): Promise<void> {
    return this.#write(`${key}.refusal`, refusal);
  }

  async remove(key: string): Promise<void> {
    await Promise.all(['json', 'refusal'].map((kind) => rm(join(this.folder, `${key}.${kind}`), { force: true })));
  }

  /** Removes what has expired, and what a process that was killed has left. */
  async sweep(nowMs: number): Promise<void> {
    for (const key of await this.keys()) {
      const kept = await this.read(key);
      if (kept !== undefined && kept.expiresAtMs <= nowMs) await this.remove(key);
    }
    for (const name of await readdir(this.folder)) {
      if (!/\.[0-9a-f]{12}(\.new|\.ended)?$/.test(name)) continue;
      const path = join(this.folder, name);
      const { mtimeMs = nowMs } = (await lstat(path).catch(() => undefined)) ?? {};
      if (nowMs - mtimeMs > LEFT_BEHIND_MS) await rm(path, { force: true });
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
      const isOurs = stats.isFile() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
      return isOurs ? schema.parse(JSON.parse(await readFile(path, 'utf8'))) : undefined;
    } catch {
      // A file that is not whole is as good as none.
      return undefined;
    }
  }

  async #write(name: string, content: object): Promise<void> {
    const path = join(this.folder, name);
    const temporary = `${path}.${randomBytes(6).toString('hex')}.new`;
    try {
      await writeFile(temporary, JSON.stringify(content), { mode: PRIVATE_FILE, flag: 'wx' });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #unsafe(what: string): CommandError {
    return new CommandError(`${this.folder} ${what}: tokens are not stored there`, {
      advice: 'set XDG_CACHE_HOME to a folder of your own',
    });
  }
}

export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'fairway', 'tokens');
}
