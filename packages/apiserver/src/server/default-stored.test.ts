import { expect, test } from 'vitest';
import { MemoryStore } from '../store/memory-store.ts';
import { defaultStoredObjects } from './default-stored.ts';
import type { ResourceDefinition } from './resource.ts';
import { canonicalText } from './served-resource.ts';

const widgets: ResourceDefinition = {
  group: 'example.org',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
  singular: 'widget',
  shortNames: [],
  categories: [],
  custom: true,
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', default: 3 },
          door: { type: 'object', default: {}, properties: { colour: { type: 'string', default: 'red' } } },
        },
      },
    },
  },
  hasStatus: true,
  columns: [],
};
const BUCKET = 'widgets.example.org';

async function stored(store: MemoryStore, name: string, spec: object): Promise<void> {
  await store.write({
    bucket: BUCKET,
    key: `team/${name}`,
    expected: undefined,
    encode: (revision) => ({
      text: canonicalText({
        apiVersion: 'example.org/v1',
        kind: 'Widget',
        metadata: { namespace: 'team', name, generation: 4, resourceVersion: String(revision) },
        spec,
      } as never),
    }),
  });
}

test('sets new defaults in stored objects, and keeps unknown fields and complete objects', async () => {
  const store = new MemoryStore();
  await stored(store, 'old', { size: 7, removed: 'kept' });
  await stored(store, 'complete', { size: 1, door: { colour: 'blue' } });
  const complete = store.get(BUCKET, 'team/complete');

  expect(await defaultStoredObjects(store, [widgets], new Map())).toBe(1);

  const old = store.get(BUCKET, 'team/old');
  expect(old?.object()).toMatchObject({
    metadata: { generation: 4, resourceVersion: String(old?.revision) },
    spec: { size: 7, removed: 'kept', door: { colour: 'red' } },
  });
  expect(store.get(BUCKET, 'team/complete')).toBe(complete);
  expect(await defaultStoredObjects(store, [widgets], new Map()), 'once').toBe(0);
});
