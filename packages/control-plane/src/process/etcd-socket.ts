import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ETCD_SOCKET } from './folder-layout.ts';

/** Linux limits a socket's path to 107 bytes. */
const MAX_SOCKET_PATH_LENGTH = 100;

export interface EtcdSocket extends Disposable {
  /** Path to connect to, valid until disposed. */
  readonly path: string;
}

/**
 * The etcd socket in a cluster's directory, regardless of how long the directory's path is. Throws if the directory
 * does not exist.
 */
export function withEtcdSocket(folder: string): EtcdSocket {
  const path = join(folder, ETCD_SOCKET);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_LENGTH) return { path, [Symbol.dispose]: () => {} };
  const directory = openSync(folder, 'r');
  return {
    path: `/proc/self/fd/${directory}/${ETCD_SOCKET}`,
    [Symbol.dispose]: () => closeSync(directory),
  };
}
