import type { IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ClientCertificate } from '@fairway/kube/client/https-connections';
import type { ContractServer } from './contract-server.ts';

export interface UpgradeResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The connection in the new protocol; undefined if the response was not an upgrade. */
  readonly socket: Duplex | undefined;
  /** The next bytes of the new protocol as text. */
  readonly read: (bytes: number) => Promise<string>;
}

/** Requests an upgrade to another protocol from an API server. The caller destroys the socket. */
export function upgrade(
  { url, authority }: Pick<ContractServer, 'url' | 'authority'>,
  { certificate, privateKey }: ClientCertificate,
  path: string,
  { method = 'GET', headers }: { readonly method?: string; readonly headers: Readonly<Record<string, string>> },
): Promise<UpgradeResponse> {
  const tls = { ca: authority, cert: certificate, key: privateKey };
  const request = httpsRequest(`${url}${path}`, { method, headers, agent: false, ...tls });
  const { promise, resolve, reject } = Promise.withResolvers<UpgradeResponse>();
  request.once('upgrade', ({ statusCode = 0, headers: responseHeaders }, socket, head) => {
    // The connection may break at the end of the test.
    socket.on('error', () => {});
    socket.unshift(head);
    resolve({ status: statusCode, headers: responseHeaders, socket, read: (bytes) => readText(socket, bytes) });
  });
  request.once('response', (response) => {
    response.resume();
    const { statusCode = 0, headers: responseHeaders } = response;
    resolve({ status: statusCode, headers: responseHeaders, socket: undefined, read: () => Promise.resolve('') });
  });
  request.once('error', reject);
  request.end();
  return promise;
}

async function readText(socket: Duplex, bytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(chunks).toString();
}
