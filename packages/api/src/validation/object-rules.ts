import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { IMMUTABLE_DETAIL } from '../crd/cel-rules.ts';
import type { Kind } from '../kinds/kind.ts';
import { nameProblem } from '../names.ts';
import { refinementErrors } from './schema-errors.ts';

/**
 * Validates the object against the kind's own rules: name, cross-field rules, immutable fields. Stored values are not
 * rejected, as in a management cluster's API server: an object that predates a rule can still be deleted, and its
 * other fields can be changed.
 */
export function ruleErrors<T extends KubeObject>(kind: Kind<T>, object: T, old: T | undefined): FieldError[] {
  return [
    ...(old === undefined
      ? nameErrors(kind, object)
      : [...immutableErrors(kind, object, old), ...transitionErrors(kind, object, old)]),
    ...refinementErrors(kind, object).filter(({ field }) => !isStored(field, object, old)),
    ...crossFieldErrors(kind, object, old),
  ];
}

/** Validates an update against the kind's transition rules: the only validation of a status besides its schema. */
export function transitionErrors<T extends KubeObject>(kind: Kind<T>, object: T, old: T): FieldError[] {
  return (kind.transitions ?? [])
    .filter((rule) => !rule.holds(object as never, old as never))
    .map(({ field, message, hint }) => {
      const detail = hint ? `${message}: ${hint.text(object as never, old as never)}` : message;
      return { type: 'FieldValueForbidden', field, detail };
    });
}

function nameErrors(kind: Kind, object: KubeObject): FieldError[] {
  const name = object.metadata.name ?? '';
  const problem = kind.nameMaxLength === undefined ? undefined : nameProblem(name, kind.nameMaxLength);
  return problem === undefined
    ? []
    : [{ type: 'FieldValueInvalid', field: 'metadata.name', value: name, detail: problem }];
}

function immutableErrors(kind: Kind, object: KubeObject, old: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of kind.immutable) {
    const before = valueAt(old, field);
    const after = valueAt(object, field);
    if (isEqual(after, before)) continue;
    const was = before === undefined ? 'it was not set' : `it is ${JSON.stringify(before)}`;
    errors.push({ type: 'FieldValueForbidden', field, detail: `${IMMUTABLE_DETAIL}: ${was}` });
  }
  return errors;
}

/** Deep equality; lists of scalars are sets here, as in their schemas (`x-kubernetes-list-type: set`). */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return isDeepStrictEqual(new Set(a), new Set(b));
  return isDeepStrictEqual(a, b);
}

/** Whether the stored object has the same value at this path, or in the list that contains it. */
function isStored(path: string, object: KubeObject, old: KubeObject | undefined): boolean {
  const [place = ''] = path.split('[', 1);
  return old !== undefined && isDeepStrictEqual(valueAt(object, place), valueAt(old, place));
}

function crossFieldErrors(kind: Kind, object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const rule of kind.rules) {
    const subject = valueAt(object, rule.path);
    // A rule's function takes the value at its path; an absent object needs no validation here.
    if (subject === undefined || rule.holds(subject as never) || isStored(rule.path, object, old)) continue;
    errors.push({
      type: 'FieldValueInvalid',
      field: rule.field,
      value: valueAt(object, rule.field),
      detail: rule.message,
    });
  }
  return errors;
}

/** The value at a dotted path of plain fields; undefined if absent. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const segment of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}
