import { CloudConfigError, type TlsFiles } from '../config/cloud-config.ts';
import { UndiciTransport } from './undici-transport.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens connections to a cloud, with the certificates named in its configuration. Throws a CloudConfigError that names
 * the key of a file that cannot be read.
 */
export function openTransport(
  { verify, cacert, cert, key }: TlsFiles,
  { readFile, connections }: { readonly readFile: (path: string) => string; readonly connections: number },
): UndiciTransport {
  const read = (name: 'cacert' | 'cert' | 'key', path: string): string => {
    try {
      return readFile(path);
    } catch (error) {
      const problem = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      throw new CloudConfigError('clouds.yaml', problem, { key: name });
    }
  };
  return new UndiciTransport({
    tls: {
      verify,
      ...(cacert !== undefined && { ca: read('cacert', cacert) }),
      ...(cert !== undefined && { cert: read('cert', cert) }),
      // A certificate's file may also contain its key.
      ...(cert !== undefined && { key: read('key', key ?? cert) }),
    },
    connections,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
}
