import type { FieldError } from '@fairway/kube/object/field-error';
import { duplicates, required } from '../field-errors.ts';

/** Conditions of the two API priority and fairness kinds. */
export function conditionErrors(conditions: readonly { readonly type?: string }[] = []): FieldError[] {
  const types = conditions.map(({ type = '' }) => type);
  return [
    ...duplicates(types, (index) => `status.conditions[${index}].type`),
    ...types.flatMap((type, index) => (type === '' ? [required(`status.conditions[${index}].type`)] : [])),
  ];
}
