import { chmod, lstat, mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

/** Linux's maximum length of a socket path, without the terminating zero and the suffix of the temporary path. */
const MAX_PATH_BYTES = 107 - '.XXXXXX/s'.length;

/**
 * The path of `unix:///run/csi.sock`, `unix:/run/csi.sock` or `/run/csi.sock`; throws an Error with a message for the operator.
 */
export function socketPath(endpoint: string): string {
  const path = endpoint.replace(/^unix:(?:\/\/)?/i, '');
  if (!path.startsWith('/'))
    throw new Error(`"${endpoint}" is not a socket path: use a form such as unix:///run/csi/csi.sock`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new Error(`"${path}" is longer than ${MAX_PATH_BYTES} bytes, the maximum for a socket path`);
  return path;
}

/**
 * Lets `listen` create a socket that only its own user can use at any time: the socket is created in a private
 * directory, and moved to `path` when it is ready. Rejects as `listen` does, or with a file system error.
 */
export async function publishSocket(path: string, listen: (temporaryPath: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(`${path}.`).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`directory ${dirname(path)} does not exist: create it`) : error;
  });
  try {
    const temporaryPath = join(folder, 's');
    await listen(temporaryPath);
    await chmod(temporaryPath, 0o600);
    await rename(temporaryPath, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Removes a socket whose process was killed. Rejects if another process is listening on the socket, or if the file is
 * not a socket.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Error(`${path} exists but is not a socket: remove it, or use another path`);
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
