import { APPLY_SET_ID, PART_OF_LABEL } from '@fairway/addons/apply-set';
import type { KubeObject } from '@fairway/kube/object/meta';
import { FIELD_MANAGER } from './apply-object.ts';

/** Whether Fairway has written fields of it as an add-on's. */
export function isApplied({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;
}

/** Whether Fairway has applied it as a part of an add-on. A tenant may write the label: it takes more than that. */
export function isMember(object: KubeObject | undefined): boolean {
  return object?.metadata.labels?.[PART_OF_LABEL] === APPLY_SET_ID && isApplied(object);
}
