import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { FINALIZER } from '../group.ts';

/**
 * Why a change by anybody but Fairway's controllers is rejected: it removes their finalizer from the object, or adds it. An object without
 * it is deleted immediately, and its resources in the cloud are orphaned, outside of all limits.
 */
export function heldFinalizerErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const held = isHeld(old);
  if (isHeld(object) === held) return [];
  const what = held
    ? `${FINALIZER} must stay in the list: Fairway removes it when all that the object has in the cloud is gone. To end an object, delete it`
    : `${FINALIZER} is set by Fairway alone: leave it out`;
  return [{ type: 'FieldValueForbidden', field: 'metadata.finalizers', detail: what }];
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}
