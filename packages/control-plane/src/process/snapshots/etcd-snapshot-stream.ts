import { type IncomingMessage, request } from 'node:http';
import { readLines } from '@fairway/kube/client/line-reader';
import { z } from 'zod';
import { withEtcdSocket } from '../etcd-socket.ts';

/** etcd sends 32 KiB at a time; a stream that is silent for this long is dead. */
const SILENCE_TIMEOUT_MS = 30_000;

/** A line of the gateway's stream: a chunk of the snapshot, or an error. */
const line = z.union([
  z.object({ result: z.object({ blob: z.base64().optional() }) }),
  z.object({ error: z.object({ message: z.string() }) }),
]);

/**
 * The snapshot stream of etcd's maintenance service, over the JSON gateway of the socket in a cluster's directory: the
 * database, then its SHA-256. Rejects if etcd does not respond or reports an error; the checksum detects any other
 * truncation.
 */
export async function* etcdSnapshot(folder: string): AsyncIterable<Uint8Array> {
  using socket = withEtcdSocket(folder);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const clientRequest = request(
    {
      socketPath: socket.path,
      path: '/v3/maintenance/snapshot',
      method: 'POST',
      agent: false,
      timeout: SILENCE_TIMEOUT_MS,
    },
    (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`etcd returned status ${response.statusCode} for a snapshot request`));
        return;
      }
      resolve(response);
    },
  );
  clientRequest.on('timeout', () => clientRequest.destroy(new Error('etcd has stopped sending its snapshot')));
  clientRequest.on('error', reject);
  clientRequest.end('{}');
  try {
    for await (const text of readLines(await promise, (error) => error)) {
      if (text === '') continue;
      const parsed = line.parse(JSON.parse(text));
      if ('error' in parsed) throw new Error(`etcd aborted its snapshot: ${parsed.error.message}`);
      yield Buffer.from(parsed.result.blob ?? '', 'base64');
    }
  } finally {
    clientRequest.destroy();
  }
}
