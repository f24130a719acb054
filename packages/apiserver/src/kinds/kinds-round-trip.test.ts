import { beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../server/test-server.ts';
import { ACCEPTED, ACCEPTED_LATELY, NAMESPACE } from './testing/kinds-corpus.ts';
import { collectionOf, serverOfKinds } from './testing/kinds-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await serverOfKinds();
  await server.namespace(NAMESPACE);
});

test.each(
  [...ACCEPTED, ...ACCEPTED_LATELY].map(
    (manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const,
  ),
)('%s is taken, and writing back what was answered changes nothing', async (_, manifest) => {
  const path = collectionOf(manifest);
  const created = await server.call('POST', path, manifest);
  const written = await server.call('PUT', `${path}/${created.body.metadata.name}`, created.body);

  expect(created.status).toBe(201);
  expect(written.status).toBe(200);
  expect(written.body).toEqual(created.body);
});
