import { formatTime } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Events } from '@fairway/kube/kinds/resources';
import { afterEach, expect, test } from 'vitest';
import { TestServer, testResources } from '../server/test-server.ts';
import { EventTtl } from './event-ttl.ts';

const stop = new AbortController();
afterEach(() => stop.abort());

test('events are deleted an hour after their last occurrence', async () => {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  const { clock, transport } = new TestServer({ resources: [...testResources, { ...Events, schema }] });
  const client = new KubeClient(transport);
  await client.raw({ method: 'POST', path: '/api/v1/namespaces', body: JSON.stringify({ metadata: { name: 'ns' } }) });
  const events = client.resource(Events);
  const create = (name: string) =>
    events.create({ metadata: { name, namespace: 'ns' }, involvedObject: {}, lastTimestamp: formatTime(clock.now()) });
  const names = async () => (await events.list()).items.map(({ metadata }) => metadata.name);
  await create('once');
  const again = await create('again');
  const ttl = new EventTtl({ client, clock, random: () => 0 });
  ttl.start(stop.signal);

  await clock.advance(1_800_000);
  await events.update({ ...again, lastTimestamp: formatTime(clock.now()) });
  await clock.advance(1_799_000);
  expect(await names()).toEqual(['again', 'once']);
  await clock.advance(61_000);
  expect(await names()).toEqual(['again']);
  await clock.advance(1_800_000);
  expect(await names()).toEqual([]);

  stop.abort();
  await ttl.stopped;
  expect(clock.pendingTimers).toBe(0);
});
