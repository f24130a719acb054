import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets } from '@fairway/kube/kinds/resources';
import { afterEach, expect, test } from 'vitest';
import { InProcessEntryPoint } from '../../management/in-process-entry-point.ts';
import { type FrontBefore, frontBefore } from '../../testing/front-before.ts';

const ALICE = { username: 'alice', groups: ['devs'] };
const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';

let running: FrontBefore;
afterEach(() => running[Symbol.asyncDispose]());

async function entryPointBefore(listener: (request: IncomingMessage, response: ServerResponse) => unknown) {
  running = await frontBefore(listener, ALICE);
  const signInService = new InProcessEntryPoint((request, response) => running.front.handler(request, response));
  return signInService.connect({ bearerToken: 'a-token', peer: '192.0.2.7' });
}

test('a request passes the gateway like that of a client with its own address', async () => {
  const transport = await entryPointBefore(async (request, response) => {
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ headers: request.headers, url: request.url, body }));
  });
  const answer = await transport.request({ method: 'POST', path: `${CLUSTERS}?dryRun=All`, body: '{"a":"ü"}' });

  expect(answer.status).toBe(200);
  expect(JSON.parse(await answer.text())).toMatchObject({
    url: `${CLUSTERS}?dryRun=All`,
    body: '{"a":"ü"}',
    headers: {
      authorization: 'Bearer the-gateway',
      'impersonate-user': 'alice',
      'x-forwarded-for': '192.0.2.7',
    },
  });
  const [event] = running.audit.events;
  expect(event).toMatchObject({ user: { username: 'alice' }, sourceIPs: ['192.0.2.7'], verb: 'create' });
});

test("the gateway's refusals apply here too", async () => {
  const client = new KubeClient(await entryPointBefore((_, response) => response.end()));

  await expect(client.resource(Secrets).get('a', { namespace: 'fairway-system' })).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('are not served to tenants'),
  });
  expect(await running.arrived()).toEqual([]);
});

test('an aborted request ends at the API server too', async () => {
  const ended = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const transport = await entryPointBefore((request, _response) => {
    request.socket.once('close', () => ended.resolve());
    arrived.resolve();
  });
  const abort = new AbortController();
  const answer = transport.request({ method: 'GET', path: CLUSTERS, signal: abort.signal });
  await arrived.promise;
  abort.abort(new Error('given up'));

  await expect(answer).rejects.toThrow('given up');
  await ended.promise;
});
