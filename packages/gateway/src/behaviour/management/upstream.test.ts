import { text } from 'node:stream/consumers';
import { startTlsServer } from '@fairway/kube/testing/tls-server';
import { expect, test } from 'vitest';
import { Upstream } from '../../management/upstream.ts';

/**
 * The requests received by an API server that reads one request on a reused connection and closes the connection
 * without a response.
 */
async function sendAndRecord(method: string, body?: Uint8Array): Promise<{ headerLines: string[]; outcome: unknown }> {
  await using stack = new AsyncDisposableStack();
  const headerLines: string[] = [];
  const server = await startTlsServer((request, response) => {
    if (request.url === '/first') return void response.end('{}');
    request.resume().once('end', () => {
      headerLines.push(`${request.method}`);
      request.socket.destroy();
    });
  });
  stack.defer(() => server.close());
  const upstream = new Upstream({ server: server.url, certificateAuthority: server.authority.certificatePem });
  stack.defer(() => upstream.close());
  const { signal } = new AbortController();
  await text(await upstream.send({ method: 'GET', path: '/first', headers: {}, signal }));
  const request = { method, path: '/second', headers: {}, signal, ...(body && { body }) };
  const outcome = await upstream.send(request).catch((error: unknown) => error);
  expect(server.connections.accepted).toBe(headerLines.length);
  return { headerLines, outcome };
}

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'does not retry a bodiless %s that the API server may have processed',
  async (method) => {
    const { headerLines, outcome } = await sendAndRecord(method);

    expect(headerLines).toEqual([method]);
    expect(outcome).toMatchObject({ code: 503, retryAfterSeconds: undefined });
  },
);

test('does not retry a request with a body', async () => {
  const { headerLines } = await sendAndRecord('POST', Buffer.from('{}'));

  expect(headerLines).toEqual(['POST']);
});

test.each(['GET', 'HEAD'])('retries a %s once, over a new connection', async (method) => {
  const { headerLines, outcome } = await sendAndRecord(method);

  expect(headerLines).toEqual([method, method]);
  expect(outcome).toMatchObject({ code: 503, retryAfterSeconds: 1 });
});
