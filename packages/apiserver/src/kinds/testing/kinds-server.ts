import { type Reply, type TestObject, TestServer } from '../../server/test-server.ts';
import { ALL_KINDS } from '../builtin-kinds.ts';
import { builtinDefinitions } from '../definitions.ts';

/** A server of all built-in kinds with the namespace `default`: for tests. */
export async function serverOfKinds(): Promise<TestServer> {
  const server = new TestServer({ resources: ALL_KINDS, definitions: builtinDefinitions() });
  await server.namespace();
  return server;
}

/** Posts an object of a namespaced kind, named `a` unless it says otherwise. */
export function post<T = TestObject>(server: TestServer, path: string, object: object): Promise<Reply<T>> {
  return server.call<T>('POST', path.replace('/NS/', '/namespaces/default/'), {
    metadata: { name: 'a' },
    ...object,
  });
}
