import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { MANAGEMENT_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigMaps, Namespaces, Secrets } from '../kinds/resources.ts';
import { InformerReader } from './informer-reader.ts';
import { InformerSet } from './informer-set.ts';
import { KubeClient } from './kube-client.ts';

let server: ApiServer;
let client: KubeClient;
let informers: InformerSet;
let reader: InformerReader;
let stop: AbortController;

beforeEach(async () => {
  server = new ApiServer({
    store: new MemoryStore(),
    resources: authKinds(MANAGEMENT_KINDS),
    definitions: builtinDefinitions(),
    clock: systemClock,
    version: { gitVersion: 'v1.34.0', major: '1', minor: '34' },
  });
  client = new KubeClient(server.transport({ username: 'admin', groups: ['system:masters'] }));
  for (const name of ['a', 'b']) await client.resource(Namespaces).create({ metadata: { name }, spec: {} });
  await client.resource(ConfigMaps).create({ metadata: { name: 'one', namespace: 'a' } });
  await client.resource(ConfigMaps).create({ metadata: { name: 'one', namespace: 'b' } });
  stop = new AbortController();
  informers = new InformerSet(client);
  reader = new InformerReader(informers, [Namespaces, ConfigMaps]);
  informers.start(stop.signal);
  await informers.whenSynced();
});
afterEach(async () => {
  stop.abort();
  await informers.stopped();
  await server.close();
});

test('reads cached objects by name and by namespace', () => {
  expect(reader.get(Namespaces, '', 'a')?.metadata.name).toBe('a');
  expect(reader.get(ConfigMaps, 'b', 'one')?.metadata.namespace).toBe('b');
  expect(reader.get(ConfigMaps, 'c', 'one')).toBeUndefined();
  expect(reader.list(ConfigMaps)).toHaveLength(2);
  expect(reader.list(ConfigMaps, 'a').map(({ metadata }) => metadata.namespace)).toEqual(['a']);
});

test('throws when reading an undeclared kind instead of returning nothing', () => {
  expect(() => reader.get(Secrets, 'a', 'one')).toThrow('secrets are not cached');
});
