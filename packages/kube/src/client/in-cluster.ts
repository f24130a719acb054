import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '@fairway/base/clock';
import { cachedLoader } from './credential-source.ts';
import type { HttpsTransportOptions } from './https-transport.ts';

/** Where the kubelet mounts a pod's ServiceAccount files. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly readFile?: (path: string) => Promise<string>;
}

/**
 * How a pod connects to its own cluster's API server: with its ServiceAccount token, which is reread as it rotates.
 * Undefined outside a cluster, that is, without KUBERNETES_SERVICE_HOST or without the files.
 */
export async function inClusterConnection(options: InClusterOptions): Promise<HttpsTransportOptions | undefined> {
  const { env, folder = SERVICE_ACCOUNT_FOLDER, clock = systemClock } = options;
  const read = options.readFile ?? ((path) => readFile(path, 'utf8'));
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host) return undefined;
  const bearerToken = cachedLoader(clock, async () => (await read(join(folder, 'token'))).trim());
  try {
    await bearerToken();
    return {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      certificateAuthority: await read(join(folder, 'ca.crt')),
      bearerToken,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
