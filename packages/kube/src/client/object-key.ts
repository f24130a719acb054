import type { KubeObject } from '../object/meta.ts';

/** `namespace/name`, or the name of a cluster-scoped object: the keys that controllers queue. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : `${name}`;
}

/** The parts of a key; namespace is '' for a cluster-scoped object. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash === -1 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
