import type { LabelSelector } from '@fairway/kube/kinds/generated/types';
import type { FieldError } from '@fairway/kube/object/field-error';
import { jsonEqual } from '@fairway/kube/object/json';
import { labelValueErrors, qualifiedNameErrors } from '@fairway/kube/object/names';
import { tryParseQuantity } from '@fairway/kube/object/quantity';
import { forbidden, invalidName, invalidValue, required, unsupported } from './field-errors.ts';

const IMMUTABLE_MESSAGE = 'field is immutable';

export function immutable(field: string, value: unknown, old: unknown): FieldError[] {
  return jsonEqual(value, old) ? [] : [invalidValue(field, value, IMMUTABLE_MESSAGE)];
}

/** Errors for a changed field of a ConfigMap or Secret that `immutable: true` freezes. */
export function frozenFieldErrors(field: string, value: unknown, old: unknown): FieldError[] {
  return jsonEqual(value, old) ? [] : [forbidden(field, 'field is immutable when `immutable` is set')];
}

/** Whether two objects differ in anything but the given fields. */
export function hasOtherChanges<T extends object>(value: T, old: T, mutable: readonly (keyof T & string)[]): boolean {
  const names = new Set([...Object.keys(value), ...Object.keys(old)]) as Set<keyof T & string>;
  for (const name of mutable) names.delete(name);
  return [...names].some((name) => !jsonEqual(value[name], old[name]));
}

export function labelsErrors(field: string, labels: Readonly<Record<string, string>> | undefined): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...invalidName(field, key, qualifiedNameErrors(key)),
    ...invalidName(field, value, labelValueErrors(value)),
  ]);
}

export const SELECTOR_OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

export function labelSelectorErrors(field: string, selector: LabelSelector | undefined): FieldError[] {
  if (selector === undefined) return [];
  const errors = labelsErrors(`${field}.matchLabels`, selector.matchLabels);
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const path = `${field}.matchExpressions[${index}]`;
    errors.push(...invalidName(`${path}.key`, key, qualifiedNameErrors(key)));
    if (!SELECTOR_OPERATORS.includes(operator)) {
      errors.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
    } else if (operator.endsWith('In') && values.length === 0) {
      errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (!operator.endsWith('In') && values.length > 0) {
      errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  }
  return errors;
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}

/** Errors unless the value is a well-formed quantity that is not negative. */
export function quantityErrors(field: string, value: string): FieldError[] {
  const quantity = tryParseQuantity(value);
  if (quantity === undefined) {
    const detail = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    return [invalidValue(field, value, detail)];
  }
  return quantity.nanos < 0n ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];
}

const PERCENT = /^[0-9]+%$/;

/** Errors unless the value is a count, or a percentage such as `25%`. */
export function countOrPercentErrors(field: string, value: number | string | undefined): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === 'number') {
    return value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];
  }
  const detail =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return PERCENT.test(value) ? [] : [invalidValue(field, value, detail)];
}

/** `maxUnavailable: 0%` and 0 are equivalent. */
export function isZeroCount(value: number | string | undefined): boolean {
  return value === 0 || value === '0%' || value === '0';
}

export function atMostHundredPercent(field: string, value: number | string | undefined): FieldError[] {
  if (typeof value !== 'string' || !PERCENT.test(value) || Number.parseInt(value, 10) <= 100) return [];
  return [invalidValue(field, value, 'must not be greater than 100%')];
}

const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const MAX_DATA_BYTES = 1024 * 1024;

/** Errors in a key of a ConfigMap or Secret. */
export function configKeyErrors(field: string, key: string): FieldError[] {
  const errors: string[] = [];
  if (key.length > 253) errors.push('must be no more than 253 characters');
  if (!CONFIG_KEY.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  } else if (key === '.') errors.push("must not be '.'");
  else if (key === '..') errors.push("must not be '..'");
  else if (key.startsWith('..')) errors.push("must not start with '..'");
  return invalidName(field, key, errors);
}

export function dataSizeErrors(field: string, bytes: number): FieldError[] {
  if (bytes <= MAX_DATA_BYTES) return [];
  return [{ type: 'FieldValueTooLong', field, detail: `may not be more than ${MAX_DATA_BYTES} bytes` }];
}

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Errors in the effect of a taint, or of a toleration, where '' matches all effects. */
export function taintEffectErrors(field: string, effect: string | undefined, mayBeEmpty: boolean): FieldError[] {
  if (!effect) return mayBeEmpty ? [] : [required(field)];
  return TAINT_EFFECTS.includes(effect) ? [] : [unsupported(field, effect, TAINT_EFFECTS)];
}
