import { TestServer } from '@fairway/apiserver/server/test-server';
import { describe, expect, test } from 'vitest';
import { KubeClient } from '../client/kube-client.ts';
import { ConfigMaps } from '../kinds/resources.ts';
import { eventually, eventuallyDeleted, eventuallyObject } from './eventually.ts';

async function maps() {
  const server = new TestServer();
  await server.namespace('ns');
  const client = new KubeClient(server.transport).resource(ConfigMaps);
  const create = (name: string, data: Record<string, string> = {}) =>
    client.create({ metadata: { name, namespace: 'ns' }, data });
  return { client, create };
}

describe('eventually', () => {
  test('resolves immediately if the condition is already met', async () => {
    const { client, create } = await maps();
    await create('a');
    expect(await eventually(client, { namespace: 'ns' }, (all) => all.length === 1)).toHaveLength(1);
  });

  test('waits for a change that lets an expectation pass', async () => {
    const { client, create } = await maps();
    const done = eventuallyObject(client, { namespace: 'ns', name: 'b' }, ({ data }) => {
      expect(data).toEqual({ x: '2' });
      return true;
    });
    await create('a', { x: '2' });
    const b = await create('b', { x: '1' });
    await client.update({ ...b, data: { x: '2' } });

    expect((await done).metadata.name).toBe('b');
  });

  test('waits for a deletion', async () => {
    const { client, create } = await maps();
    await create('a');
    const deletion = eventuallyDeleted(client, { namespace: 'ns', name: 'a' });
    await client.delete('a', { namespace: 'ns' });
    await expect(deletion).resolves.toBeUndefined();
  });

  test('reports the last state when the deadline passes', async () => {
    const { client, create } = await maps();
    await create('a', { x: '1' });
    const late = eventually(
      client,
      {},
      ([map]) => {
        expect(map?.data).toEqual({ x: '2' });
        return true;
      },
      { deadlineMs: 20 },
    );
    await expect(late).rejects.toThrow(/ConfigMap: not within 20 ms: [^]*last seen: [^]*"x": "1"/);
  });
});
