import { Readable } from 'node:stream';
import type { TransportResponse } from '@fairway/kube/client/transport';
import type { APIService, EndpointSlice } from '@fairway/kube/kinds/generated/types';
import { APIServices, EndpointSlices } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { CustomResourceDefinitions } from '../crd/types.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { AggregatingServer, slice } from './testing/aggregating-server.ts';

const GROUP = 'some.example.com';
const PATH = `/apis/${GROUP}/v1`;
const MINUTE_MS = 60_000;

describe('the load caused by APIService checks', () => {
  test('checks an available API server twice a minute, without status writes', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    expect(await server.availability(GROUP)).toBe('True Passed all checks passed');

    const { revision } = server.store;
    await server.clock.advance(10 * MINUTE_MS);

    expect(server.outbound.callCount(PATH)).toBeLessThanOrEqual(21);
    expect(server.outbound.callCount('/openapi/v3')).toBeLessThanOrEqual(11);
    expect(server.store.revision).toBe(revision);
  });

  test('checks a failing API server about once a minute, but writes its status only once', async () => {
    const server = await AggregatingServer.open();
    server.outbound.response = () => Promise.reject(new OutboundError('EOF'));
    await server.register(GROUP);
    expect(await server.availability(GROUP)).toContain('False FailedDiscoveryCheck failing or missing response from');

    const { revision } = server.store;
    await server.clock.advance(MINUTE_MS);
    const previous = server.outbound.calls.length;
    await server.clock.advance(10 * MINUTE_MS);

    expect(server.outbound.calls.length - previous).toBeLessThanOrEqual(11);
    expect(server.store.revision).toBe(revision);
  });

  test('does not check an APIService without a Service', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP, { service: { namespace: 'ns', name: 'missing' } });
    await server.clock.advance(10 * MINUTE_MS);

    expect(await server.availability(GROUP)).toBe('False ServiceNotFound service/missing in "ns" is not present');
    expect(server.outbound.calls).toEqual([]);
  });

  test('checks at most once a second while endpoints keep changing', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    const previous = server.outbound.callCount(PATH);
    const slices = server.client.resource<EndpointSlice>(EndpointSlices);
    for (let index = 0; index < 200; index++) {
      await slices.update(slice({ index: String(index) }));
      await server.clock.advance(20);
    }

    expect(server.outbound.callCount(PATH) - previous).toBeLessThanOrEqual(5);
  });

  test('checks hundreds of APIServices with one changing Service at most ten times a second', async () => {
    const server = await AggregatingServer.open();
    for (let index = 0; index < 200; index++) await server.register(`g${index}.example.com`);
    await server.clock.advance(0);
    const previous = server.outbound.calls.length;
    const slices = server.client.resource<EndpointSlice>(EndpointSlices);
    for (let index = 0; index < 60; index++) {
      await slices.update(slice({ index: String(index) }));
      await server.clock.advance(1000);
    }

    // One request for the kinds, one for the hash of the OpenAPI document.
    expect(server.outbound.calls.length - previous).toBeLessThanOrEqual(2 * 11 * 60);
  });

  test('checks only a few of many unresponsive APIServices at a time', async () => {
    const server = await AggregatingServer.open();
    const pendingResponse = Promise.withResolvers<never>();
    server.outbound.response = () => pendingResponse.promise;
    for (let index = 0; index < 200; index++) await server.register(`g${index}.example.com`);
    await server.clock.advance(MINUTE_MS);

    expect(server.outbound.maxConcurrentCalls).toBe(8);
    pendingResponse.reject(new OutboundError('context deadline exceeded'));
    await server.server.close();
  });

  test('stops checking when the server closes', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    await server.server.close();

    expect(server.clock.pendingTimers).toBe(0);
  });
});

describe('availability of an APIService', () => {
  test('is restored as soon as its endpoints respond again', async () => {
    const server = await AggregatingServer.open();
    const { response } = server.outbound;
    server.outbound.response = () => Promise.reject(new OutboundError('EOF'));
    await server.register(GROUP);
    await server.clock.advance(10 * MINUTE_MS);
    server.outbound.response = response;
    await server.client.resource<EndpointSlice>(EndpointSlices).update(slice({ moved: 'yes' }));
    await server.clock.advance(1000);

    expect(await server.availability(GROUP)).toBe('True Passed all checks passed');
  });

  test('is updated after a restart, even if nothing has changed', async () => {
    const previous = await AggregatingServer.open();
    await previous.register(GROUP);
    await previous.server.close();
    const server = AggregatingServer.reopen(previous.store);
    server.outbound.response = () => Promise.reject(new OutboundError('EOF'));
    await server.clock.advance(0);

    expect(await server.availability(GROUP)).toMatch(/^False FailedDiscoveryCheck /);
  });

  test.each([
    { reason: 'no JSON', body: 'x', says: 'it is no JSON' },
    { reason: 'another kind', body: '{"kind":"Other"}', says: 'it is no APIResourceList: kind: ' },
    {
      reason: 'another group',
      body: '{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[]}',
      says: 'it is about "apps/v1"',
    },
    {
      reason: 'an excessive number of kinds',
      body: JSON.stringify({
        kind: 'APIResourceList',
        groupVersion: `${GROUP}/v1`,
        resources: Array.from({ length: 501 }, (_, index) => ({ name: `r${index}` })),
      }),
      says: 'more than 500 resources',
    },
    { reason: 'too much data', body: ' '.repeat(300_000), says: 'the answer has more than 262144 bytes' },
  ])('is False if its server returns $reason', async ({ body, says }) => {
    const server = await AggregatingServer.open();
    server.outbound.response = () => ({ body });
    await server.register(GROUP);

    await expect.poll(() => server.availability(GROUP)).toContain('False FailedDiscoveryCheck ');
    expect(await server.availability(GROUP)).toContain(says);
  });
});

describe('group versions served by this server itself', () => {
  test('stay local even if an APIService exists for them', async () => {
    const server = await AggregatingServer.open();
    await server.register('apps');
    const response = await server.list('/apis/apps/v1/deployments');

    expect(response).toMatchObject({ status: 200, body: { kind: 'DeploymentList', items: [] } });
    expect(await server.availability('apps')).toBe('True Local Local APIServices are always available');
    expect(server.outbound.calls).toEqual([]);
  });

  test('become local once a CustomResourceDefinition defines them', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    const schema = { openAPIV3Schema: { type: 'object' as const } };
    await server.client.resource(CustomResourceDefinitions).create({
      metadata: { name: `others.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Cluster',
        names: { plural: 'others', kind: 'Other' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await server.clock.advance(1000);

    expect((await server.list(`${PATH}/others`)).status).toBe(200);
    expect(await server.availability(GROUP)).toBe('True Local Local APIServices are always available');
  });
});

describe('a forwarded request', () => {
  const thingsPath = `${PATH}/things`;

  async function served(options?: Parameters<typeof AggregatingServer.open>[0]): Promise<AggregatingServer> {
    const server = await AggregatingServer.open(options);
    await server.register(GROUP);
    await expect.poll(() => server.availability(GROUP)).toContain('Passed');
    return server;
  }

  test('ends after a minute without a response', async () => {
    const server = await served();
    server.outbound.response = async ({ timeoutMs }) => {
      await server.clock.sleep(timeoutMs);
      throw new OutboundError('context deadline exceeded');
    };
    const response = server.send('GET', thingsPath);
    await server.clock.advance(MINUTE_MS);

    expect((await response).status).toBe(503);
    expect(await (await response).text()).toBe('context deadline exceeded\n');
  });

  test('is aborted after a minute if the response is slow, unless the request is a watch', async () => {
    const server = await served();
    const bodies: Readable[] = [];
    server.outbound.response = () => {
      const body = new Readable({ read() {} });
      bodies.push(body);
      return { body };
    };
    const list = await server.send('GET', thingsPath);
    const watch = await server.send('GET', `${thingsPath}?watch=1`);
    const broken = list.text().catch((error: unknown) => error);
    await server.clock.advance(MINUTE_MS);
    expect(await broken).toMatchObject({ message: 'the answer broke off' });
    bodies[1]?.push('{}\n');

    expect((await watch.lines()[Symbol.asyncIterator]().next()).value).toBe('{}');
  });

  test('ends with its in-process client if it is a watch', async () => {
    const server = await served();
    const body = new Readable({ read() {} });
    server.outbound.response = () => ({ body });
    const transport = server.server.transport({ username: 'a', groups: ['system:masters'] });
    const watch = await transport.request({ method: 'GET', path: `${thingsPath}?watch=1` });
    const next = watch.lines()[Symbol.asyncIterator]().next();
    transport.close();

    await expect(next).rejects.toThrow('the answer broke off');
    expect(body.destroyed).toBe(true);
  });

  test('is aborted if the response is too large', async () => {
    const server = await served({ limits: { maxAnswerBytes: 1000 } });
    server.outbound.response = () => ({ body: Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(100))) });

    await expect((await server.send('GET', thingsPath)).text()).rejects.toThrow('the answer broke off');
  });

  test.each([
    { reason: 'a response', read: (response: TransportResponse) => response.text() },
    { reason: 'a line', read: (response: TransportResponse) => response.lines()[Symbol.asyncIterator]().next() },
  ])('fails for an in-process client if $reason exceeds 4 MiB', async ({ read }) => {
    const server = await served();
    const body = Readable.from(Array.from({ length: 80 }, () => Buffer.alloc(65_536, 'x')));
    server.outbound.response = () => ({ body });

    await expect(read(await server.send('GET', thingsPath))).rejects.toThrow('has more than 4194304 characters');
    await expect.poll(() => body.destroyed).toBe(true);
  });

  test('is refused if too many other requests are waiting', async () => {
    const server = await served();
    const pendingResponse = Promise.withResolvers<never>();
    server.outbound.response = () => pendingResponse.promise;
    const waiting = Array.from({ length: 100 }, () => server.send('GET', thingsPath));
    await server.clock.advance(0);

    expect((await server.send('GET', thingsPath)).status).toBe(429);
    pendingResponse.reject(new OutboundError('EOF'));
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 503));
  });

  test('is refused if it loops back to the server', async () => {
    const server = await served();
    server.outbound.response = async ({ headers, path }) => {
      const again = await server.send('GET', path, undefined, headers as Record<string, string>);
      return { status: again.status, body: await again.text() };
    };
    const response = await server.call('GET', thingsPath);

    expect(response).toMatchObject({
      status: 508,
      body: { message: `the Service of APIService v1.${GROUP} leads back to this API server` },
    });
    expect(server.outbound.callCount(thingsPath)).toBe(1);
  });

  test.each([
    { reason: 'contains an encoded slash', path: `${PATH}/namespaces/a%2Fb/things`, headers: {}, status: 400 },
    { reason: 'climbs', path: `${PATH}/things/.%2e/other`, headers: {}, status: 400 },
    { reason: 'has an empty segment', path: `${PATH}/namespaces//things/a`, headers: {}, status: 400 },
    { reason: 'begins with an empty segment', path: `/${thingsPath}`, headers: {}, status: 400 },
    { reason: 'contains dot segments that are not encoded', path: `${PATH}/../../apps/v1`, headers: {}, status: 400 },
    {
      reason: 'has no connection that can be upgraded',
      path: thingsPath,
      headers: { connection: 'Upgrade', upgrade: 'websocket' },
      status: 501,
    },
  ])('is refused if it $reason', async ({ path, headers, status }) => {
    const server = await served();
    const response = await server.call('GET', path, undefined, headers);

    expect(response.status).toBe(status);
    expect(server.outbound.callCount(path)).toBe(0);
  });

  test('continues while an APIService changes, and ends when it is deleted', async () => {
    const server = await served();
    server.outbound.response = () => ({ body: '{"kind":"ThingList"}' });
    await server.client
      .resource<APIService>(APIServices)
      .patch(`v1.${GROUP}`, { type: 'merge', value: { spec: { caBundle: '', versionPriority: 11 } } });

    expect((await server.call('GET', thingsPath)).body).toEqual({ kind: 'ThingList' });
    await server.client.resource(APIServices).delete(`v1.${GROUP}`);
    expect((await server.call('GET', thingsPath)).status).toBe(404);
  });
});
