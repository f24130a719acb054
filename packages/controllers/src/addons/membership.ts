import { APPLY_SET_ID, PART_OF_LABEL } from '@fairway/addons/apply-set';
import type { KubeObject } from '@fairway/kube/object/meta';
import { FIELD_MANAGER } from './apply-object.ts';

/** Whether Fairway has written fields of the object as part of an add-on. */
export function isApplied({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;
}

/**
 * Whether Fairway has applied the object as part of an add-on. A tenant may write the label, so that is not sufficient.
 */
export function isMember(object: KubeObject | undefined): boolean {
  return object?.metadata.labels?.[PART_OF_LABEL] === APPLY_SET_ID && isApplied(object);
}

/** Whether Fairway has applied the annotation and nobody has changed it since. */
export function hasAppliedAnnotation({ metadata }: KubeObject, annotation: string): boolean {
  return (metadata.managedFields ?? []).some(({ manager, fieldsV1 }) => {
    const fields = fieldsV1?.['f:metadata'] as { readonly 'f:annotations'?: object } | undefined;
    return manager === FIELD_MANAGER && `f:${annotation}` in (fields?.['f:annotations'] ?? {});
  });
}
