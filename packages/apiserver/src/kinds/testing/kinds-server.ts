import { apiVersionOf } from '@fairway/kube/object/meta';
import { type Reply, type TestObject, TestServer } from '../../server/test-server.ts';
import { ALL_KINDS } from '../builtin-kinds.ts';
import { builtinDefinitions } from '../definitions.ts';
import { type Manifest, NAMESPACE } from './kinds-corpus.ts';

/** A server with all built-in kinds and the namespace `default`, for tests. */
export async function serverOfKinds(): Promise<TestServer> {
  const server = new TestServer({ resources: ALL_KINDS, definitions: builtinDefinitions() });
  await server.namespace();
  return server;
}

/** Posts an object of a namespaced kind, named `a` by default. */
export function post<T = TestObject>(server: TestServer, path: string, object: object): Promise<Reply<T>> {
  return server.call<T>('POST', path.replace('/NS/', '/namespaces/default/'), {
    metadata: { name: 'a' },
    ...object,
  });
}

/** The collection path of a manifest's kind; namespaced objects are in `shop`. */
export function collectionOf({ apiVersion, kind }: Manifest): string {
  const definition = ALL_KINDS.find((candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion);
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}${definition?.namespaced ? `/namespaces/${NAMESPACE}` : ''}/${definition?.plural}`;
}
