import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets } from '@fairway/kube/kinds/resources';
import { afterEach, expect, test } from 'vitest';
import { InProcessEntryPoint } from '../../management/in-process-entry-point.ts';
import { type ScriptedFrontEnd, startScriptedFrontEnd } from '../../testing/test-front.ts';

const ALICE = { username: 'alice', groups: ['devs'] };
const CLUSTERS = '/apis/fairway.dev/v1alpha1/namespaces/red/clusters';

let running: ScriptedFrontEnd;
afterEach(() => running[Symbol.asyncDispose]());

async function newEntryPoint(listener: (request: IncomingMessage, response: ServerResponse) => unknown) {
  running = await startScriptedFrontEnd(listener, ALICE);
  const signInService = new InProcessEntryPoint((request, response) => running.frontEnd.handler(request, response));
  return signInService.connect({ bearerToken: 'a-token', peer: '192.0.2.7' });
}

test('passes a request through the gateway like a remote client’s request', async () => {
  const transport = await newEntryPoint(async (request, response) => {
    const body = await text(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ headers: request.headers, url: request.url, body }));
  });
  const rawResponse = await transport.request({ method: 'POST', path: `${CLUSTERS}?dryRun=All`, body: '{"a":"ü"}' });

  expect(rawResponse.status).toBe(200);
  expect(JSON.parse(await rawResponse.text())).toMatchObject({
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

test("applies the gateway's refusals", async () => {
  const client = new KubeClient(await newEntryPoint((_, response) => response.end()));

  await expect(client.resource(Secrets).get('a', { namespace: 'fairway-system' })).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('are not served to tenants'),
  });
  expect(await running.requestArrived()).toEqual([]);
});

test('ends an aborted request at the API server too', async () => {
  const requestEnd = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const transport = await newEntryPoint((request, _response) => {
    request.socket.once('close', () => requestEnd.resolve());
    arrived.resolve();
  });
  const abort = new AbortController();
  const rawResponse = transport.request({ method: 'GET', path: CLUSTERS, signal: abort.signal });
  await arrived.promise;
  abort.abort(new Error('given up'));

  await expect(rawResponse).rejects.toThrow('given up');
  await requestEnd.promise;
});
