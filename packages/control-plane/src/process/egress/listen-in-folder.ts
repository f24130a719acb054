import { chmod, chown, mkdir, open, rename } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import type { ProcessUser } from '../process-user.ts';

/** Linux limits a socket's path to 107 bytes. */
const MAX_SOCKET_PATH_LENGTH = 100;

/**
 * Listens on a Unix socket for this process's user and one other user. The socket is renamed into place once it
 * listens: a predecessor that closes at the same moment unlinks its own name, and would otherwise remove the new
 * socket.
 */
export async function listenInFolder(
  server: Server,
  folder: string,
  name: string,
  user: ProcessUser | undefined,
  draft: string,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user !== undefined) await chown(folder, 0, user.gid);
  await chmod(folder, user === undefined ? 0o700 : 0o750);
  const path = join(folder, `${name}.${draft}`);
  const isShort = Buffer.byteLength(path) <= MAX_SOCKET_PATH_LENGTH;
  await using directory = await open(folder, 'r');
  const address = isShort ? path : `/proc/self/fd/${directory.fd}/${name}.${draft}`;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(address, () => {
    server.off('error', reject);
    resolve();
  });
  await promise;
  if (user !== undefined) await chown(path, 0, user.gid);
  await chmod(path, user === undefined ? 0o600 : 0o660);
  await rename(path, join(folder, name));
}
