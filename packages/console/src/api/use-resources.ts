import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Failure } from './failure.ts';
import type { Snapshot } from './resource-store.ts';
import { keyOf, type Resource, type StoredObject } from './resources.ts';
import { type Selection, storeOf } from './stores.ts';

/** A collection, kept current while the component is displayed. */
export function useResources<T extends StoredObject>(resource: Resource<T>, selection: Selection = {}): Snapshot<T> {
  const { namespace, labelSelector, fieldSelector } = selection;
  const { store, acquire } = useMemo(
    () =>
      storeOf(resource, {
        namespace,
        ...(labelSelector && { labelSelector }),
        ...(fieldSelector && { fieldSelector }),
      }),
    [resource, namespace, labelSelector, fieldSelector],
  );
  useEffect(acquire, [acquire]);
  return useSyncExternalStore(store.subscribe, store.get);
}

export interface ResourceResult<T> {
  readonly object: T | undefined;
  /** Whether the object is known not to exist. */
  readonly isMissing: boolean;
  readonly failure: Failure | undefined;
}

/** One object. It shares the watch of its collection, because users usually come from the list. */
export function useResource<T extends StoredObject>(
  resource: Resource<T>,
  namespace: string | undefined,
  name: string,
): ResourceResult<T> {
  const { byKey, isComplete, failure } = useResources(resource, { namespace });
  const object = byKey.get(keyOf({ metadata: { ...(namespace !== undefined && { namespace }), name } }));
  return { object, isMissing: object === undefined && isComplete, failure };
}
