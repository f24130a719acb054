import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ETCD_SOCKET } from './folder-layout.ts';

/** Linux takes 107 bytes for a socket's path. */
const LONGEST_SOCKET_PATH = 100;

export interface EtcdSocket extends Disposable {
  /** Where to connect, for as long as this is not disposed of. */
  readonly path: string;
}

/** The socket of the etcd in a cluster's folder, however long the folder's path is. Throws where there is no such folder. */
export function withEtcdSocket(folder: string): EtcdSocket {
  const path = join(folder, ETCD_SOCKET);
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return { path, [Symbol.dispose]: () => {} };
  const directory = openSync(folder, 'r');
  return {
    path: `/proc/self/fd/${directory}/${ETCD_SOCKET}`,
    [Symbol.dispose]: () => closeSync(directory),
  };
}
