import type { KubeObject, ResourceType } from '../object/meta.ts';

/**
 * A synchronous, read-only view of what an embedded server holds now, for authorisers, authenticators and admission plugins
 * that run on every request. Objects are shared: never change one.
 */
export interface ObjectReader {
  get<T extends KubeObject>(type: ResourceType<T>, namespace: string, name: string): T | undefined;
  /** All objects of the kind, or those of one namespace. */
  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[];
  /** A number that changes whenever an object of the kind is written: what is derived from `list` is valid while it stands. */
  revisionOf(type: ResourceType): number;
}
