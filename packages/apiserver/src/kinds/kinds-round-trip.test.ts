import { apiVersionOf } from '@fairway/kube/object/meta';
import { beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../server/test-server.ts';
import { ALL_KINDS } from './builtin-kinds.ts';
import { ACCEPTED, type Manifest, NAMESPACE } from './testing/kinds-corpus.ts';
import { serverOfKinds } from './testing/kinds-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await serverOfKinds();
  await server.namespace(NAMESPACE);
});

function collectionOf({ apiVersion, kind }: Manifest): string {
  const definition = ALL_KINDS.find((candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion);
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}${definition?.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${definition?.plural}`;
}

test.each(ACCEPTED.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
  '%s is taken, and writing back what was answered changes nothing',
  async (_, manifest) => {
    const path = collectionOf(manifest);
    const created = await server.call('POST', path, manifest);
    const written = await server.call('PUT', `${path}/${created.body.metadata.name}`, created.body);

    expect(created.status).toBe(201);
    expect(written.status).toBe(200);
    expect(written.body).toEqual(created.body);
  },
);
