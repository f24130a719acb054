import { connect } from 'node:tls';
import type { TlsServer } from './tls-server.ts';

/** Closes a connection once every request before it is answered. */
export const LAST_REQUEST = 'GET /livez HTTP/1.1\r\nHost: fairway\r\nConnection: close\r\n\r\n';

/**
 * Writes raw bytes on one connection, each part after the previous one was sent; resolves with the response data when the server has closed the
 * connection.
 */
export async function sendRaw(server: Pick<TlsServer, 'url'>, ...parts: readonly string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answered = '';
  // Nothing secret is sent, and the server is the test's own.
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port), rejectUnauthorized: false });
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answered += chunk;
  });
  // A server that rejects the request may close the connection while bytes are in flight.
  socket.on('error', () => undefined).on('close', () => resolve(answered));
  for (const part of parts) await new Promise((written) => socket.write(part, 'latin1', written));
  return promise;
}

/** The status codes in the response data. */
export function statusesOf(answered: string): number[] {
  return [...answered.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
