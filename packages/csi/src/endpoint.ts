import { chmod, lstat, mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

/** Linux' longest path of a socket, without its final zero, and without what a socket is called at first. */
const MAX_PATH_BYTES = 107 - '.XXXXXX/s'.length;

/** The path of `unix:///run/csi.sock`, `unix:/run/csi.sock` or `/run/csi.sock`; throws an Error with words for whoever wrote it. */
export function socketPath(endpoint: string): string {
  const path = endpoint.replace(/^unix:(?:\/\/)?/i, '');
  if (!path.startsWith('/'))
    throw new Error(`"${endpoint}" is not a socket path: use a form such as unix:///run/csi/csi.sock`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new Error(`"${path}" is longer than ${MAX_PATH_BYTES} bytes, the maximum for a socket path`);
  return path;
}

/**
 * Lets `listen` make a socket that, from the first moment on, its own user alone may use: it is made in a folder that nobody else enters, and moved to
 * `path` when it is as it is to be. Rejects as `listen` does, or with the file system's error.
 */
export async function presentSocket(path: string, listen: (first: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(`${path}.`).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`directory ${dirname(path)} does not exist: create it`) : error;
  });
  try {
    const first = join(folder, 's');
    await listen(first);
    await chmod(first, 0o600);
    await rename(first, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Removes the socket of a process that was killed. Rejects if another one listens there, or there is something else. */
export async function freeSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists but is not a socket: remove it, or use another path`);
  if (await isListening(path)) throw new Error(`another process is already listening on ${path}`);
  await unlink(path);
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(error);
    });
  });
}
