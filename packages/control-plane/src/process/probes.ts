import { closeSync, openSync } from 'node:fs';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import type { Endpoint } from '../runtime.ts';
import { ETCD_SOCKET } from './folder-layout.ts';

const TIMEOUT_MS = 3000;

export interface ApiServerTarget {
  readonly endpoint: Endpoint;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** Asks components whether they serve. A refusal, silence and a "no" are all the same: undefined or false. */
export interface Probes {
  /** Bytes in etcd's database, once it serves. */
  etcd(folder: string): Promise<{ readonly databaseBytes: number } | undefined>;
  apiServer(target: ApiServerTarget): Promise<boolean>;
}

export const networkProbes: Probes = {
  async etcd(folder) {
    return withSocket(join(folder, ETCD_SOCKET), folder, async (socketPath) => {
      const health = await send(httpRequest, { socketPath, path: '/health', method: 'GET' });
      if (health?.status !== 200) return undefined;
      const status = await send(httpRequest, { socketPath, path: '/v3/maintenance/status', method: 'POST' }, '{}');
      if (status?.status !== 200) return undefined;
      const { dbSize } = JSON.parse(status.body) as { dbSize?: string };
      return { databaseBytes: Number(dbSize ?? 0) };
    });
  },
  async apiServer({ endpoint, certificateAuthority, certificate, privateKey }) {
    const tls = { ca: certificateAuthority, cert: certificate, key: privateKey };
    const answer = await send(httpsRequest, { ...endpoint, ...tls, path: '/readyz', method: 'GET' });
    return answer?.status === 200;
  },
};

/** Linux takes 107 bytes for a socket's path. */
const LONGEST_SOCKET_PATH = 100;

async function withSocket<T>(path: string, folder: string, use: (path: string) => Promise<T>): Promise<T | undefined> {
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return use(path);
  let directory: number;
  try {
    directory = openSync(folder, 'r');
  } catch {
    return undefined;
  }
  try {
    return await use(`/proc/self/fd/${directory}/${ETCD_SOCKET}`);
  } finally {
    closeSync(directory);
  }
}

type Request = typeof httpRequest | typeof httpsRequest;

function send(
  request: Request,
  options: RequestOptions,
  body?: string,
): Promise<{ readonly status: number; readonly body: string } | undefined> {
  return new Promise((resolve) => {
    const sent = request({ ...options, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(undefined));
    sent.on('close', () => resolve(undefined));
    sent.end(body);
  });
}
