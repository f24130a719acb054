import { beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../server/test-server.ts';
import { ACCEPTED_MANIFESTS, NAMESPACE, RECENT_MANIFESTS } from './testing/kinds-corpus.ts';
import { collectionOf, serverOfKinds } from './testing/kinds-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await serverOfKinds();
  await server.namespace(NAMESPACE);
});

test.each(
  [...ACCEPTED_MANIFESTS, ...RECENT_MANIFESTS].map(
    (manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const,
  ),
)('accepts %s, and changes nothing when the response is written back', async (_, manifest) => {
  const path = collectionOf(manifest);
  const created = await server.call('POST', path, manifest);
  const written = await server.call('PUT', `${path}/${created.body.metadata.name}`, created.body);

  expect(created.status).toBe(201);
  expect(written.status).toBe(200);
  expect(written.body).toEqual(created.body);
});
