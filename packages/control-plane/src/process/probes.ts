import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Endpoint } from '../runtime.ts';
import { withEtcdSocket } from './etcd-socket.ts';
import { loadedPolicyHash } from './limit-policies/policy-file.ts';

const TIMEOUT_MS = 3000;

export interface ApiServerTarget {
  readonly endpoint: Endpoint;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly privateKey: string;
}

export interface EtcdStatus {
  readonly databaseBytes: number;
  /** The latest revision, which is Kubernetes' resourceVersion. */
  readonly revision: number;
  /** Whether it rejects writes because its quota is exceeded; it still serves reads. */
  readonly isFull: boolean;
}

/**
 * Probes components for readiness. A refused connection, a timeout and a negative response all mean not ready:
 * undefined or false.
 */
export interface Probes {
  /** etcd's status; undefined while etcd is not ready. */
  etcd(folder: string): Promise<EtcdStatus | undefined>;
  apiServer(target: ApiServerTarget): Promise<boolean>;
  /** The hash of the policy file that an API server enforces; undefined if there is none, or if it does not respond. */
  policies(target: ApiServerTarget): Promise<string | undefined>;
}

export const networkProbes: Probes = {
  async etcd(folder) {
    try {
      using socket = withEtcdSocket(folder);
      const target = { socketPath: socket.path };
      const health = await send(httpRequest, { ...target, path: '/health?exclude=NOSPACE', method: 'GET' });
      if (health?.status !== 200) return undefined;
      const status = await send(httpRequest, { ...target, path: '/v3/maintenance/status', method: 'POST' }, '{}');
      if (status?.status !== 200) return undefined;
      const {
        dbSize,
        header,
        errors = [],
      } = JSON.parse(status.body) as {
        readonly dbSize?: string;
        readonly header?: { readonly revision?: string };
        readonly errors?: readonly string[];
      };
      const isFull = errors.some((error) => error.includes('NOSPACE'));
      return { databaseBytes: Number(dbSize ?? 0), revision: Number(header?.revision ?? 0), isFull };
    } catch {
      return undefined;
    }
  },
  async apiServer(target) {
    const response = await get(target, '/readyz');
    return response?.status === 200;
  },
  async policies(target) {
    const response = await get(target, '/metrics');
    return response?.status === 200 ? loadedPolicyHash(response.body) : undefined;
  },
};

function get({ endpoint, certificateAuthority, certificate, privateKey }: ApiServerTarget, path: string) {
  const tls = { ca: certificateAuthority, cert: certificate, key: privateKey };
  return send(httpsRequest, { ...endpoint, ...tls, path, method: 'GET' });
}

type Request = typeof httpRequest | typeof httpsRequest;

function send(
  request: Request,
  options: RequestOptions,
  body?: string,
): Promise<{ readonly status: number; readonly body: string } | undefined> {
  return new Promise((resolve) => {
    const clientRequest = request({ ...options, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    clientRequest.on('timeout', () => clientRequest.destroy());
    clientRequest.on('error', () => resolve(undefined));
    clientRequest.on('close', () => resolve(undefined));
    clientRequest.end(body);
  });
}
