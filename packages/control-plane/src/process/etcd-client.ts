import { request } from 'node:http';
import { z } from 'zod';
import { withEtcdSocket } from './etcd-socket.ts';

/** Queries the etcd in a cluster's directory through its JSON gateway. Rejects with etcd's error. */
export type EtcdCall = (path: string, body: object) => Promise<unknown>;

/** Defragmenting a database of several GiB takes a while. */
const TIMEOUT_MS = 120_000;

const refusal = z.object({ message: z.string() });

export function etcdCall(folder: string): EtcdCall {
  return async (path, body) => {
    using socket = withEtcdSocket(folder);
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const options = { socketPath: socket.path, path, method: 'POST', agent: false, timeout: TIMEOUT_MS };
    const clientRequest = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    clientRequest.on('timeout', () => clientRequest.destroy(new Error(`etcd does not respond to ${path}`)));
    clientRequest.on('error', reject);
    clientRequest.end(JSON.stringify(body));
    const { status, text } = await promise;
    if (status === 200) return JSON.parse(text) as unknown;
    const { data } = refusal.safeParse(parsed(text));
    throw new Error(`etcd returned status ${status} for ${path}${data ? `: ${data.message}` : ''}`);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
