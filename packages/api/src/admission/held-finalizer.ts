import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { FINALIZER } from '../group.ts';

/**
 * Why a change by anyone except Fairway's controllers is rejected: it adds or removes their finalizer. Without the
 * finalizer, an object would be deleted immediately; its cloud resources would be orphaned and no longer count towards
 * any limit.
 */
export function heldFinalizerErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const held = isHeld(old);
  if (isHeld(object) === held) return [];
  const what = held
    ? `${FINALIZER} must stay in the list: Fairway removes it when all cloud resources of the object are deleted. To remove the object, delete it`
    : `${FINALIZER} is set only by Fairway: remove it`;
  return [{ type: 'FieldValueForbidden', field: 'metadata.finalizers', detail: what }];
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}
