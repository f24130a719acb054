import { TestServer } from '@fairway/apiserver/server/test-server';
import { FakeClock } from '@fairway/base/clock-fake';
import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/kube-client.ts';
import { ConfigMaps, Deployments, ReplicaSets } from '../kinds/resources.ts';
import { Expectations } from './expectations.ts';
import { ensureFinalizer, removeFinalizer } from './finalizers.ts';
import { controllerKeys, controllerRef, controllerUidOf, isControlledBy } from './owners.ts';

const owner = { metadata: { name: 'web', namespace: 'ns', uid: 'u1' } };

describe('owner references', () => {
  const child = { metadata: { name: 'web-1', namespace: 'ns', ownerReferences: [controllerRef(owner, Deployments)] } };

  test('name the controller in full', () => {
    expect(child.metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u1', controller: true, blockOwnerDeletion: true },
    ]);
    expect(isControlledBy(child, owner)).toBe(true);
    expect(isControlledBy(child, { metadata: { ...owner.metadata, uid: 'u2' } })).toBe(false);
    expect(controllerUidOf(child)).toEqual(['u1']);
  });

  test('map a child to the key of its controller, only for the given kind', () => {
    expect(controllerKeys(Deployments)(child)).toEqual(['ns/web']);
    expect(controllerKeys({ ...Deployments, version: 'v2' })(child)).toEqual(['ns/web']);
    expect(controllerKeys(ReplicaSets)(child)).toEqual([]);
    expect(controllerKeys({ ...Deployments, group: 'other' })(child)).toEqual([]);
  });
});

describe('finalizers', () => {
  async function map() {
    const server = new TestServer();
    await server.namespace('ns');
    const client = new KubeClient(server.transport).resource(ConfigMaps);
    return { client, object: await client.create({ metadata: { name: 'm', namespace: 'ns', finalizers: ['a/b'] } }) };
  }

  test('are added and removed without changing others', async () => {
    const { client, object } = await map();
    const held = await ensureFinalizer(client, object, 'fairway.dev/cluster');
    expect(held.metadata.finalizers).toEqual(['a/b', 'fairway.dev/cluster']);
    expect(await ensureFinalizer(client, held, 'fairway.dev/cluster')).toBe(held);

    await removeFinalizer(client, held, 'fairway.dev/cluster');
    expect((await client.get('m', { namespace: 'ns' })).metadata.finalizers).toEqual(['a/b']);
  });

  test('are not touched on a stale object', async () => {
    const { client, object } = await map();
    await client.update({ ...object, data: { x: 'y' } });

    await expect(ensureFinalizer(client, object, 'f')).rejects.toMatchObject({ reason: 'Conflict' });
    await expect(removeFinalizer(client, object, 'a/b')).rejects.toMatchObject({ reason: 'Conflict' });
  });

  test('are not added to a terminating object, and can be removed from a deleted object without an error', async () => {
    const { client, object } = await map();
    await client.delete('m', { namespace: 'ns' });
    const terminating = await client.get('m', { namespace: 'ns' });
    expect(await ensureFinalizer(client, terminating, 'f')).toBe(terminating);

    await removeFinalizer(client, terminating, 'a/b');
    await removeFinalizer(client, object, 'a/b');
  });
});

describe('expectations', () => {
  test('are unsatisfied until the cache shows every write', () => {
    const expectations = new Expectations(new FakeClock());
    expect(expectations.isSatisfied('ns/web')).toBe(true);
    expectations.expectCreations('ns/web', 2);
    expectations.expectDeletions('ns/web', ['ns/old']);

    expectations.creationObserved('ns/web');
    expectations.creationObserved('ns/web');
    expect(expectations.isSatisfied('ns/web')).toBe(false);
    expectations.deletionObserved('ns/web', 'ns/stranger');
    expect(expectations.isSatisfied('ns/web')).toBe(false);
    expectations.deletionObserved('ns/web', 'ns/old');
    expect(expectations.isSatisfied('ns/web')).toBe(true);
  });

  test('expire after five minutes', async () => {
    const clock = new FakeClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations('ns/web', 1);
    await clock.advance(299_999);
    expect(expectations.isSatisfied('ns/web')).toBe(false);
    await clock.advance(1);
    expect(expectations.isSatisfied('ns/web')).toBe(true);
  });
});
