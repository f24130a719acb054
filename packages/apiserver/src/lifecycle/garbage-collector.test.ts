import { KubeClient } from '@fairway/kube/client/kube-client';
import type { DeleteOptions } from '@fairway/kube/client/resource-client';
import { controllerRef, ownerRef } from '@fairway/kube/controller/owners';
import { ConfigMaps, Events } from '@fairway/kube/kinds/resources';
import type { KubeObject, ObjectMeta, ResourceType } from '@fairway/kube/object/meta';
import { afterEach, describe, expect, test } from 'vitest';
import { TestServer, testResources } from '../server/test-server.ts';
import { GarbageCollector } from './garbage-collector.ts';

const Pools: ResourceType = { group: 'example.com', version: 'v1', plural: 'pools', kind: 'Pool', namespaced: true };
const Nodes: ResourceType = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const resources = [...testResources, { ...Events, schema, hasGeneration: false }, { ...Nodes, schema }];

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function setUp() {
  const server = new TestServer({ resources });
  const client = new KubeClient(server.transport, { clock: server.clock });
  for (const name of ['ns', 'other']) await server.namespace(name);
  const collector = new GarbageCollector({ client, clock: server.clock, random: () => 0.5 });
  const maps = client.resource(ConfigMaps);
  const map = (name: string, metadata: ObjectMeta = {}) =>
    maps.create({ metadata: { name, namespace: 'ns', ...metadata } });
  return {
    server,
    client,
    collector,
    map,
    childOf: (owner: KubeObject, name: string, more: ObjectMeta = {}) =>
      map(name, { ownerReferences: [controllerRef(owner, ConfigMaps)], ...more }),
    delete: (name: string, options: DeleteOptions = {}) => maps.delete(name, { namespace: 'ns', ...options }),
    start: async () => {
      const stop = new AbortController();
      stops.push(stop);
      collector.start(stop.signal);
      await server.clock.advance(0);
      return stop;
    },
    settle: () => server.clock.advance(1_000),
    names: async (namespace?: string) => {
      const { items } = await maps.list(namespace === undefined ? {} : { namespace });
      return items.map(({ metadata }) => `${metadata.name}`).sort();
    },
    metadata: async (name: string) => (await maps.get(name, { namespace: 'ns' })).metadata,
  };
}

describe('the garbage collector', () => {
  test('deletes the dependents of a deleted owner, recursively', async () => {
    const w = await setUp();
    await w.start();
    const owner = await w.map('owner');
    const child = await w.childOf(owner, 'child');
    await w.childOf(child, 'grandchild');
    await w.map('stranger');
    await w.settle();
    expect(await w.names()).toHaveLength(4);

    await w.delete('owner');
    await w.settle();

    expect(await w.names()).toEqual(['stranger']);
  });

  test('finds orphaned dependents at startup', async () => {
    const w = await setUp();
    const owner = await w.map('owner');
    await w.childOf(owner, 'child');
    await w.delete('owner');
    await w.start();
    await w.settle();

    expect(await w.names()).toEqual([]);
  });

  test('keeps an object with another owner, and removes the reference to the missing one', async () => {
    const w = await setUp();
    await w.start();
    const [a, b] = [await w.map('a'), await w.map('b')];
    await w.map('child', { ownerReferences: [ownerRef(a, ConfigMaps), ownerRef(b, ConfigMaps)] });
    await w.settle();

    await w.delete('a');
    await w.settle();

    expect(await w.names()).toEqual(['b', 'child']);
    expect((await w.metadata('child')).ownerReferences).toEqual([ownerRef(b, ConfigMaps)]);
  });

  test('does not treat a recreated owner with the same name as the owner', async () => {
    const w = await setUp();
    const owner = await w.map('owner');
    await w.childOf(owner, 'child');
    await w.delete('owner');
    await w.map('owner');
    await w.start();
    await w.settle();

    expect(await w.names()).toEqual(['owner']);
  });

  test('foreground: keeps the owner until its blocking dependents are deleted', async () => {
    const w = await setUp();
    await w.start();
    const owner = await w.map('owner');
    await w.childOf(owner, 'held', { finalizers: ['example.com/hold'] });
    await w.childOf(owner, 'free');
    await w.settle();

    await w.delete('owner', { propagationPolicy: 'Foreground' });
    await w.settle();
    expect(await w.names()).toEqual(['held', 'owner']);
    expect((await w.metadata('owner')).finalizers).toEqual(['foregroundDeletion']);

    await w.client
      .resource(ConfigMaps)
      .patch('held', { type: 'merge', value: { metadata: { finalizers: null } } }, { namespace: 'ns' });
    await w.settle();
    expect(await w.names()).toEqual([]);
  });

  test('foreground: non-blocking dependents are deleted without waiting', async () => {
    const w = await setUp();
    await w.start();
    const owner = await w.map('owner');
    await w.map('held', { ownerReferences: [ownerRef(owner, ConfigMaps)], finalizers: ['example.com/hold'] });
    await w.settle();

    await w.delete('owner', { propagationPolicy: 'Foreground' });
    await w.settle();

    expect(await w.names()).toEqual(['held']);
    expect((await w.metadata('held')).deletionTimestamp).toBeDefined();
  });

  test('foreground: deletes grandchildren first', async () => {
    const w = await setUp();
    await w.start();
    const owner = await w.map('owner');
    const child = await w.childOf(owner, 'child');
    await w.childOf(child, 'grandchild', { finalizers: ['example.com/hold'] });
    await w.settle();

    await w.delete('owner', { propagationPolicy: 'Foreground' });
    await w.settle();

    expect(await w.names()).toEqual(['child', 'grandchild', 'owner']);
    expect((await w.metadata('child')).finalizers).toEqual(['foregroundDeletion']);
  });

  test('foreground: two objects that own each other don’t block forever', async () => {
    const w = await setUp();
    await w.start();
    const a = await w.map('a');
    const b = await w.childOf(a, 'b');
    const ownerReferences = [controllerRef(b, ConfigMaps)];
    await w.client
      .resource(ConfigMaps)
      .patch('a', { type: 'merge', value: { metadata: { ownerReferences } } }, { namespace: 'ns' });
    await w.settle();

    await w.delete('a', { propagationPolicy: 'Foreground' });
    await w.settle();

    expect(await w.names()).toEqual([]);
  });

  test('orphan: releases dependents before it deletes the owner', async () => {
    const w = await setUp();
    await w.start();
    const owner = await w.map('owner');
    await w.childOf(owner, 'child');
    await w.settle();

    await w.delete('owner', { propagationPolicy: 'Orphan' });
    await w.settle();

    expect(await w.names()).toEqual(['child']);
    expect((await w.metadata('child')).ownerReferences).toBeUndefined();
  });

  test('ignores an owner in another namespace, and reports it in an Event', async () => {
    const w = await setUp();
    await w.start();
    const elsewhere = await w.map('elsewhere', { namespace: 'other' });
    await w.settle();
    await w.childOf(elsewhere, 'child');
    await w.settle();

    expect(await w.names('ns')).toEqual([]);
    const { items } = await w.client.resource(Events).list({ namespace: 'ns' });
    expect(items).toMatchObject([
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        involvedObject: { kind: 'ConfigMap', name: 'child' },
        message: `ownerRef [v1/ConfigMap, namespace: ns, name: elsewhere, uid: ${elsewhere.metadata.uid}] does not exist in namespace "ns"`,
      },
    ]);
  });

  test('never collects a cluster-scoped object with a namespaced owner', async () => {
    const w = await setUp();
    await w.start();
    const owner = await w.map('owner');
    const nodes = w.client.resource(Nodes);
    await nodes.create({ metadata: { name: 'n', ownerReferences: [ownerRef(owner, ConfigMaps)] } });
    await w.delete('owner');
    await w.settle();

    expect((await nodes.list()).items).toHaveLength(1);
  });

  test('keeps dependents of an owner whose kind is not served', async () => {
    const w = await setUp();
    await w.start();
    await w.map('child', { ownerReferences: [{ apiVersion: 'gone.io/v1', kind: 'Gone', name: 'x', uid: 'x' }] });
    await w.server.clock.advance(120_000);

    expect(await w.names()).toEqual(['child']);
  });

  test('discovers kinds that are added later', async () => {
    const w = await setUp();
    await w.start();
    const pools = w.client.resource(Pools);
    const late = { ...Pools, plural: 'latecomers', kind: 'Latecomer' };
    w.server.server.register({ ...late, schema });
    await w.server.clock.advance(700_000);
    const owner = await w.client.resource(late).create({ metadata: { name: 'owner', namespace: 'ns' } });
    await pools.create({ metadata: { name: 'pool', namespace: 'ns', ownerReferences: [controllerRef(owner, late)] } });
    await w.settle();

    await w.client.resource(late).delete('owner', { namespace: 'ns' });
    await w.settle();

    expect((await pools.list()).items).toEqual([]);
  });

  test('is idle without changes, and stops cleanly', async () => {
    const w = await setUp();
    const stop = await w.start();
    await w.childOf(await w.map('owner'), 'child');
    await w.settle();
    await w.collector.idle();

    stop.abort();
    await w.collector.stopped;
    expect(w.server.clock.pendingTimers).toBe(0);
  });
});
