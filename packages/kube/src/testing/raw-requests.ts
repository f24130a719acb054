import { connect } from 'node:tls';
import type { TlsServer } from './tls-server.ts';

/** Makes the server close a connection after it has responded to every earlier request. */
export const LAST_REQUEST = 'GET /livez HTTP/1.1\r\nHost: fairway\r\nConnection: close\r\n\r\n';

/**
 * Writes raw bytes on one connection, each part after the previous one has been sent. Resolves with the response data
 * when the server has closed the connection.
 */
export async function sendRaw(server: Pick<TlsServer, 'url'>, ...parts: readonly string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let responseData = '';
  // The data is not secret, and the server belongs to the test.
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), rejectUnauthorized: false });
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    responseData += chunk;
  });
  // A server that rejects the request may close the connection while bytes are in flight.
  socket.on('error', () => undefined).on('close', () => resolve(responseData));
  for (const part of parts) await new Promise((written) => socket.write(part, 'latin1', written));
  return promise;
}

/** The status codes in the response data. */
export function statusesOf(responseData: string): number[] {
  return [...responseData.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
