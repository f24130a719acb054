import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import { TestServer, testResources } from '@fairway/apiserver/server/test-server';
import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/kube-client.ts';
import { type Transport, TransportError } from '../client/transport.ts';
import { Events } from '../kinds/resources.ts';
import { unauthorized } from '../object/api-error.ts';
import { EventRecorder } from './recorder.ts';

const eventDefinition: ResourceDefinition = {
  ...Events,
  hasGeneration: false,
  schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

const cluster = {
  apiVersion: 'fairway.dev/v1',
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'team-a', uid: 'u1', resourceVersion: '9' },
};

async function setUp(failures: Error[] = []) {
  const server = new TestServer({ resources: [...testResources, eventDefinition] });
  for (const name of ['default', 'team-a', 'team-b']) await server.namespace(name);
  const requested: string[] = [];
  const transport: Transport = {
    request: (request) => {
      requested.push(request.path);
      const failure = failures.shift();
      return failure ? Promise.reject(failure) : server.transport.request(request);
    },
    close: () => undefined,
  };
  const { clock } = server;
  const client = new KubeClient(transport, { clock });
  const recorder = new EventRecorder(client, { component: 'cluster-controller', clock, random: () => 0.5 });
  const events = async (namespace = 'team-a') =>
    (await new KubeClient(server.transport).resource(Events).list({ namespace })).items;
  return { clock, recorder, events, requested };
}

describe('an event recorder', () => {
  test('writes what kubectl describe shows', async () => {
    const { recorder: events, events: list } = await setUp();
    events.normal(cluster, 'NetworkReady', 'Network 10.0.0.0/24 is ready');
    await events.flushed();

    expect(await list()).toMatchObject([
      {
        involvedObject: {
          apiVersion: 'fairway.dev/v1',
          kind: 'Cluster',
          namespace: 'team-a',
          name: 'demo',
          uid: 'u1',
          resourceVersion: '9',
        },
        type: 'Normal',
        reason: 'NetworkReady',
        message: 'Network 10.0.0.0/24 is ready',
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'cluster-controller' },
        reportingComponent: 'cluster-controller',
      },
    ]);
  });

  test('serves namespaces in turn: a flood in one neither delays nor drops events of another', async () => {
    const { recorder: events, events: list, requested } = await setUp();
    for (let index = 0; index < 1_500; index++) {
      const metadata = { name: `noisy-${index}`, namespace: 'team-b', uid: `b${index}` };
      events.warning({ ...cluster, metadata }, 'Failed', 'it failed');
    }
    events.normal(cluster, 'Ready', 'it is ready');
    await events.flushed();

    expect(requested.findIndex((path) => path.includes('/team-a/'))).toBeLessThan(3);
    expect(await list()).toHaveLength(1);
    // One event was already in flight.
    expect(await list('team-b')).toHaveLength(1_001);
  });

  test('counts equal events', async () => {
    const { clock, recorder: events, events: list } = await setUp();
    for (let i = 0; i < 3; i++) {
      events.warning(cluster, 'QuotaExceeded', 'no cores left');
      await events.flushed();
      await clock.advance(60_000);
    }

    expect(await list()).toMatchObject([
      { count: 3, firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:02:00Z' },
    ]);
  });

  test('keeps events for cluster-scoped objects in "default"', async () => {
    const { recorder: events, events: list } = await setUp();
    events.normal({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }, 'Ready', 'ready');
    await events.flushed();

    expect(await list('default')).toMatchObject([{ involvedObject: { kind: 'Node', name: 'n1' } }]);
  });

  test('combines many similar messages', async () => {
    const { recorder: events, events: list } = await setUp();
    for (let i = 1; i <= 12; i++) events.warning(cluster, 'Failed', `try ${i}`);
    await events.flushed();

    const all = await list();
    expect(all).toHaveLength(10);
    expect(all.filter(({ message }) => message === '(combined from similar events): try 12')).toMatchObject([
      { count: 3 },
    ]);
  });

  test('rate-limits a noisy object, and accepts its events again later', async () => {
    const { clock, recorder: events, events: list } = await setUp();
    for (let i = 0; i < 40; i++) events.normal(cluster, `Reason${i}`, 'x');
    events.normal({ ...cluster, metadata: { ...cluster.metadata, uid: 'u2' } }, 'Other', 'x');
    await events.flushed();
    expect(await list()).toHaveLength(26);

    await clock.advance(5 * 60_000);
    for (let i = 40; i < 50; i++) events.normal(cluster, `Reason${i}`, 'x');
    await events.flushed();
    expect(await list()).toHaveLength(27);
  });

  test('retries while the API server is unavailable, in order', async () => {
    const { clock, recorder: events, events: list } = await setUp([new TransportError('a'), new TransportError('b')]);
    events.normal(cluster, 'First', 'x');
    events.normal(cluster, 'Second', 'x');
    await clock.advance(60_000);
    await events.flushed();

    expect((await list()).map(({ reason }) => reason)).toEqual(['First', 'Second']);
  });

  test('reports that no event has been recorded while its token is rejected', async () => {
    const { recorder: first, events: list } = await setUp([unauthorized()]);
    const occurrence = { reason: 'EndsSoon', message: 'ends within 7 days', id: '7 days' };

    await expect(first.once(cluster, 'Warning', occurrence)).rejects.toThrow('Unauthorized');
    await first.once(cluster, 'Warning', occurrence);

    expect(await list()).toHaveLength(1);
  });

  test('records an event with an id once across restarts, and reports a failure to record it', async () => {
    const { recorder: first, events: list } = await setUp([new TransportError('refused')]);
    const occurrence = { reason: 'EndsSoon', message: 'ends within 7 days', id: '7 days' };

    await expect(first.once(cluster, 'Warning', occurrence)).rejects.toThrow('refused');
    for (let i = 0; i < 3; i++) await first.once(cluster, 'Warning', occurrence);
    await first.once(cluster, 'Warning', { ...occurrence, id: '1 day', message: 'ends within 1 day' });
    await first.once({ ...cluster, metadata: { ...cluster.metadata, namespace: 'gone' } }, 'Warning', occurrence);

    expect((await list()).map(({ message, count, type }) => ({ message, count, type }))).toEqual(
      expect.arrayContaining([
        { message: 'ends within 7 days', count: 1, type: 'Warning' },
        { message: 'ends within 1 day', count: 1, type: 'Warning' },
      ]),
    );
    expect(await list()).toHaveLength(2);
  });

  test('drops a rejected event without an error', async () => {
    const { recorder: events, events: list } = await setUp();
    events.normal({ ...cluster, metadata: { ...cluster.metadata, namespace: 'gone' } }, 'X', 'x');
    events.normal(cluster, 'Y', 'y');
    await events.flushed();

    expect(await list()).toHaveLength(1);
  });
});
