import { TestServer } from '@fairway/apiserver/server/test-server';
import { describe, expect, test } from 'vitest';
import { InformerSet } from '../client/informer-set.ts';
import { KubeClient } from '../client/kube-client.ts';
import { ConfigMaps } from '../kinds/resources.ts';
import { Controller } from './controller.ts';
import { Manager } from './manager.ts';

async function setUp() {
  const server = new TestServer();
  await server.namespace('ns');
  const client = new KubeClient(server.transport);
  const informers = new InformerSet(client, { clock: server.clock });
  const maps = client.resource(ConfigMaps);
  const create = (name: string) => maps.create({ metadata: { name, namespace: 'ns' } });
  return { server, client, informers, maps, create };
}

describe('a manager', () => {
  test('runs reconciles only on synced caches, and stops in reverse order', async () => {
    const { server, informers, create } = await setUp();
    await create('a');
    const log: string[] = [];
    const informer = informers.informer(ConfigMaps);
    const controller = new Controller({
      name: 'maps',
      clock: server.clock,
      reconcile: async (key) => {
        log.push(`${key} synced=${informer.hasSynced} found=${informer.get(key) !== undefined}`);
        return {};
      },
    }).watch(informer);
    const last = {
      name: 'last',
      start: (signal: AbortSignal) => signal.addEventListener('abort', () => log.push('last stopped')),
      stopped: Promise.resolve(),
    };
    const started = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running = new Manager().addInformers(informers).add(controller, last).run(stop.signal, started.resolve);
    await started.promise;
    await create('b');
    await server.clock.advance(0);
    stop.abort();
    await running;

    expect(log).toEqual(['ns/a synced=true found=true', 'ns/b synced=true found=true', 'last stopped']);
  });

  test('can be stopped before the caches have synced', async () => {
    const { client } = await setUp();
    const informers = new InformerSet(client);
    const controller = new Controller({ name: 'never', reconcile: async () => ({}) }).watch(
      informers.informer({ ...ConfigMaps, plural: 'nosuchthings' }),
    );
    const stop = new AbortController();
    let isStarted = false;
    const running = new Manager()
      .addInformers(informers)
      .add(controller)
      .run(stop.signal, () => {
        isStarted = true;
      });
    stop.abort();
    await running;

    expect(isStarted).toBe(false);
  });
});

describe('an informer set', () => {
  test('has one informer per kind and selection', async () => {
    const { informers } = await setUp();
    const all = informers.informer(ConfigMaps);
    expect(informers.informer(ConfigMaps)).toBe(all);
    expect(informers.informer(ConfigMaps, { namespace: 'ns' })).not.toBe(all);
    expect(informers.informer(ConfigMaps, { metadataOnly: true })).not.toBe(all);
    expect(() => informers.informer(ConfigMaps, { trim: (map) => map })).toThrow('a different trim function');
  });

  test('starts informers added later, and drops removed ones', async () => {
    const { server, informers, create } = await setUp();
    const stop = new AbortController();
    informers.start(stop.signal);
    const informer = informers.informer(ConfigMaps);
    await informer.whenSynced();
    informers.remove(ConfigMaps);
    await create('a');
    await server.clock.advance(0);

    expect(informer.size).toBe(0);
    const next = informers.informer(ConfigMaps);
    expect(next).not.toBe(informer);
    await next.whenSynced();
    expect(next.size).toBe(1);
    stop.abort();
    await informers.stopped();
  });
});
