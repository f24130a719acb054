import { text } from 'node:stream/consumers';
import { startTlsServer } from '@fairway/kube/testing/tls-server';
import { expect, test } from 'vitest';
import { Upstream } from '../../management/upstream.ts';

/** Requests received by an API server that reads one on a reused connection and closes it without an answer. */
async function arrivals(method: string, body?: Uint8Array): Promise<{ seen: string[]; outcome: unknown }> {
  await using stack = new AsyncDisposableStack();
  const seen: string[] = [];
  const server = await startTlsServer((request, response) => {
    if (request.url === '/first') return void response.end('{}');
    request.resume().once('end', () => {
      seen.push(`${request.method}`);
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
  expect(server.connections.accepted).toBe(seen.length);
  return { seen, outcome };
}

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'a %s without a body that the API server may have processed is not retried',
  async (method) => {
    const { seen, outcome } = await arrivals(method);

    expect(seen).toEqual([method]);
    expect(outcome).toMatchObject({ code: 503, retryAfterSeconds: undefined });
  },
);

test('nor is one with a body', async () => {
  const { seen } = await arrivals('POST', Buffer.from('{}'));

  expect(seen).toEqual(['POST']);
});

test.each(['GET', 'HEAD'])('a %s is retried once, over a new connection', async (method) => {
  const { seen, outcome } = await arrivals(method);

  expect(seen).toEqual([method, method]);
  expect(outcome).toMatchObject({ code: 503, retryAfterSeconds: 1 });
});
