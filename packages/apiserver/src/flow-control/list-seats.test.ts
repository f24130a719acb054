import { ConfigMaps, Secrets } from '@fairway/kube/kinds/resources';
import { beforeAll, expect, it } from 'vitest';
import { kindOf } from '../kinds/builtin-kinds.ts';
import { serverOfKinds } from '../kinds/testing/kinds-server.ts';
import type { ResourceRequest } from '../server/request.ts';
import { ServedResource } from '../server/served-resource.ts';
import type { TestServer } from '../server/test-server.ts';
import { seatsOfList } from './list-seats.ts';

let server: TestServer;
beforeAll(async () => {
  server = await serverOfKinds();
  const data = { a: 'x'.repeat(10_000) };
  for (let index = 0; index < 30; index++) {
    await server.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: `c${index}` }, data });
  }
});

it.each([
  { reason: 'a list of 300 kB', query: '', is: 4 },
  { reason: 'a page of a third of the list', query: 'limit=10', is: 2 },
  { reason: 'a page limit beyond the list', query: 'limit=500', is: 4 },
  { reason: 'one object', query: 'fieldSelector=metadata.name=c1', is: 1 },
  { reason: 'a kind without objects', query: '', type: Secrets, is: 1 },
  { reason: 'a watch that begins with all objects', query: '', verb: 'watch', is: 4 },
  { reason: 'a watch with a streaming list', query: 'resourceVersion=5&sendInitialEvents=true', verb: 'watch', is: 4 },
  { reason: 'a watch from a revision', query: 'resourceVersion=5', verb: 'watch', is: 1 },
])('counts $reason as $is seats', ({ query, verb = 'list', type = ConfigMaps, is }) => {
  const resource = ServedResource.of(kindOf(type));
  const request = { resource, verb, name: '', query: new URLSearchParams(query) } as ResourceRequest;

  expect(seatsOfList(server.store, request)).toBe(is);
});
