import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A certificate with its key, PEM. */
const Credential = z.object({ certificate: z.string(), privateKey: z.string() });
export type Credential = z.infer<typeof Credential>;

/** Data that a node stores on its disk. */
const NodeState = z.object({
  /** Identifies the user data that the node was installed from: a rebuilt server starts over. */
  bootstrapDigest: z.string(),
  /** Key of a request that has not been decided yet. */
  pendingKey: z.string().optional(),
  client: Credential.optional(),
  serving: Credential.optional(),
});
export type NodeState = z.infer<typeof NodeState>;

/** The disks of nodes, by server id. */
export interface NodeDisks {
  read(serverId: string): Promise<NodeState | undefined>;
  write(serverId: string, state: NodeState): Promise<void>;
  erase(serverId: string): Promise<void>;
}

export class MemoryDisks implements NodeDisks {
  readonly #states = new Map<string, NodeState>();

  read(serverId: string): Promise<NodeState | undefined> {
    return Promise.resolve(this.#states.get(serverId));
  }

  write(serverId: string, state: NodeState): Promise<void> {
    this.#states.set(serverId, state);
    return Promise.resolve();
  }

  erase(serverId: string): Promise<void> {
    this.#states.delete(serverId);
    return Promise.resolve();
  }
}

/**
 * One file per node, readable only by the file's owner and replaced atomically: a crash leaves either the old or the
 * new file.
 */
export class FolderDisks implements NodeDisks {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(serverId: string): Promise<NodeState | undefined> {
    const text = await readFile(this.#path(serverId), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const state = text === undefined ? undefined : NodeState.safeParse(parse(text));
    return state?.data;
  }

  async write(serverId: string, state: NodeState): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(serverId);
    await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  async erase(serverId: string): Promise<void> {
    await rm(this.#path(serverId), { force: true });
  }

  #path(serverId: string): string {
    return join(this.#folder, `${encodeURIComponent(serverId)}.json`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A truncated file from a version that did not replace files atomically: the node starts over.
    return undefined;
  }
}
