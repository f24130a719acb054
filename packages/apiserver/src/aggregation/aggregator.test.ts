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

describe('what an APIService costs', () => {
  test('one that answers is asked twice a minute, and nothing is written', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    expect(await server.availability(GROUP)).toBe('True Passed all checks passed');

    const { revision } = server.store;
    await server.clock.advance(10 * MINUTE_MS);

    expect(server.outbound.countOf(PATH)).toBeLessThanOrEqual(21);
    expect(server.outbound.countOf('/openapi/v3')).toBeLessThanOrEqual(11);
    expect(server.store.revision).toBe(revision);
  });

  test('one that fails for long is asked about once a minute, and told once', async () => {
    const server = await AggregatingServer.open();
    server.outbound.answer = () => Promise.reject(new OutboundError('EOF'));
    await server.register(GROUP);
    expect(await server.availability(GROUP)).toContain('False FailedDiscoveryCheck failing or missing response from');

    const { revision } = server.store;
    await server.clock.advance(MINUTE_MS);
    const before = server.outbound.calls.length;
    await server.clock.advance(10 * MINUTE_MS);

    expect(server.outbound.calls.length - before).toBeLessThanOrEqual(11);
    expect(server.store.revision).toBe(revision);
  });

  test('one without a Service is not asked', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP, { service: { namespace: 'ns', name: 'missing' } });
    await server.clock.advance(10 * MINUTE_MS);

    expect(await server.availability(GROUP)).toBe('False ServiceNotFound service/missing in "ns" is not present');
    expect(server.outbound.calls).toEqual([]);
  });

  test('endpoints that change all the time are no reason to ask more than once a second', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    const before = server.outbound.countOf(PATH);
    const slices = server.client.resource<EndpointSlice>(EndpointSlices);
    for (let index = 0; index < 200; index++) {
      await slices.update(slice({ index: String(index) }));
      await server.clock.advance(20);
    }

    expect(server.outbound.countOf(PATH) - before).toBeLessThanOrEqual(5);
  });

  test('hundreds of one Service whose endpoints change are asked ten times a second in all', async () => {
    const server = await AggregatingServer.open();
    for (let index = 0; index < 200; index++) await server.register(`g${index}.example.com`);
    await server.clock.advance(0);
    const before = server.outbound.calls.length;
    const slices = server.client.resource<EndpointSlice>(EndpointSlices);
    for (let index = 0; index < 60; index++) {
      await slices.update(slice({ index: String(index) }));
      await server.clock.advance(1000);
    }

    // One for the kinds, one for the hash of the OpenAPI document.
    expect(server.outbound.calls.length - before).toBeLessThanOrEqual(2 * 11 * 60);
  });

  test('hundreds that never answer are asked a few at a time', async () => {
    const server = await AggregatingServer.open();
    const hangs = Promise.withResolvers<never>();
    server.outbound.answer = () => hangs.promise;
    for (let index = 0; index < 200; index++) await server.register(`g${index}.example.com`);
    await server.clock.advance(MINUTE_MS);

    expect(server.outbound.mostWaiting).toBe(8);
    hangs.reject(new OutboundError('context deadline exceeded'));
    await server.server.close();
  });

  test('a server that closes asks no more', async () => {
    const server = await AggregatingServer.open();
    await server.register(GROUP);
    await server.server.close();

    expect(server.clock.pendingTimers).toBe(0);
  });
});

describe('an APIService says that it is available', () => {
  test('as soon as its endpoints answer again', async () => {
    const server = await AggregatingServer.open();
    const { answer } = server.outbound;
    server.outbound.answer = () => Promise.reject(new OutboundError('EOF'));
    await server.register(GROUP);
    await server.clock.advance(10 * MINUTE_MS);
    server.outbound.answer = answer;
    await server.client.resource<EndpointSlice>(EndpointSlices).update(slice({ moved: 'yes' }));
    await server.clock.advance(1000);

    expect(await server.availability(GROUP)).toBe('True Passed all checks passed');
  });

  test('after a restart, though nothing has changed', async () => {
    const before = await AggregatingServer.open();
    await before.register(GROUP);
    await before.server.close();
    const server = AggregatingServer.reopen(before.store);
    server.outbound.answer = () => Promise.reject(new OutboundError('EOF'));
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
      reason: 'too many kinds',
      body: JSON.stringify({
        kind: 'APIResourceList',
        groupVersion: `${GROUP}/v1`,
        resources: Array.from({ length: 501 }, (_, index) => ({ name: `r${index}` })),
      }),
      says: 'more than 500 resources',
    },
    { reason: 'too much', body: ' '.repeat(300_000), says: 'the answer has more than 262144 bytes' },
  ])('not if its server says $reason', async ({ body, says }) => {
    const server = await AggregatingServer.open();
    server.outbound.answer = () => ({ body });
    await server.register(GROUP);

    await expect.poll(() => server.availability(GROUP)).toContain('False FailedDiscoveryCheck ');
    expect(await server.availability(GROUP)).toContain(says);
  });
});

describe('what this server serves itself', () => {
  test('stays with it, whatever an APIService says', async () => {
    const server = await AggregatingServer.open();
    await server.register('apps');
    const answer = await server.list('/apis/apps/v1/deployments');

    expect(answer).toMatchObject({ status: 200, body: { kind: 'DeploymentList', items: [] } });
    expect(await server.availability('apps')).toBe('True Local Local APIServices are always available');
    expect(server.outbound.calls).toEqual([]);
  });

  test('becomes its own with a CustomResourceDefinition', async () => {
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

describe('a request', () => {
  const things = `${PATH}/things`;

  async function served(options?: Parameters<typeof AggregatingServer.open>[0]): Promise<AggregatingServer> {
    const server = await AggregatingServer.open(options);
    await server.register(GROUP);
    await expect.poll(() => server.availability(GROUP)).toContain('Passed');
    return server;
  }

  test('that is not answered ends after a minute', async () => {
    const server = await served();
    server.outbound.answer = async ({ timeoutMs }) => {
      await server.clock.sleep(timeoutMs);
      throw new OutboundError('context deadline exceeded');
    };
    const answer = server.send('GET', things);
    await server.clock.advance(MINUTE_MS);

    expect((await answer).status).toBe(503);
    expect(await (await answer).text()).toBe('context deadline exceeded\n');
  });

  test('that is answered slowly breaks off after a minute, but not a watch', async () => {
    const server = await served();
    const bodies: Readable[] = [];
    server.outbound.answer = () => {
      const body = new Readable({ read() {} });
      bodies.push(body);
      return { body };
    };
    const list = await server.send('GET', things);
    const watch = await server.send('GET', `${things}?watch=1`);
    const broken = list.text().catch((error: unknown) => error);
    await server.clock.advance(MINUTE_MS);
    expect(await broken).toMatchObject({ message: 'the answer broke off' });
    bodies[1]?.push('{}\n');

    expect((await watch.lines()[Symbol.asyncIterator]().next()).value).toBe('{}');
  });

  test('that is a watch ends with the client of this process that asked for it', async () => {
    const server = await served();
    const body = new Readable({ read() {} });
    server.outbound.answer = () => ({ body });
    const transport = server.server.transport({ username: 'a', groups: ['system:masters'] });
    const watch = await transport.request({ method: 'GET', path: `${things}?watch=1` });
    const next = watch.lines()[Symbol.asyncIterator]().next();
    transport.close();

    await expect(next).rejects.toThrow('the answer broke off');
    expect(body.destroyed).toBe(true);
  });

  test('that is answered by too much breaks off', async () => {
    const server = await served({ limits: { maxAnswerBytes: 1000 } });
    server.outbound.answer = () => ({ body: Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(100))) });

    await expect((await server.send('GET', things)).text()).rejects.toThrow('the answer broke off');
  });

  test.each([
    { reason: 'an answer', read: (answer: TransportResponse) => answer.text() },
    { reason: 'a line', read: (answer: TransportResponse) => answer.lines()[Symbol.asyncIterator]().next() },
  ])('of this process is not answered by $reason of more than 4 MiB', async ({ read }) => {
    const server = await served();
    const body = Readable.from(Array.from({ length: 80 }, () => Buffer.alloc(65_536, 'x')));
    server.outbound.answer = () => ({ body });

    await expect(read(await server.send('GET', things))).rejects.toThrow('has more than 4194304 characters');
    await expect.poll(() => body.destroyed).toBe(true);
  });

  test('that finds too many others waiting is refused', async () => {
    const server = await served();
    const hangs = Promise.withResolvers<never>();
    server.outbound.answer = () => hangs.promise;
    const waiting = Array.from({ length: 100 }, () => server.send('GET', things));
    await server.clock.advance(0);

    expect((await server.send('GET', things)).status).toBe(429);
    hangs.reject(new OutboundError('EOF'));
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 503));
  });

  test('that comes back to the server is told so', async () => {
    const server = await served();
    server.outbound.answer = async ({ headers, path }) => {
      const again = await server.send('GET', path, undefined, headers as Record<string, string>);
      return { status: again.status, body: await again.text() };
    };
    const answer = await server.call('GET', things);

    expect(answer).toMatchObject({
      status: 508,
      body: { message: `the Service of APIService v1.${GROUP} leads back to this API server` },
    });
    expect(server.outbound.countOf(things)).toBe(1);
  });

  test.each([
    { reason: 'hides a slash', path: `${PATH}/namespaces/a%2Fb/things`, headers: {}, status: 400 },
    { reason: 'climbs', path: `${PATH}/things/.%2e/other`, headers: {}, status: 400 },
    { reason: 'has an empty segment', path: `${PATH}/namespaces//things/a`, headers: {}, status: 400 },
    { reason: 'begins with one', path: `/${things}`, headers: {}, status: 400 },
    { reason: 'climbs openly', path: `${PATH}/../../apps/v1`, headers: {}, status: 400 },
    {
      reason: 'has no connection that could speak another protocol',
      path: things,
      headers: { connection: 'Upgrade', upgrade: 'websocket' },
      status: 501,
    },
  ])('that $reason is refused', async ({ path, headers, status }) => {
    const server = await served();
    const answer = await server.call('GET', path, undefined, headers);

    expect(answer.status).toBe(status);
    expect(server.outbound.countOf(path)).toBe(0);
  });

  test('goes on while an APIService changes, and ends with it', async () => {
    const server = await served();
    server.outbound.answer = () => ({ body: '{"kind":"ThingList"}' });
    await server.client
      .resource<APIService>(APIServices)
      .patch(`v1.${GROUP}`, { type: 'merge', value: { spec: { caBundle: '', versionPriority: 11 } } });

    expect((await server.call('GET', things)).body).toEqual({ kind: 'ThingList' });
    await server.client.resource(APIServices).delete(`v1.${GROUP}`);
    expect((await server.call('GET', things)).status).toBe(404);
  });
});
