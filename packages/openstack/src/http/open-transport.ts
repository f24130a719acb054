import type { TlsFiles } from '../config/cloud-config.ts';
import { UndiciTransport } from './undici-transport.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Connections to a cloud, with the certificates that its configuration names. */
export function openTransport(
  { verify, cacert, cert, key }: TlsFiles,
  { readFile, connections }: { readonly readFile: (path: string) => string; readonly connections: number },
): UndiciTransport {
  return new UndiciTransport({
    tls: {
      verify,
      ...(cacert !== undefined && { ca: readFile(cacert) }),
      ...(cert !== undefined && { cert: readFile(cert) }),
      // A certificate's file may hold its key too.
      ...(cert !== undefined && { key: readFile(key ?? cert) }),
    },
    connections,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
}
