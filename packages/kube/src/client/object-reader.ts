import type { KubeObject, ResourceType } from '../object/meta.ts';

/**
 * A synchronous, read-only view of an embedded server's current objects, for authorizers, authenticators and admission
 * plugins, which run on every request. Objects are shared: never mutate one.
 */
export interface ObjectReader {
  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined;
  /** All objects of the kind, or those in one namespace. */
  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[];
  /** A number that changes with each write to the kind: results derived from `list` are valid until it changes. */
  revisionOf(type: ResourceType): number;
}
